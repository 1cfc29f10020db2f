// Package linemode is parley as lines of text: nothing moves, and a line never changes
// once it is written. It is for screen readers, for simple terminals, and for people who
// prefer it.
//
// It writes what the agent says line by line. A question has numbered choices, and the
// person types a line to answer it. Session and conversation are the same as on the screen.
//
// A line answers a question only if it was begun after parley asked for the answer, a
// moment after it wrote the question. Anything typed earlier is a prompt, or is dropped,
// and parley says which.
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
	"parley/tui/toolview"
)

const (
	// lookTime is how long a question is written before it can be answered.
	lookTime = 450 * time.Millisecond
	// againTime is how long the first of two ctrl+c counts.
	againTime = 2 * time.Second
	// quietTime is how long parley waits for the rest of a line that an agent sends outside
	// a turn, where nothing marks its end.
	quietTime = 500 * time.Millisecond
)

// Options configure the program.
type Options struct {
	app.Backend
	// Agent, if there is one, is started at once.
	Agent *config.Agent
	// Open is the stored session to begin with; Pick lists all of them.
	Open *app.Open
	Pick bool
	// Prompt, if not empty, is sent as soon as there is a session.
	Prompt string
	// Cwd is the directory whose sessions are listed.
	Cwd     string
	Version string

	// In and Out are the input and the output. Terminal means that In is a terminal: it
	// echoes what is typed, and its end means that the person leaves.
	In       io.Reader
	Out      io.Writer
	Terminal bool
	// Interrupts are requests to stop: the first cancels the turn, the next one quits.
	// Continued tells that a stopped program continues. Both may be nil.
	Interrupts, Continued <-chan os.Signal
	// After is the clock that tells when a question can be answered; nil is time.After.
	After func(time.Duration) <-chan time.Time
}

// Left is what the person left behind: the last session, whose Cwd is "" if there was none.
type Left struct {
	app.Left
	// Unstarted means that the agent could not be started, and that the person was told.
	Unstarted bool
}

// Run runs the program until the person leaves it or ctx ends, and ends every agent that it
// has started. It fails if it cannot find the agents or write the lines.
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
		ctx: ctx, calm: calm, hurry: hurry, opt: opt, agents: agents, in: newInput(opt.In, opt.Terminal),
		out: newPrinter(opt.Out, opt.Terminal), conv: conversation.New(), calls: make(chan func()), gone: make(chan struct{}),
	}
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
	// calm is cancelled by hurry, after which the program does not wait for agents.
	calm   context.Context
	hurry  context.CancelFunc
	opt    Options
	agents []config.Agent // to choose from
	in     *input
	out    *printer
	calls  chan func()   // from background work, for the goroutine of the program
	gone   chan struct{} // closed when nobody reads calls any more

	agent   config.Agent
	session *session.Session // nil while there is none
	leaving <-chan struct{}  // closed when all sessions that were left have ended; nil if there are none
	conv    *conversation.Conversation
	stored  store.ID
	reach   toolview.Reach
	// positions are those of changes whose question was compared with the files last.
	positions toolview.DiffPositions
	compared  *conversation.ToolCall
	mode      string // the last one written

	question *question   // the open one, or nil
	own      []*question // questions of parley's own that wait
	form     *form       // the open one, or nil
	looking  bool        // the paths of a question are being resolved
	signIn   *app.SignIn // nil unless the agent asks for it
	hinted   bool        // the person was told that earlier lines do not answer

	besides int                    // number of background tasks
	adds    *conversation.Terminal // whose output goes with the next prompt, or nil
	draft   []string               // the lines before the next one
	waits   bool                   // the queue waits for the person
	direct  bool                   // the prompt being sent was just typed
	held    app.HeldPrompts        // for the session that is being opened
	left    time.Time
	ended   bool // no more input comes
	over    bool
	// unstarted means that there is no session because the agent could not be started.
	unstarted bool
}

// work runs until there is nothing left to do.
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

// beside runs a function in the background. What it returns is called on the program's
// goroutine, unless the program has ended.
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

// settle updates the open question and the line for the next prompt.
func (p *program) settle() {
	p.out.items(p.conv)
	p.ask()
	if p.question != nil || p.over {
		return
	}
	switch {
	case p.ended && !p.busy():
		p.over = true
	case p.ready() && !p.ended && p.besides == 0 && p.running() == nil: // else there is more to read first
		p.out.prompt("> ")
	}
}

// ready reports whether a prompt would be sent immediately.
func (p *program) ready() bool {
	return p.session != nil && p.conv.Phase == conversation.PhaseReady && !p.conv.Turn.Running && !p.sends()
}

// busy reports whether the person may be waiting for something.
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
		return p.conv.Turn.Running || p.sends()
	}
	return false
}

// sends reports whether a queued prompt is sent without the user doing anything.
func (p *program) sends() bool {
	q := p.conv.Queue
	return len(q) > 0 && (!p.conv.QueuePaused || q[0].Now)
}

// interrupt cancels the turn, and quits the second time.
func (p *program) interrupt() {
	p.out.broken() // the terminal has dropped the typed line
	p.draft = nil
	switch {
	case p.session != nil && p.conv.Turn.Running && p.conv.Turn.Cancelling.IsZero():
		p.session.Cancel()
		p.left = time.Now()
		p.out.line("Cancelling. Press ctrl+c again to quit.")
	case !p.left.IsZero() && time.Since(p.left) < againTime, p.conv.Turn.Running, p.ended:
		p.over = true
		p.hurry()
	default:
		p.left = time.Now()
		p.out.line("Press ctrl+c again to quit.")
	}
}

// endOfInput quits: immediately if a person ended the input, otherwise when all work is
// done.
func (p *program) endOfInput() {
	p.in.lines = nil
	p.ended = true
	p.out.broken()
	switch {
	case p.opt.Terminal:
		p.over = true
	case p.question != nil:
		p.out.line("The input has ended: nobody can answer.")
		p.over = true
	case p.draft != nil: // its last line announced another one
		p.line(typed{})
	}
}

// close ends the agent and returns what is left.
func (p *program) close() Left {
	left := Left{Unstarted: p.unstarted}
	if p.session != nil {
		p.out.flush(p.conv)
		p.tellUnsent()
		p.out.line("Leaving.")
		left.Left = app.Left{
			Title: "the session", Agent: p.agent, Session: app.ResumableID(p.conv),
			Stored: cmp.Or(app.StoredID(p.session), p.stored), Cwd: p.conv.Cwd,
		}
		p.end(p.session)
	}
	if p.leaving != nil {
		<-p.leaving
	}
	return left
}

// end ends a session in the background.
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
