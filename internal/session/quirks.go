package session

import "parley/acpclient"

// quirks are what an agent needs that the protocol does not ask for.
type quirks struct {
	// missingFileIsEmpty answers a read of a missing file with no text.
	missingFileIsEmpty bool
}

// knownQuirks is by the name in agentInfo. Every entry says why it is there.
var knownQuirks = map[string]quirks{
	// Gemini CLI and its forks read a file before they write it and take the
	// error of a missing one for a failure of the tool: they lose the error's
	// text on the way. The reference client answers empty content, and that is
	// what they expect.
	"gemini-cli": {missingFileIsEmpty: true},
	"qwen-code":  {missingFileIsEmpty: true},
	"iflow-cli":  {missingFileIsEmpty: true},
}

func quirksOf(info *acpclient.InitializeResponse) quirks {
	if info == nil || info.AgentInfo == nil {
		return quirks{}
	}
	return knownQuirks[info.AgentInfo.Name]
}
