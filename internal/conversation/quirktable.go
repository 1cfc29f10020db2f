// This file is the one table of what certain agents need, or do, that the
// protocol does not provide for, by the name that they give themselves in
// agentInfo. Every entry says why it is there. What all agents may do has no place
// here.

package conversation

// Quirks are those of one agent. The zero value is an agent without any.
type Quirks struct {
	// MissingFileIsEmpty answers a read of a missing file with no text.
	MissingFileIsEmpty bool
	// AnnouncedModes are the ids of the modes whose change is announced as text of
	// a message, see [Quirks.Announced]: from the one that allows least to the one
	// that allows most.
	AnnouncedModes []string
	// TaggedOutput says that what tools give is wrapped in tags for the model, see
	// [Quirks.Output].
	TaggedOutput bool
}

// known is by the name in agentInfo.
var known = map[string]Quirks{
	// Gemini CLI and its forks read a file before they write it. They lose the text
	// of the error that says that it is missing, and then take the error for a
	// failure of the tool. The reference client answers with empty content, and
	// that is what they expect.
	"gemini-cli": {
		MissingFileIsEmpty: true,
		// It sends no current_mode_update. When an answer to a permission, or a
		// tool, changes the mode, it says so in a message: "[MODE_UPDATE] autoEdit".
		AnnouncedModes: []string{"plan", "default", "autoEdit", "yolo"},
	},
	"qwen-code": {MissingFileIsEmpty: true},
	"iflow-cli": {MissingFileIsEmpty: true},
	// opencode gives the results of its tools as it gives them to the model, with
	// tags around them: <task …>, <shell_metadata>, <path>.
	"OpenCode": {TaggedOutput: true},
}

// Of are the quirks of the agent with a name.
func QuirksOf(name string) Quirks { return known[name] }
