package headless

import (
	"errors"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// ResultVersion is the version of the form of a Result. Fields may be added without a
// new one.
const ResultVersion = 1

// Result is the result of a run. Its texts are the agent's; JSON
// and Line sanitise them.
type Result struct {
	Version int    `json:"v"`
	Status  Status `json:"status"`
	// Message says in words why the status is not Answered.
	Message string `json:"message,omitempty"`
	// StopReason and Text are those of the last turn.
	StopReason acpclient.StopReason `json:"stopReason,omitempty"`
	Text       string               `json:"text"`
	Agent      AgentInfo            `json:"agent"`
	SessionID  acpclient.SessionID  `json:"sessionId,omitempty"`
	// Mode is the name of a mode in which the agent changes files without asking, and that
	// the user has not chosen; see conversation.State.Unasked.
	Mode  string `json:"unaskedMode,omitempty"`
	Cwd   string `json:"cwd,omitempty"`
	Turns []Turn `json:"turns"`
	// Usage is the agent's latest word about its context and the cost of the session;
	// nil if it has said nothing.
	Usage     *acpclient.UsageUpdate `json:"usage,omitempty"`
	ToolCalls []ToolCall             `json:"toolCalls"`
	Denied    []Denial               `json:"denied"`
	// FilesWritten and CommandsRun are what parley did for the agent (fs/write_text_file,
	// terminal/create), which rules deny or ask about, and no rule need allow. Each is
	// listed once.
	FilesWritten []string `json:"filesWritten"`
	CommandsRun  []string `json:"commandsRun"`
	// Stderr is the tail of what an agent that has gone wrote there.
	Stderr string `json:"stderr,omitempty"`
}

// AgentInfo is what the agent calls itself.
type AgentInfo struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

// Turn is the result of one prompt. StopReason is empty if the turn has ended with an
// error, or not at all.
type Turn struct {
	StopReason acpclient.StopReason `json:"stopReason,omitempty"`
	Text       string               `json:"text"`
	// Tokens are those that the agent has counted, nil if it has not. Agents differ in
	// whether they count those of the turn, or of the session so far.
	Tokens *acpclient.Usage `json:"tokens,omitempty"`
}

// ToolCall is one call of a tool in short. Status is that of the protocol, or
// "rejected" or "cancelled".
type ToolCall struct {
	ID     acpclient.ToolCallID `json:"id,omitempty"`
	Title  string               `json:"title"`
	Kind   acpclient.ToolKind   `json:"kind"`
	Status string               `json:"status"`
}

// Denial is something that the agent wanted to do and that was denied.
type Denial struct {
	ToolCallID acpclient.ToolCallID `json:"toolCallId,omitempty"`
	Title      string               `json:"title"`
	Kind       acpclient.ToolKind   `json:"kind"`
	// Rule is the rule that denied it, "" if none did. Then Allow are the rules that
	// would have allowed it; none if no rule can.
	Rule  string   `json:"rule,omitempty"`
	Allow []string `json:"allow,omitempty"`
}

// report fills in what is known at the end.
func (r *run) report() {
	c, out := r.conv, &r.result
	if r.bypassed && out.Status != Failed && out.Status != BadUsage {
		message := "the agent did what a rule denies"
		if out.Message != "" && out.Status != PermissionDenied && out.Status != InputNeeded {
			message += "; " + out.Message
		}
		out.Status, out.Message = Bypassed, message
	}
	out.Agent = AgentInfo{c.Agent.Info.Name, c.Agent.Info.Version}
	out.SessionID, out.Cwd, out.Usage, out.Mode = c.ID, c.Cwd, c.Usage, c.Unasked()
	if n := len(out.Turns); n > 0 {
		out.StopReason, out.Text = out.Turns[n-1].StopReason, out.Turns[n-1].Text
	}
	for _, path := range out.FilesWritten {
		r.tell("wrote: " + termtext.VisibleLine(path))
	}
	for _, command := range out.CommandsRun {
		r.tell("ran: " + termtext.Truncate(termtext.VisibleLine(command), maxFace, "…"))
	}
	if r.turns == 0 {
		return
	}
	for _, item := range c.Items[r.begun:] {
		if t, ok := item.(*conversation.ToolCall); ok {
			out.ToolCalls = append(out.ToolCalls, ToolCall{t.ID, t.Title, t.Kind, t.State()})
		}
	}
}

// words returns an error for people: of the agent's error, without its data.
func words(err error) string {
	if err == nil {
		return "no reason given"
	}
	if answer, is := errors.AsType[*acpclient.Error](err); is {
		return strings.Replace(err.Error(), answer.Error(), answer.Words(), 1)
	}
	return err.Error()
}

// Status is how the work has ended.
type Status string

// The ways in which the work can end.
const (
	Answered         Status = "answered"
	Failed           Status = "failed"
	BadUsage         Status = "bad_usage"
	Refused          Status = "refused"
	Cancelled        Status = "cancelled"
	PermissionDenied Status = "permission_denied"
	AgentFailed      Status = "agent_failed"
	SignInNeeded     Status = "sign_in_needed"
	TimedOut         Status = "timeout"
	InputNeeded      Status = "input_needed"
	Incomplete       Status = "incomplete"
	Bypassed         Status = "rule_bypassed"
	OverBudget       Status = "over_budget"
	LimitReached     Status = "limit_reached"
	CheckFailed      Status = "check_failed"
)

// Outcome says what a Status means to a program and to people.
type Outcome struct {
	Status Status
	// Code is the exit code of the program.
	Code  int
	Means string
}

// Outcomes lists every way a run or a comparison can end, by exit code.
// The guide has the same table.
var Outcomes = []Outcome{
	{Answered, 0, "every prompt was answered, and only rules denied anything"},
	{Failed, 1, "parley failed, such as by a mistake in the configuration"},
	{BadUsage, 2, "bad flags, or a mode or option that the agent does not have"},
	{Refused, 3, "the agent refused to continue"},
	{Cancelled, 4, "interrupted, or cancelled by the agent"},
	{PermissionDenied, 5, "no rule allows something, or a denial ended the turn"},
	{AgentFailed, 6, "the agent did not start, exited, or answered with an error"},
	{SignInNeeded, 7, "the agent wants you to sign in"},
	{TimedOut, 8, "--timeout expired"},
	{InputNeeded, 9, "the agent wanted a form filled in, or the queue is paused"},
	{Incomplete, 10, "a limit of tokens, requests or --max-turns was reached"},
	{Bypassed, 11, "the agent did what a rule denies; --sandbox confines it"},
	{OverBudget, 12, "--max-cost, or the budget of the configuration, is used up"},
	{LimitReached, 13, "a limit of your plan is reached; --wait-for-limit waits"},
	{CheckFailed, 14, "parley compare: no agent has passed --check"},
}

// ExitCode returns the exit code for a status.
func (s Status) ExitCode() int {
	for _, o := range Outcomes {
		if o.Status == s {
			return o.Code
		}
	}
	return 1
}

// Line is an event as a line of JSON, with its end: the line that
// [conversation.Encode] makes of it, in which control and format characters are
// escaped. It can be shown on a terminal, and decoded by [conversation.Decode].
func Line(e conversation.Event) ([]byte, error) {
	line, err := conversation.Encode(e)
	if err != nil {
		return nil, err
	}
	return append(termtext.JSON(line), '\n'), nil
}

// clean returns the result without control characters and hidden ones in its texts.
func (r *Result) clean() *Result {
	c := *r
	c.Message, c.Text, c.Stderr = termtext.Block(r.Message), termtext.Block(r.Text), termtext.Block(r.Stderr)
	c.Agent = AgentInfo{termtext.Line(r.Agent.Name), termtext.Line(r.Agent.Version)}
	c.Turns, c.ToolCalls, c.Denied = slices.Clone(r.Turns), slices.Clone(r.ToolCalls), slices.Clone(r.Denied)
	for i := range c.Turns {
		c.Turns[i].Text = termtext.Block(c.Turns[i].Text)
	}
	for i := range c.ToolCalls {
		c.ToolCalls[i].Title = termtext.Line(c.ToolCalls[i].Title)
	}
	for i := range c.Denied {
		c.Denied[i].Title = termtext.Line(c.Denied[i].Title)
	}
	c.FilesWritten, c.CommandsRun = slices.Clone(r.FilesWritten), slices.Clone(r.CommandsRun)
	for _, texts := range [][]string{c.FilesWritten, c.CommandsRun} {
		for i := range texts {
			texts[i] = termtext.Block(texts[i])
		}
	}
	return &c
}

// Line is the result as the last line of a stream of events, with its end. It looks
// like an event, and is none: [conversation.Decode] says that it does not know it.
func (r *Result) Line() ([]byte, error) {
	return termtext.EncodeJSON(struct {
		Version int     `json:"v"`
		Event   string  `json:"event"`
		Data    *Result `json:"data"`
	}{conversation.CodecVersion, "run_ended", r.clean()}, "")
}

// JSON returns the result as an indented object with a line end.
func (r *Result) JSON() ([]byte, error) { return termtext.EncodeJSON(r.clean(), "  ") }
