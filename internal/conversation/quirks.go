package conversation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/acpclient"
)

// Quirks are an agent's needs and habits for which the protocol does not provide. The zero
// value has none.
type Quirks struct {
	// MissingFileIsEmpty answers a read of a missing file with no text.
	MissingFileIsEmpty bool
	// AnnouncedModes are the ids of the modes whose change is announced in a message, see
	// [Quirks.Announced], from the most restrictive to the most permissive.
	AnnouncedModes []string
	// TaggedOutput means that tool output is wrapped in tags for the model, see
	// [Quirks.Output].
	TaggedOutput bool
	// QuestionsInPermissions means that a permission request may be a form, see [Quirks.Form].
	QuestionsInPermissions bool
	// ExitCodeInRawOutput means that the raw output of a command's call has its exit code.
	ExitCodeInRawOutput bool
	// ReportedOutput means that a command's output is inside a report for the model, between
	// its directory and its exit code.
	ReportedOutput bool
	// LaunchNote is the start of the agent's note to its own model that it has started a
	// subagent, which it sends as if the subagent had replied; "" if it sends none.
	LaunchNote string
	// ExitCodeInOutput means that a failed command's output begins with a line about its exit
	// code.
	ExitCodeInOutput bool
	// ForksAtMessageSince is the first version whose session/fork takes the message to
	// fork at, in _meta.jetbrains.air.fork; "" if none does.
	ForksAtMessageSince string
	// Interruptions are its notes to its own model, in the user's name, that a turn was cancelled.
	Interruptions []string
	// Modes are what its modes allow by their ids, where their names do not tell; see
	// [State.Autonomy].
	Modes map[string]Autonomy
}

// known lists the quirks by the name in agentInfo, each with the reason for it.
var known = map[string]Quirks{
	// Gemini CLI and its forks read a file before they write it. They lose the error text that
	// says that the file is missing, and then treat the error as a failure of the tool. They
	// expect empty content, as from the reference client.
	"gemini-cli": {
		MissingFileIsEmpty: true,
		// It sends no current_mode_update. When an answer to a permission, or a tool, changes
		// the mode, a message says so: "[MODE_UPDATE] autoEdit".
		AnnouncedModes: []string{"plan", "default", "autoEdit", "yolo"},
	},
	"qwen-code": {
		MissingFileIsEmpty: true,
		// It marks its model's questions in _meta of a permission request, and reads "answers"
		// beside the outcome. If allowed without answers, it tells the model that there are
		// none.
		QuestionsInPermissions: true,
		// It reports a command's output as it does to the model: "Command: …", "Directory:
		// (root)", "Output: …", "Error: (none)", "Exit Code: 3", and so on.
		ReportedOutput: true,
	},
	"iflow-cli": {MissingFileIsEmpty: true},
	// opencode sends tool results as it does to the model: inside tags (<task …>,
	// <shell_metadata>, <path>), or as sentences that repeat the call's status. A call has
	// failed only if its command could not be run.
	// Unless its own configuration says otherwise, it asks about nothing inside the directory.
	"OpenCode": {TaggedOutput: true, ExitCodeInRawOutput: true, Modes: map[string]Autonomy{"build": DoesAnything}},
	// Codex uses Claude's field for the fork point, and refuses an unknown message.
	// Its first mode changes files in the directory, and runs commands in its own sandbox.
	"@agentclientprotocol/codex-acp": {ForksAtMessageSince: "2.5.0", Modes: map[string]Autonomy{"agent": EditsFreely, "auto": EditsFreely}},
	// Claude's tool puts "Exit code 1" above the output for the model; the adapter also
	// reports the exit code itself. It forks only at an agent's message, and ignores a fork
	// point that it does not understand.
	"@agentclientprotocol/claude-agent-acp": {
		ExitCodeInOutput: true, ForksAtMessageSince: "0.101.0",
		// "This tool result is internal metadata — never quote or paste any part of it".
		LaunchNote: "Async agent launched successfully.",
		// Replayed as prompts, they would look like turns.
		Interruptions: []string{"[Request interrupted by user]", "[Request interrupted by user for tool use]"},
		// A model decides what is asked. Since 0.101 it is the first one.
		Modes: map[string]Autonomy{"auto": DoesAnything},
	},
}

// QuirksOf returns the quirks of the agent with a name.
func QuirksOf(name string) Quirks { return known[name] }

// quirks are those of the agent.
func (s *State) quirks() Quirks { return QuirksOf(s.Agent.Info.Name) }

// applyAnnouncedMode applies a change of mode that the agent announces in a message, and
// reports whether the chunk was one. A model could write the same text, so a more restrictive
// mode is accepted only while a tool runs, when models do not talk. The mode on display is
// thus never more restrictive than the actual one.
func (s *State) applyAnnouncedMode(u *acpclient.ContentChunk) bool {
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
		s.applyMode(acpclient.SessionModeID(mode))
	}
	return true
}

// shown returns a tool call's output for display. It does not modify the received output.
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

// exitCode reads a command's exit code from an update of its call.
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

// report is a command's output and exit code.
type report struct {
	output string
	code   *int // nil if unknown
}

var reportForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A(?s:Command: .*?\n)?Directory: [^\n]*\nOutput: (?s:(.*))\nError: (?s:(.*?))\nExit Code: (-?\d+|\(none\))\nSignal: ([^\n]*)(?:\n(?:Background PIDs|Process Group PGID): [^\n]*)*(?s:(.*))\z`)
})

// reportIn parses a report; ok is false for any other text. Lines that only say "none" are
// left out.
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

// exitCodeLine matches the line about the exit code above a command's output.
var exitCodeLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\AExit code \d+(\n|\z)`) })

// Output returns a tool's output without what is meant for the model. Only the known shapes of
// the agent are removed: tags elsewhere come from the program.
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

// shapes are the forms of tagged output: which texts match, and what is removed. They are
// compiled on first use, since most agents do not need them.
var shapes = sync.OnceValue(func() []shape {
	return []shape{
		// A subagent's result. Its summary stays.
		{
			regexp.MustCompile(`\A\s*<task id="[^"]*"[^>]*>\n[\s\S]*</task>\s*\z`),
			regexp.MustCompile(`(?m)^</?task(_result|_error)?( [^>]*)?>\n?|</?summary>`),
		},
		// A file or a folder. The heading of the call says which.
		{
			regexp.MustCompile(`\A\s*<path>[^\n]*</path>\n<type>[a-z]+</type>\n<(content|entries)>`),
			regexp.MustCompile(`\A\s*<path>[^\n]*</path>\n<type>[a-z]+</type>\n<(content|entries)>\n?|\n?</(content|entries)>\s*(<system-reminder>[\s\S]*</system-reminder>\s*)?\z`),
		},
		// A successful edit, perhaps with problems found in the file.
		{
			regexp.MustCompile(`\A(Edit applied|Wrote file) successfully\.(\n|\z)`),
			regexp.MustCompile(`\A(Edit applied|Wrote file) successfully\.\n*`),
		},
		// Instructions loaded for the model.
		{
			regexp.MustCompile(`\A\s*<skill_content name="[^"]*">`),
			regexp.MustCompile(`(?m)^</?skill_(content|files)( [^>]*)?>\n?|</?file>`),
		},
		// A command's output, with a remark on how it ended.
		{
			regexp.MustCompile(`<shell_metadata>\n[\s\S]*</shell_metadata>\s*\z`),
			regexp.MustCompile(`</?shell_metadata>\n?`),
		},
	}
})

// Interrupted reports whether an update is one of the agent's notes that a turn was cancelled.
func (q Quirks) Interrupted(u acpclient.SessionUpdate) bool {
	c, is := u.(*acpclient.ContentChunk)
	return is && c.Chunk == acpclient.UserMessageChunk && slices.Contains(q.Interruptions, c.Content.Text)
}

// Announced returns the mode that a chunk announces; ok is false unless the chunk is exactly
// that.
func (q Quirks) Announced(chunk string) (mode string, ok bool) {
	if len(q.AnnouncedModes) == 0 {
		return "", false
	}
	mode, ok = strings.CutPrefix(strings.TrimSpace(chunk), "[MODE_UPDATE] ")
	return mode, ok && slices.Contains(q.AnnouncedModes, mode)
}

// Safer reports whether a mode is more restrictive than another, or may be.
func (q Quirks) Safer(mode, than string) bool {
	return slices.Index(q.AnnouncedModes, mode) < slices.Index(q.AnnouncedModes, than)
}
