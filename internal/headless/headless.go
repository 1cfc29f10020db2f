// Package headless works with an agent without a screen: it sends prompts, answers what
// can be answered without a user, and reports the result. It uses the same session and
// folds the same conversation as the screen.
//
// It denies what no rule allows, declines forms, and ends when the agent wants the user to
// sign in.
package headless

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

const (
	// cancelGrace is how long an agent has to end a turn that was cancelled.
	cancelGrace = 10 * time.Second
	// overtime replaces cancelGrace and app.StopTime once the time of the run is over.
	overtime = time.Second
	// bannerTime delays the first prompt, because nothing on the wire distinguishes an
	// agent's banner from its answer.
	bannerTime = 100 * time.Millisecond
)

// Options say what to do in a session.
type Options struct {
	// Prompts are sent one after the other; there is at least one. Each makes a turn.
	Prompts []string
	// Mode is the id or the name of the mode to set, "" for the agent's default.
	Mode string
	// Settings are made before the first prompt, in this order.
	Settings []Setting
	// MaxTurns limits how many prompts are sent; 0 means no limit.
	MaxTurns int
	// WaitsAtLimit means that the session waits for limits of the user's plan, and goes on.
	WaitsAtLimit bool
	// Timeout limits the time from the start to the last answer; 0 means no limit. An agent
	// that does not end soon afterwards is killed.
	Timeout time.Duration
	// Began is when the Timeout began; zero is the start.
	Began time.Time
	// Unruled means that no rule applies: every request is denied.
	Unruled bool
	// Interrupts ask to stop: the first one cancels the turn, the next one ends the
	// agent. It may be nil.
	Interrupts <-chan os.Signal

	// The functions below are called on the goroutine of Run, one at a time. Each may
	// be nil. When one returns an error, the work ends with it.

	// Answer gets the agent's messages of a turn, as Markdown, when the turn has ended.
	// They are untrusted.
	Answer func(markdown string) error
	// Event gets every event of the session.
	Event func(conversation.Event) error
	// Spent gets what the session has spent so far, as often as it may have changed.
	Spent func(conversation.Spent)
	// Tell gets warnings, and Progress a line for each tool call that has ended. Both are
	// sanitised.
	Tell, Progress func(line string)
}

// Run starts the session, does what the options say, and ends it. It stops when ctx ends. The session must have been made with Unattended, and must not have
// been started.
func Run(ctx context.Context, s app.Session, opt Options) *Result {
	r := newRun(opt)
	r.session = s
	session.Post(s, session.Start{})
	r.work(ctx)
	r.close()
	r.report()
	return &r.result
}

// Open starts a session, makes the settings of the options and leaves it to its viewers:
// it sends no prompt, and questions stay open. Unless it succeeds it ends the session,
// wherever that runs. The session must not have been started.
func Open(ctx context.Context, s app.Session, opt Options) *Result {
	opt.Prompts = nil
	r := newRun(opt)
	r.session, r.opens = s, true
	session.Post(s, session.Start{})
	r.work(ctx)
	if r.result.Status != Answered {
		ctx, cancel := context.WithTimeout(context.Background(), app.StopTime)
		defer cancel()
		_ = s.End(ctx) // it has failed already
		r.take()
	}
	r.report()
	return &r.result
}

// run is the state of Run.
type run struct {
	opt     Options
	opens   bool // the session goes on: see Open
	session app.Session
	conv    *conversation.Conversation
	result  Result

	settings []Setting // not made yet
	setting  acpclient.ConfigID
	value    acpclient.ConfigValue // of the setting
	sent     int                   // how many prompts were sent
	turns    int                   // how many turns have begun
	first    int                   // of the Items: where the running turn begins, or the last one began
	begun    int                   // of the Items: where the first turn begins

	cause  Status           // why the running turn was cancelled, "" if it was not
	why    string           // cause in words
	start  <-chan time.Time // when the first prompt is sent
	grace  <-chan time.Time // when the agent is killed if the turn has not ended
	over   bool
	atOnce bool // kill the agent instead of waiting for it

	answered map[int]bool // the questions that were answered here
	denied   bool         // something was denied because no rule allows it
	rejected Status       // why the running turn may end early: PermissionDenied or InputNeeded, "" if nothing was denied
	bypassed bool         // the agent did what a rule denies
	declined bool         // a form was refused
	told     map[*conversation.ToolCall]bool
}

func newRun(opt Options) *run {
	return &run{
		opt: opt, conv: conversation.New(),
		result:   Result{Version: ResultVersion, Turns: []Turn{}, ToolCalls: []ToolCall{}, Denied: []Denial{}, FilesWritten: []string{}, CommandsRun: []string{}},
		answered: map[int]bool{}, told: map[*conversation.ToolCall]bool{},
	}
}

// work goes on until there is nothing left to do.
func (r *run) work(ctx context.Context) {
	var deadline <-chan time.Time
	if r.opt.Timeout > 0 {
		left := r.opt.Timeout
		if !r.opt.Began.IsZero() {
			left = time.Until(r.opt.Began.Add(left))
		}
		t := time.NewTimer(left)
		defer t.Stop()
		deadline = t.C
	}
	for !r.over {
		select {
		case <-r.session.Stream().Ready():
			r.take()
		case <-deadline:
			r.cancel(TimedOut, fmt.Sprintf("timed out after %v", r.opt.Timeout))
		case <-r.opt.Interrupts:
			r.interrupt()
		case <-r.start:
			r.start = nil
			r.next()
		case <-r.grace:
			r.tell("The agent did not end the turn: stopping it")
			r.atOnce = true
			r.end(r.cause, r.why)
		case <-ctx.Done():
			r.end(Cancelled, "parley was terminated")
		}
	}
}

// interrupt stops politely at first.
func (r *run) interrupt() {
	if r.cause != "" {
		r.atOnce = true
		r.end(r.cause, r.why)
		return
	}
	r.cancel(Cancelled, "interrupted")
	if !r.over {
		r.tell("Cancelled: waiting for the agent to end the turn. Interrupt again to stop it at once")
	}
}

// cancel asks the agent to end the turn, and gives it some time. Without a turn the
// work ends.
func (r *run) cancel(cause Status, why string) {
	if r.cause != "" {
		return
	}
	r.cause, r.why = cause, why
	if running, err := session.Do(context.Background(), r.session, session.Cancel{}); err != nil || !running {
		r.end(cause, why)
		return
	}
	grace := cancelGrace
	if cause == TimedOut {
		grace = overtime
	}
	r.grace = time.After(grace)
}

// end ends the work. The first reason counts.
func (r *run) end(s Status, why string) {
	if !r.over {
		r.over = true
		r.result.Status, r.result.Message = s, why
	}
}

// close ends the agent, and takes what has still happened.
func (r *run) close() {
	patience := app.StopTime
	if r.result.Status == TimedOut {
		patience = overtime
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if r.atOnce {
		cancel()
	}
	r.session.Close(ctx)
	r.take()
	if r.inTurn() {
		r.noteTurn(conversation.TurnEnded{}) // it has not ended
	}
}

// take handles the events so far.
func (r *run) take() {
	for _, e := range r.session.Stream().Take() {
		if r.opt.Event != nil {
			r.failed(r.opt.Event(e))
		}
		r.apply(e)
	}
	if r.opt.Spent != nil {
		r.opt.Spent(r.conv.Spent())
	}
	if !r.over && !r.opens {
		r.answerQuestions()
	}
}

// failed ends the work if the result could not be handed on.
func (r *run) failed(err error) {
	if err != nil {
		r.end(Failed, "cannot write the output: "+err.Error())
	}
}

// observe folds an event, and notes what is reported of it.
func (r *run) observe(e conversation.Event) {
	switch e := e.(type) {
	case conversation.PromptSent:
		r.first = len(r.conv.Items)
		if r.turns++; r.turns == 1 {
			r.begun = r.first
		}
	case conversation.QuestionClosed:
		r.noteDenial(e)
	case conversation.NoticeAdded:
		r.bypassed = r.bypassed || e.Title == session.DeniedDone
	case conversation.FileWritten:
		addOnce(&r.result.FilesWritten, e.Path)
	case conversation.TerminalCreated:
		addOnce(&r.result.CommandsRun, e.Command)
	}
	r.conv.Apply(e)
	if r.over {
		return
	}
	switch e := e.(type) {
	case conversation.SessionOpening:
		if e.Clear { // the items before it are gone
			r.first, r.begun = 0, 0
		}
	case conversation.Update:
		r.progress(e)
	case conversation.TurnEnded:
		if r.inTurn() { // else its agent had gone before
			r.noteTurn(e)
			r.setStatus(r.statusOf(e))
		}
	case conversation.AgentLost:
		r.result.Stderr = e.Stderr
		open := r.inTurn()
		if open {
			r.noteTurn(conversation.TurnEnded{})
		}
		if open || r.turns == 0 {
			r.setStatus(AgentFailed, gone(r.conv)+words(e.Err))
		}
	}
}

// inTurn reports whether a turn has begun and not been noted.
func (r *run) inTurn() bool { return r.turns > len(r.result.Turns) }

// setStatus notes how a turn has ended: that of the last one counts.
func (r *run) setStatus(s Status, why string) {
	if !r.over {
		r.result.Status, r.result.Message = s, why
	}
}

func addOnce(list *[]string, text string) {
	if !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}

// apply observes an event, and does what follows from it.
func (r *run) apply(e conversation.Event) {
	r.observe(e)
	if n, ok := e.(conversation.NoticeAdded); ok {
		r.notice(n) // also at the end: of what the agent has left behind, for instance
	}
	if r.over {
		return
	}
	switch e := e.(type) {
	case conversation.SessionOpened:
		r.configure()
	case conversation.OptionSettled:
		r.settled(e)
	case conversation.TurnEnded:
		r.turnEnded()
	case conversation.LimitWait:
		if !e.Until.IsZero() {
			r.tell(app.LimitWaitText(r.conv, time.Now()))
		}
	case conversation.BudgetReached:
		r.end(OverBudget, "the budget is used up: "+r.conv.BudgetWords())
	case conversation.AuthRequired: // no user is there to sign in
		why := "the agent wants you to sign in first"
		if e.Message != "" {
			why += ": " + e.Message
		}
		r.end(SignInNeeded, why)
	case conversation.SessionFailed:
		r.end(AgentFailed, "the agent could not open the session: "+words(e.Err))
	case conversation.AgentLost:
		if r.cause != "" {
			r.end(r.cause, r.why)
		}
		r.end(AgentFailed, gone(r.conv)+words(e.Err))
	}
}

// gone begins the message on an agent that is gone.
func gone(c *conversation.Conversation) string {
	if c.Phase == conversation.PhaseFailed {
		return "the agent could not be started: "
	}
	return "the agent exited: "
}

// next sends the next prompt, or ends the work when every prompt was answered.
func (r *run) next() {
	rest := len(r.opt.Prompts) - r.sent
	switch {
	case rest == 0 && r.denied:
		r.end(PermissionDenied, "the agent answered, but a request was denied")
	case rest == 0 && r.declined:
		r.end(InputNeeded, "the agent answered, but it wanted a form filled in")
	case rest == 0:
		r.end(Answered, "")
	case r.opt.MaxTurns > 0 && r.sent == r.opt.MaxTurns:
		r.end(Incomplete, fmt.Sprintf("reached --max-turns (%d): %s not sent", r.sent, termtext.Count(rest, "prompt")))
	default:
		r.rejected = ""
		session.Post(r.session, session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(r.opt.Prompts[r.sent])}}})
		r.sent++
	}
}

// turnEnded sends the next prompt if the turn ended well.
func (r *run) turnEnded() {
	switch status := r.result.Status; {
	case r.cause != "":
		r.end(r.cause, r.why)
	case status == Answered:
		r.next()
	case status == LimitReached && r.opt.WaitsAtLimit: // the session sends the prompt again
	case status == Cancelled && r.rejected == PermissionDenied:
		r.end(PermissionDenied, "the agent ended the turn because a request was denied")
	case (status == Cancelled || status == AgentFailed) && r.rejected == InputNeeded:
		r.end(InputNeeded, "the agent ended the turn because a form was declined")
	default:
		r.end(status, r.result.Message)
	}
}

// noteTurn hands on what the agent has said in a turn.
func (r *run) noteTurn(e conversation.TurnEnded) {
	r.progressAll()
	t := Turn{StopReason: e.Reason, Tokens: e.Usage, Text: conversation.AnswerOf(r.conv.Items[r.first:])}
	r.result.Turns = append(r.result.Turns, t)
	if r.opt.Answer != nil && t.Text != "" {
		r.failed(r.opt.Answer(t.Text))
	}
}

// Setting is an option and the value that it is to have, each by its id or its name.
type Setting struct{ Option, Value string }

// configure starts applying the settings when the session is open.
func (r *run) configure() {
	if r.opt.Mode != "" {
		o := r.conv.OptionByCategory(acpclient.CategoryMode)
		if o == nil {
			r.end(BadUsage, "the agent has no modes: leave out --mode")
			return
		}
		r.settings = append(r.settings, Setting{string(o.ID), r.opt.Mode})
	}
	r.settings = append(r.settings, r.opt.Settings...)
	r.set()
}

// set applies the next setting. After the last one it schedules the first prompt.
func (r *run) set() {
	if len(r.settings) == 0 {
		r.start = time.After(bannerTime)
		return
	}
	s := r.settings[0]
	r.settings = r.settings[1:]
	o := conversation.OptionNamed(r.conv.Options, s.Option)
	if o == nil {
		var names []string
		for _, o := range r.conv.Options {
			names = append(names, conversation.OptionWord(o.ID))
		}
		r.end(BadUsage, fmt.Sprintf("the agent has no option %q; it has %s", s.Option, cmp.Or(strings.Join(names, ", "), "none")))
		return
	}
	v, ok := conversation.ValueNamed(o, s.Value)
	if !ok {
		names := []string{"on", "off"}
		if o.Type != acpclient.ConfigBoolean {
			names = nil
			for _, v := range o.Options.All() {
				names = append(names, string(v.Value))
			}
		}
		r.end(BadUsage, fmt.Sprintf("%s cannot be %q; it can be %s", o.Name, s.Value, strings.Join(names, ", ")))
		return
	}
	r.setting, r.value = o.ID, v
	session.Post(r.session, session.SetOption{Option: o.ID, Value: v})
}

// settled handles the agent's answer to a setting.
func (r *run) settled(e conversation.OptionSettled) {
	if e.Option != r.setting || e.Value != r.value { // of the configuration, for instance
		return
	}
	r.setting = ""
	if e.Err != nil {
		r.end(AgentFailed, fmt.Sprintf("the agent rejected the value for %s: %s", conversation.OptionWord(e.Option), words(e.Err)))
		return
	}
	r.set()
}
