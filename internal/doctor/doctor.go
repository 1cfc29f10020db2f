// Package doctor examines an agent: it starts it, tries what it advertises, holds every
// message of it against the schema and the rules of the protocol, and reports what the
// agent's author can act on.
//
// The agent gets nothing of this machine: neither files nor terminals nor forms are
// advertised, and permission is never given. Its sessions work in a directory of their
// own. Without a prompt no model is asked.
package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/termtext"
)

// Options say what to examine, and how.
type Options struct {
	// Start starts the agent, which is done twice: the second one is asked what could
	// confuse the first. What it writes to stderr goes to the writer.
	Start func(stderr io.Writer) (*Running, error)
	// Command is the agent's command for people, or URL where it listens.
	Command, URL string
	// Cwd is the directory of the sessions, an absolute path without links in it.
	Cwd string
	// Timeout is how long the agent has for each answer. It is more than 0.
	Timeout time.Duration
	// Prompt is sent as a turn, and again to be cancelled; "" sends none. With
	// ScriptedPrompt each is one of the doctor's own.
	Prompt string
	// Protocol is the newest version of the protocol that the agent is offered: 2, or 1.
	Protocol int
	// Version is that of the client, as the agent is told.
	Version string
	// Wire, if not nil, gets every line of both runs as a line of JSON; the numbers are those
	// of the report. It is untrusted text.
	Wire io.Writer
	// Progress, if not nil, is told what is tried. It may be called from one goroutine.
	Progress func(what string)
}

// ScriptedPrompt has the doctor's own prompts sent.
const ScriptedPrompt = "\x00scripted"

// The doctor's own prompts: one that is soon answered, and one that is not.
const (
	shortPrompt = "This is a test of the connection. Answer with the single word: pong. Use no tools."
	longPrompt  = "This is a test of the connection. Count from 1 to 500, one number a line, and use no tools."
)

// Running is an agent that runs, or the connection to one that listens.
type Running struct {
	Stdin  io.WriteCloser
	Stdout io.Reader
	// Done is closed when the agent has ended, and ExitCode says then how: -1 if a signal
	// has ended it.
	Done     <-chan struct{}
	ExitCode func() int
	// Lost says of an agent that listens why the connection to it was lost. It is nil of one
	// that was started.
	Lost func() error
	// Unordered says that its messages may come in another order than they were sent in.
	Unordered bool
	// Stop ends it, the harder the sooner ctx ends.
	Stop func(ctx context.Context)
}

// listens reports whether the agent was connected to, and not started.
func (r *Running) listens() bool { return r.Lost != nil }

// Examine examines an agent. The end of ctx ends that, and what was found is reported. The
// error is that of writing to Wire.
func Examine(ctx context.Context, opt Options) (*Report, error) {
	report := &Report{
		V: ReportVersion, Command: termtext.VisibleLine(opt.Command), URL: termtext.VisibleLine(opt.URL), Capabilities: []Capability{}, SignIn: []string{},
		Deviations: []Finding{}, Notes: []Finding{}, Timings: []Timing{}, Tried: []string{}, NotTried: []string{},
	}
	e := newExam(ctx, opt, report)
	e.examine()
	if e.refused && ctx.Err() == nil {
		e = e.again(newestWithoutOffer)
		e.examine()
	}
	if !report.failed() && ctx.Err() == nil {
		e = e.again(e.offer)
		e.examineAgain()
	}
	if ctx.Err() != nil && report.Why == "" {
		report.Why = "the examination was interrupted"
	}
	report.Lines = e.line
	report.settle()
	if e.wireErr != nil {
		return report, fmt.Errorf("write the file of the wire: %w", e.wireErr)
	}
	return report, nil
}

// newestWithoutOffer is the version that every agent takes.
const newestWithoutOffer = 1

func newExam(ctx context.Context, opt Options, report *Report) *exam {
	offer := max(opt.Protocol, newestWithoutOffer)
	return &exam{opt: opt, report: report, referee: newReferee(report, offer), ctx: ctx, cwd: opt.Cwd, run: 1, offer: offer}
}

// again is the next run of the agent.
func (e *exam) again(offer int) *exam {
	return &exam{
		opt: e.opt, report: e.report, referee: newReferee(e.report, offer), ctx: e.ctx, cwd: e.cwd,
		run: e.run + 1, offer: offer, line: e.line, wireErr: e.wireErr,
	}
}

// failed reports that the agent could not be examined.
func (r *Report) failed() bool { return r.Outcome == NotExamined }

func (r *Report) fail(format string, args ...any) {
	r.Outcome, r.Why = NotExamined, short(fmt.Sprintf(format, args...), 300)
}

// examine is the first run of the agent: all of it.
func (e *exam) examine() {
	if err := e.start(); err != nil {
		e.report.fail("%v", err)
		return
	}
	defer e.end()
	e.say("initialize")
	if !e.initialize() {
		return
	}
	for _, step := range []struct {
		name string
		try  func()
	}{
		{"methods and notifications that nobody knows", e.unknown},
		{"ids of all kinds", e.ids},
		{"a second initialize", e.initializeAgain},
		{"sessions", e.sessions},
	} {
		if e.stopped() {
			break
		}
		e.say(step.name)
		step.try()
	}
	if e.unanswered >= patience {
		e.report.Why = fmt.Sprintf("the agent has left %d requests without an answer, one after the other", e.unanswered)
	}
}

func (e *exam) say(what string) {
	e.report.tried("%s", what)
	if e.opt.Progress != nil {
		e.opt.Progress(what)
	}
}

// end closes the agent's stdin, and looks at how it ends. The server of one that listens
// goes on.
func (e *exam) end() {
	if e.gone && !e.ending {
		e.died()
	}
	if e.agent.listens() {
		e.endQuietly()
		return
	}
	e.ending = true
	close(e.out)
	began := time.Now()
	e.until(min(e.opt.Timeout, exitTime), func() bool { return e.gone })
	select {
	case <-e.agent.Done:
	case <-time.After(max(min(e.opt.Timeout, exitTime)-time.Since(began), 0)):
	}
	exited := isClosed(e.agent.Done) // it may have ended at the last moment
	if !exited && e.ctx.Err() == nil {
		e.referee.finds(ruleExit, nil, "The agent still runs %v after its stdin was closed", min(e.opt.Timeout, exitTime))
	} else if exited && !e.report.has(ruleDied) {
		e.report.timing("stdin closed to exit", time.Since(began))
		if code := e.agent.ExitCode(); code != 0 {
			e.referee.finds(ruleExitCode, nil, "The agent ends with the exit code %d when its stdin is closed", code)
		}
	}
	close(e.quit)
	e.agent.Stop(e.ctx)
	e.stderr()
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// exitTime is how long an agent has to end when its stdin is closed. Some need seconds to
// notice.
const exitTime = 10 * time.Second

func (r *Report) has(broken *Rule) bool {
	for _, f := range r.Deviations {
		if f.Rule == broken.ID {
			return true
		}
	}
	return false
}

// died reports that the agent has ended by itself, or does not speak any more.
func (e *exam) died() {
	if e.agent.listens() {
		if !e.report.failed() { // which says why
			e.referee.finds(ruleDied, nil, "The connection has ended after line %d: %v", e.line, e.agent.Lost())
		}
		return
	}
	select {
	case <-e.agent.Done:
		e.referee.finds(ruleDied, nil, "The agent has ended, with the exit code %d, after line %d", e.agent.ExitCode(), e.line)
	case <-time.After(quiet):
		e.referee.finds(ruleDied, nil, "The agent has closed its stdout, after line %d", e.line)
	}
}

// stderr takes what the agent wrote there.
func (e *exam) stderr() {
	text := e.tail.String()
	if !utf8.ValidString(text) {
		e.referee.finds(ruleStderr, nil, "What is written to stderr is not UTF-8")
	}
	if text = strings.TrimSpace(text); text != "" && e.report.Stderr == "" {
		e.report.Stderr = termtext.Visible(text)
	}
}
