// Package linemode is parley as lines of text: nothing is drawn, nothing moves, and what
// was written once never changes. It is for screen readers, for terminals that can do
// no more, and for people who like it so.
//
// What the agent says is written by whole lines, as they are complete. Questions are
// written with numbers, and a line that is typed answers them. It looks at the same
// session and the same conversation as the screen does.
//
// A line answers a question only if it was begun after parley has asked for the answer,
// which it does a moment after the question was written. What was typed sooner is a
// prompt, or is dropped, and parley says which.
package linemode

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/tui/dialog"
	"parley/tui/theme"
	"parley/tui/toolview"
)

const (
	// againTime is how long the first of two ctrl+c counts.
	againTime = 2 * time.Second
	// quietTime is how long nothing may have come before the beginning of a line is
	// written that an agent sends outside of a turn: nothing says that it is whole.
	quietTime = 500 * time.Millisecond
)

// Options are what the program is started with.
type Options struct {
	app.Backend
	Config *config.Config
	// Agent, if there is one, is started at once.
	Agent *config.Agent
	// Open is a stored session to begin with; Pick lists those that there are.
	Open *app.Open
	Pick bool
	// Prompt, if not empty, is sent as soon as there is a session.
	Prompt string
	// Cwd is where sessions are looked for.
	Cwd     string
	Version string

	// In is where lines are read from, and Out where they are written to. Terminal says
	// that In is a terminal, which shows what is typed, and whose end is that of the
	// person and not that of a file.
	In       io.Reader
	Out      io.Writer
	Terminal bool
	// Interrupts ask to stop: the first one cancels the turn, another one leaves.
	// Continued says that the program was stopped and goes on. Both may be nil.
	Interrupts, Continued <-chan os.Signal
	// After is the clock that says when a question has been in sight for long enough to
	// be answered; nil is time.After.
	After func(time.Duration) <-chan time.Time
}

// Left is what the person left behind: the session of the end, whose Cwd is "" if there was
// none.
type Left struct {
	app.Left
	// Unstarted says that the agent could not be started, and that the person was told.
	Unstarted bool
}

// Run runs the program until the person leaves it or ctx ends, and ends every agent that
// it has started. The error says that the
// agents cannot be found, or the lines not be written.
func Run(ctx context.Context, opt Options) (Left, error) {
	if opt.After == nil {
		opt.After = time.After
	}
	var agents []config.Agent
	if opt.Available != nil {
		var err error
		if agents, err = opt.Available(); err != nil {
			return Left{}, err
		}
	}
	calm, hurry := context.WithCancel(context.Background())
	defer hurry()
	p := &program{
		ctx: ctx, calm: calm, hurry: hurry, opt: opt, agents: agents, out: newPrinter(opt.Out, opt.Terminal), conv: conversation.New(),
		guard: dialog.NewGuard(time.Now), theme: theme.New(true), calls: make(chan func()), gone: make(chan struct{}),
	}
	p.in = newInput(opt.In, opt.Terminal)
	if err := p.in.start(); err != nil {
		return Left{}, err
	}
	defer p.in.stop()
	p.begin()
	p.work()
	close(p.gone)
	left := p.close()
	if p.out.err != nil {
		return left, fmt.Errorf("the lines could not be written: %w", p.out.err)
	}
	return left, nil
}

// program is the state of Run. All of it belongs to one goroutine.
type program struct {
	ctx context.Context
	// calm ends, by hurry, when agents are not to be waited for.
	calm   context.Context
	hurry  context.CancelFunc
	opt    Options
	agents []config.Agent // to choose from
	in     *input
	out    *printer
	guard  *dialog.Guard
	theme  *theme.Theme
	calls  chan func()   // what commands bring that were run beside
	gone   chan struct{} // closed when nobody takes from calls any more

	agent   config.Agent
	session *session.Session // nil while there is none
	leaving <-chan struct{}  // closed when the sessions that were left have ended, nil if none was
	conv    *conversation.Conversation
	stored  store.ID
	reach   toolview.Reach
	mode    string // as it was told last

	question *question   // that is open, nil if none is
	own      []*question // of parley's own, that wait
	form     *form       // that is being filled in, nil if none is
	looking  bool        // where the paths of a question lead is being looked up
	signIn   *app.SignIn // nil unless the agent asks for it
	hinted   bool        // it was said that what was typed before does not count

	besides int                    // what is being done beside
	adds    *conversation.Terminal // whose output goes with the next prompt, nil if none does
	draft   []string               // lines that the next one goes on with
	waits   bool                   // what waits is not sent before the person says so
	direct  bool                   // a prompt is being sent that was just typed
	first   []string               // prompts that are sent when the session is open
	left    time.Time
	ended   bool // nothing more comes from the person
	over    bool
	// unstarted says that there is no session because the agent could not be started.
	unstarted bool
}

// env is what questions are made with.
func (p *program) env() dialog.Env {
	return dialog.Env{
		Theme: p.theme, Keys: p.opt.Config.Keys, Guard: p.guard, Cwd: p.conv.Cwd, Reach: &p.reach, Now: time.Now,
	}
}

// work goes on until there is nothing left to do.
func (p *program) work() {
	quiet := time.NewTimer(time.Hour)
	defer quiet.Stop()
	for !p.over && p.out.err == nil {
		p.settle()
		if p.over {
			return
		}
		if p.out.waits(p.conv) {
			quiet.Reset(quietTime)
		}
		var ready <-chan struct{}
		if p.session != nil {
			ready = p.session.Stream().Ready()
		}
		select {
		case <-ready:
			p.take()
		case line, more := <-p.in.lines:
			if !more {
				p.endOfInput()
				continue
			}
			p.line(line)
		case do := <-p.calls:
			p.besides--
			do()
		case <-p.question.arming():
			p.arm()
		case <-quiet.C:
			p.out.flushHanging(p.conv)
		case <-p.opt.Interrupts:
			p.interrupt()
		case <-p.opt.Continued:
			p.out.again()
		case <-p.ctx.Done():
			p.over = true
			p.hurry()
		}
	}
}

// beside runs what takes time on a goroutine of its own. What it returns is called on
// the program's, unless that has ended.
func (p *program) beside(do func() func()) {
	p.besides++
	go func() {
		then := do()
		select {
		case p.calls <- then:
		case <-p.gone:
		}
	}()
}

// settle brings what is asked, and the line for the next prompt, up to date.
func (p *program) settle() {
	p.out.items(p.conv)
	p.ask()
	if p.question != nil || p.over {
		return
	}
	switch {
	case p.ended && !p.busy():
		p.over = true
	case p.ready() && !p.ended && p.besides == 0 && p.running() == nil: // else more is to be read first
		p.out.prompt("> ")
	}
}

// ready reports whether a prompt would be sent at once.
func (p *program) ready() bool {
	return p.session != nil && p.conv.Phase == conversation.PhaseReady && !p.conv.Turn.Running && len(p.first) == 0
}

// busy reports whether something goes on that the person may wait for.
func (p *program) busy() bool {
	if p.besides > 0 || p.running() != nil {
		return true
	}
	if p.session == nil {
		return false
	}
	switch p.conv.Phase {
	case conversation.PhaseStarting, conversation.PhaseOpening:
		return true
	case conversation.PhaseReady:
		return p.conv.Turn.Running || len(p.first) > 0 || len(p.conv.Queue) > 0 && !p.conv.QueuePaused
	}
	return false
}

// interrupt cancels the turn, and leaves the second time.
func (p *program) interrupt() {
	p.out.broken() // the terminal has dropped what was typed
	p.draft = nil
	switch {
	case p.session != nil && p.conv.Turn.Running && p.conv.Turn.Cancelling.IsZero():
		p.session.Cancel()
		p.left = time.Now()
		p.out.line("Cancelling. Press ctrl+c again to leave.")
	case !p.left.IsZero() && time.Since(p.left) < againTime, p.conv.Turn.Running, p.ended:
		p.over = true
		p.hurry()
	default:
		p.left = time.Now()
		p.out.line("Press ctrl+c again to leave.")
	}
}

// endOfInput leaves: at once if a person has ended it, else when what was asked for is
// done.
func (p *program) endOfInput() {
	p.in.lines = nil
	p.ended = true
	p.out.broken()
	switch {
	case p.opt.Terminal:
		p.over = true
	case p.question != nil:
		p.out.line("The input has ended, and nobody can answer.")
		p.over = true
	case p.draft != nil: // its last line says that it goes on, and that was all
		p.line(typed{})
	}
}

// close ends the agent, and says what is left.
func (p *program) close() Left {
	left := Left{Unstarted: p.unstarted}
	if p.session != nil {
		p.out.flush(p.conv)
		p.tellUnsent()
		p.out.line("Leaving.")
		left = p.leftBehind()
		p.end(p.session)
	}
	if p.leaving != nil {
		<-p.leaving
	}
	return left
}

// leftBehind says what is left of the session.
func (p *program) leftBehind() Left {
	return Left{app.Left{
		Title: "the session", Agent: p.agent, Session: app.ResumableID(p.conv),
		Stored: cmp.Or(app.StoredID(p.session), p.stored), Cwd: p.conv.Cwd,
	}, p.unstarted}
}

// end ends a session that is being left, beside what goes on.
func (p *program) end(s *session.Session) {
	before, ended := p.leaving, make(chan struct{})
	p.leaving = ended
	go func() {
		defer close(ended)
		ctx, cancel := context.WithTimeout(p.calm, app.StopTime)
		defer cancel()
		app.End(ctx, s)
		if before != nil {
			<-before
		}
	}()
}
