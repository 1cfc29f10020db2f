package conversation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/acpclient"
)

// Quirks are what one agent needs, or does, that the protocol does not provide for. The
// zero value is an agent without any.
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
	// QuestionsInPermissions says that a permission request may be a form, see
	// [Quirks.Form].
	QuestionsInPermissions bool
	// ExitCodeInRawOutput says that the raw output of a call that has run a command has
	// its exit code.
	ExitCodeInRawOutput bool
	// ReportedOutput says that what a command printed stands in a report for the model,
	// between its directory and its exit code.
	ReportedOutput bool
	// LaunchNote begins what the agent tells its own model when it has started a subagent,
	// and sends as a reply of that; "" if it sends no such thing.
	LaunchNote string
	// ExitCodeInOutput says that the output of a command that failed begins with a line
	// about its exit code.
	ExitCodeInOutput bool
	// ForksAtMessageSince is the first version whose session/fork takes the message to
	// fork at, in _meta.jetbrains.air.fork; "" if none does.
	ForksAtMessageSince string
}

// known lists the quirks by the name in agentInfo, each with the reason for it.
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
	"qwen-code": {
		MissingFileIsEmpty: true,
		// It marks the questions of its model in _meta of a permission request, and
		// reads "answers" beside the outcome. Allowed without answers, it tells the
		// model that there are none.
		QuestionsInPermissions: true,
		// It gives what a command printed as it gives it to the model: "Command: …",
		// "Directory: (root)", "Output: …", "Error: (none)", "Exit Code: 3", and on.
		ReportedOutput: true,
	},
	"iflow-cli": {MissingFileIsEmpty: true},
	// opencode gives the results of its tools as it gives them to the model, with
	// tags around them (<task …>, <shell_metadata>, <path>), or as sentences that say
	// that it worked, which the call's status says.
	// To it, a call has failed if the command could not be run.
	"OpenCode": {TaggedOutput: true, ExitCodeInRawOutput: true},
	// Codex takes the fork point of Claude, and refuses a message that it does not know.
	"@agentclientprotocol/codex-acp": {ForksAtMessageSince: "2.5.0"},
	// Claude's tool tells the model "Exit code 1" above the output; the adapter tells
	// the exit code by itself as well.
	// It takes the id of an agent's message only, and ignores a fork point that it does
	// not understand.
	"@agentclientprotocol/claude-agent-acp": {
		ExitCodeInOutput: true, ForksAtMessageSince: "0.101.0",
		// "This tool result is internal metadata — never quote or paste any part of it".
		LaunchNote: "Async agent launched successfully.",
	},
}

// QuirksOf returns the quirks of the agent with a name.
func QuirksOf(name string) Quirks { return known[name] }

// quirks are those of the agent.
func (s *State) quirks() Quirks { return QuirksOf(s.Agent.Info.Name) }

// applyAnnouncedMode takes a change of mode that the agent tells in a message, and
// reports whether the chunk is that. The text cannot be told from what a model
// says, so a mode that allows less is taken only while a tool is at work: models do
// not talk then. The mode that is shown never allows less than the one that is on.
func (s *State) applyAnnouncedMode(u *acpclient.ContentChunk, fx *effect) bool {
	if u.Chunk != acpclient.AgentMessageChunk || u.Content.Type != acpclient.ContentText {
		return false
	}
	q := s.quirks()
	mode, ok := q.Announced(u.Content.Text)
	if !ok {
		return false
	}
	working := slices.ContainsFunc(s.liveTools, func(t *ToolCall) bool { return t.Running() && !t.Answer.Rejects() })
	o := s.OptionByCategory(acpclient.CategoryMode)
	if working || o == nil || !q.Safer(mode, string(o.CurrentValue.ID)) {
		s.applyMode(acpclient.SessionModeID(mode), fx)
	}
	return true
}

// shown returns a tool call's output for display. The received output is not changed.
func (s *State) shown(content acpclient.ToolCallContents) acpclient.ToolCallContents {
	q := s.quirks()
	var clean acpclient.ToolCallContents
	for i := range content {
		b := content[i].Content
		if b == nil {
			continue
		}
		shown := shownAs(*b)
		if b.Type == acpclient.ContentText {
			shown.Text = q.Output(b.Text)
		}
		if shown.Type == b.Type && shown.Text == b.Text {
			continue
		}
		if clean == nil {
			clean = slices.Clone(content)
		}
		clean[i].Content = &shown
	}
	if clean == nil {
		return content
	}
	return clean
}

// exitCode takes the exit code of a command from what the agent says about its call.
func (s *State) exitCode(t *ToolCall, u *acpclient.ToolCallUpdate) {
	switch q := s.quirks(); {
	case q.ExitCodeInRawOutput && len(u.RawOutput) > 0:
		if code, ok := acpclient.MetaValue[int](u.RawOutput, "metadata", "exit"); ok {
			t.ExitCode = &code
		}
	case q.ReportedOutput:
		for i := range u.Content {
			if b := u.Content[i].Content; b != nil && b.Type == acpclient.ContentText {
				if r, ok := reportIn(b.Text); ok && r.code != nil {
					t.ExitCode = r.code
				}
			}
		}
	}
}

// report is what a command printed and how it ended.
type report struct {
	output string
	code   *int // nil if it has none
}

var reportForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A(?s:Command: .*?\n)?Directory: [^\n]*\nOutput: (?s:(.*))\nError: (?s:(.*?))\nExit Code: (-?\d+|\(none\))\nSignal: ([^\n]*)(?:\n(?:Background PIDs|Process Group PGID): [^\n]*)*(?s:(.*))\z`)
})

// reportIn takes a report apart; ok is false if the text is something else. Lines that say
// that there is nothing to say are left out.
func reportIn(text string) (r report, ok bool) {
	if !strings.HasPrefix(text, "Command: ") && !strings.HasPrefix(text, "Directory: ") {
		return report{}, false
	}
	m := reportForm().FindStringSubmatch(text)
	if m == nil {
		return report{}, false
	}
	var parts []string
	add := func(lead, value string) {
		if value != "" && value != "(none)" && value != "(empty)" {
			parts = append(parts, lead+value)
		}
	}
	add("", m[1])
	add("Error: ", m[2])
	add("Signal: ", m[4])
	add("", strings.Trim(m[5], "\n"))
	if code, err := strconv.Atoi(m[3]); err == nil {
		r.code = &code
	}
	r.output = strings.Join(parts, "\n")
	return r, true
}

// exitCodeLine is the line about the exit code above the output of a command.
var exitCodeLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\AExit code \d+(\n|\z)`) })

// Output is what a tool gave, without what is for the model. Only the shapes that the
// agent is known to send are taken apart: tags elsewhere are what a program printed.
func (q Quirks) Output(text string) string {
	if q.ReportedOutput {
		if r, ok := reportIn(text); ok {
			return r.output
		}
	}
	if !q.TaggedOutput {
		return text
	}
	for _, s := range shapes() {
		if s.fits.MatchString(text) {
			return strings.Trim(s.tags.ReplaceAllString(text, ""), "\n")
		}
	}
	return text
}

// shape is a form of tagged output.
type shape struct{ fits, tags *regexp.Regexp }

// shapes are the forms of tagged output: which texts have the form, and what is
// taken out of them. They are compiled when the first agent needs them, which most
// do not.
var shapes = sync.OnceValue(func() []shape {
	return []shape{
		// The result of a subagent. Its summary stays.
		{
			regexp.MustCompile(`\A\s*<task id="[^"]*"[^>]*>\n[\s\S]*</task>\s*\z`),
			regexp.MustCompile(`(?m)^</?task(_result|_error)?( [^>]*)?>\n?|</?summary>`),
		},
		// A file or a folder. The heading of the call says which.
		{
			regexp.MustCompile(`\A\s*<path>[^\n]*</path>\n<type>[a-z]+</type>\n<(content|entries)>`),
			regexp.MustCompile(`\A\s*<path>[^\n]*</path>\n<type>[a-z]+</type>\n<(content|entries)>\n?|\n?</(content|entries)>\s*(<system-reminder>[\s\S]*</system-reminder>\s*)?\z`),
		},
		// A change of a file that worked, perhaps with what was found in the file then.
		{
			regexp.MustCompile(`\A(Edit applied|Wrote file) successfully\.(\n|\z)`),
			regexp.MustCompile(`\A(Edit applied|Wrote file) successfully\.\n*`),
		},
		// Instructions that were loaded for the model.
		{
			regexp.MustCompile(`\A\s*<skill_content name="[^"]*">`),
			regexp.MustCompile(`(?m)^</?skill_(content|files)( [^>]*)?>\n?|</?file>`),
		},
		// What a command printed, with a word about how it ended.
		{
			regexp.MustCompile(`<shell_metadata>\n[\s\S]*</shell_metadata>\s*\z`),
			regexp.MustCompile(`</?shell_metadata>\n?`),
		},
	}
})

// Announced is the mode that a chunk of a message announces, and whether it
// announces one: the chunk says that and nothing else.
func (q Quirks) Announced(chunk string) (mode string, ok bool) {
	if len(q.AnnouncedModes) == 0 {
		return "", false
	}
	mode, ok = strings.CutPrefix(strings.TrimSpace(chunk), "[MODE_UPDATE] ")
	return mode, ok && slices.Contains(q.AnnouncedModes, mode)
}

// Safer reports whether a mode allows less than another, or may do so.
func (q Quirks) Safer(mode, than string) bool {
	return slices.Index(q.AnnouncedModes, mode) < slices.Index(q.AnnouncedModes, than)
}
