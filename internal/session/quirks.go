package session

import "parley/acpclient"

// quirks say what an agent needs that the protocol does not ask for.
type quirks struct {
	// missingFileIsEmpty answers a read of a missing file with no text.
	missingFileIsEmpty bool
}

// knownQuirks are the quirks of agents by the name in their agentInfo. Every entry
// says why it is there.
var knownQuirks = map[string]quirks{
	// Gemini CLI and its forks read a file before they write it. They lose the text
	// of the error that says that it is missing, and then take the error for a
	// failure of the tool. The reference client answers with empty content, and
	// that is what they expect.
	"gemini-cli": {missingFileIsEmpty: true},
	"qwen-code":  {missingFileIsEmpty: true},
	"iflow-cli":  {missingFileIsEmpty: true},
}

// quirksOf returns the quirks of an agent by its answer to initialize. It has none
// while that is nil.
func quirksOf(info *acpclient.InitializeResponse) quirks {
	if info == nil || info.AgentInfo == nil {
		return quirks{}
	}
	return knownQuirks[info.AgentInfo.Name]
}
