// Package doctor examines an agent: it starts it, tries what it advertises, checks every
// message of it against the schema and the rules of the protocol, and reports what the
// agent's author can act on.
//
// There is one exam for all versions of the protocol. What differs between them is in
// the table of dialects (dialect.go) and in the table of rules (rule.go).
//
// The agent gets nothing of this machine: the doctor advertises neither files nor
// terminals nor forms, and never gives permission. The sessions work in a directory of
// their own. Without a prompt no model is asked.
package doctor

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/termtext"
)

// Options say what to examine, and how.
type Options struct {
	// Start starts the agent. It is called twice: the second agent is asked what could
	// confuse the first. The writer gets the agent's stderr.
	Start func(stderr io.Writer) (*Running, error)
	// Command is the agent's command as text, or URL where it listens.
	Command, URL string
	// Cwd is the directory of the sessions, an absolute path without symlinks.
	Cwd string
	// Timeout is how long the agent has for each answer. It must be more than 0.
	Timeout time.Duration
	// Prompt is sent twice, the second time to be cancelled, and a third time if that turn
	// seems to have ended by itself; "" sends none.
	// ScriptedPrompt sends prompts of the doctor's own.
	Prompt string
	// Protocol is the newest version of the protocol that the agent is offered: 2, or 1.
	Protocol int
	// Version is the version of the client.
	Version string
	// Wire, if not nil, gets every line of all runs as a line of JSON, with the numbers of
	// the report. It is untrusted text.
	Wire io.Writer
	// Progress, if not nil, is called with what is tried, from one goroutine.
	Progress func(what string)
}

// ScriptedPrompt sends the doctor's own prompts.
const ScriptedPrompt = "\x00scripted"

// The doctor's own prompts: one with a short answer, and one with a long answer.
const (
	shortPrompt = "This is a test of the connection. Answer with the single word: pong. Use no tools."
	longPrompt  = "This is a test of the connection. Count from 1 to 500, one number a line, and use no tools."
)

// Examine examines an agent. When ctx ends, it reports what was found until then. The
// error is one of writing to Wire.
func Examine(ctx context.Context, opt Options) (*Report, error) {
	report := &Report{
		V: ReportVersion, Command: termtext.VisibleLine(opt.Command), URL: termtext.VisibleLine(opt.URL), Capabilities: []Capability{}, SignIn: []string{},
		Deviations: []Finding{}, Notes: []Finding{}, Timings: []Timing{}, Tried: []string{}, NotTried: []string{},
	}
	e := &exam{opt: opt, report: report, ctx: ctx}
	e = e.nextRun(max(opt.Protocol, newestWithoutOffer))
	e.examine()
	if e.refused && ctx.Err() == nil {
		e = e.nextRun(newestWithoutOffer)
		e.examine()
	}
	if report.Outcome != NotExamined && ctx.Err() == nil {
		e = e.nextRun(e.offer)
		e.examineAgain()
	}
	if ctx.Err() != nil && report.Why == "" {
		report.Why = "the test was interrupted"
	}
	report.Lines = e.line
	report.settle()
	if e.wireErr != nil {
		return report, fmt.Errorf("write the wire log: %w", e.wireErr)
	}
	return report, nil
}

// newestWithoutOffer is the version that every agent speaks.
const newestWithoutOffer = 1

// nextRun makes the next run of the agent.
func (e *exam) nextRun(offer int) *exam {
	return &exam{
		opt: e.opt, report: e.report, referee: newReferee(e.report, offer), ctx: e.ctx,
		run: e.run + 1, offer: offer, line: e.line, wireErr: e.wireErr,
	}
}

// fail reports that the agent could not be examined.
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
		{"unknown methods and notifications", e.unknown},
		{"request ids of every type", e.ids},
		{"a second initialize", func() { e.call("initialize", e.hello(e.offer)); e.fence() }},
		{"sessions", e.sessions},
	} {
		if e.stopped() {
			break
		}
		e.say(step.name)
		step.try()
	}
	if e.unanswered >= patience {
		e.report.Why = fmt.Sprintf("the agent did not respond to %d requests in a row", e.unanswered)
	}
}

func (e *exam) say(what string) {
	if !slices.Contains(e.report.Tried, what) {
		e.report.Tried = append(e.report.Tried, what)
	}
	if e.opt.Progress != nil {
		e.opt.Progress(what)
	}
}

// end closes the agent's stdin and checks how it ends. An agent that listens keeps running.
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
	exited := false
	select {
	case <-e.agent.Done:
		exited = true
	default:
	}
	if !exited && e.ctx.Err() == nil {
		e.referee.finds(ruleExit, nil, "The agent is still running %v after its stdin was closed", min(e.opt.Timeout, exitTime))
	} else if exited && !e.report.has(ruleDied) {
		e.report.timing("stdin closed to exit", time.Since(began))
		if code := e.agent.ExitCode(); code != 0 {
			e.referee.finds(ruleExitCode, nil, "The agent exited with code %d when its stdin was closed", code)
		}
	}
	close(e.quit)
	e.agent.Stop(e.ctx)
	e.stderr()
}

// exitTime is how long an agent may take to end after its stdin is closed.
const exitTime = 10 * time.Second

func (r *Report) has(broken *Rule) bool {
	return slices.ContainsFunc(r.Deviations, func(f Finding) bool { return f.Rule == broken.ID })
}

// died reports that the agent has ended or closed its stdout by itself.
func (e *exam) died() {
	if e.agent.listens() {
		if e.report.Outcome != NotExamined { // which says why
			e.referee.finds(ruleDied, nil, "The connection ended after line %d: %v", e.line, e.agent.Lost())
		}
		return
	}
	select {
	case <-e.agent.Done:
		e.referee.finds(ruleDied, nil, "The agent exited with code %d after line %d", e.agent.ExitCode(), e.line)
	case <-time.After(quiet):
		e.referee.finds(ruleDied, nil, "The agent closed its stdout after line %d", e.line)
	}
}

// stderr checks what the agent wrote to stderr, and reports it if the agent failed.
func (e *exam) stderr() {
	if !utf8.ValidString(e.tail.String()) {
		e.referee.finds(ruleStderr, nil, "The agent's stderr is not UTF-8")
	}
	if r := e.report; r.Outcome == NotExamined || r.Why != "" || r.has(ruleDied) || r.has(ruleNew) || r.has(ruleExitCode) {
		e.keepStderr()
	}
}

// keepStderr reports what the agent wrote to stderr since the last request, in which it
// failed. What it wrote before is mostly about the doctor's probes.
func (e *exam) keepStderr() {
	if text := strings.TrimSpace(e.tail.since()); text != "" && e.report.Stderr == "" {
		e.report.Stderr = termtext.Visible(text)
	}
}
