// Package linemode is parley as plain lines of text, which never move or change once
// written. It is for screen readers and simple terminals.
//
// A question has numbered choices, and the user types a line to answer it. A line answers a
// question only if it was begun after parley asked for the answer, a moment after it wrote
// the question. Anything typed earlier becomes a prompt or is dropped, and parley says
// which.
package linemode

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
)

const (
	// lookTime is the delay between writing a question and asking for the answer.
	lookTime = 450 * time.Millisecond
	// againTime is the longest time between two ctrl+c that quit.
	againTime = 2 * time.Second
	// quietTime is how long parley waits for the rest of a line that an agent sends outside
	// a turn, where nothing marks its end.
	quietTime = 500 * time.Millisecond
)

// Options configure the program.
type Options struct {
	app.Backend
	// Agent, if not nil, is started at once.
	Agent *config.Agent
	// Open is the stored session to begin with; Pick lists all of them.
	Open *app.Spec
	Pick bool
	// Prompt, if not empty, is the first prompt.
	Prompt string
	// Cwd is the directory whose sessions are listed.
	Cwd     string
	Version string

	// Terminal means that In is a terminal: it echoes the typed lines, and its end means that
	// the user quits.
	In       io.Reader
	Out      io.Writer
	Terminal bool
	// Interrupts cancel the turn and, the second time, quit. Continued reports that a stopped
	// program continues. Both may be nil.
	Interrupts, Continued <-chan os.Signal
	// After delays the answers to a question; nil is time.After.
	After func(time.Duration) <-chan time.Time
}

// Left is the last session; its Cwd is "" if there was none.
type Left struct {
	app.Left
	// Unstarted means that the agent could not be started. The reason has been printed.
	Unstarted bool
}

// Run runs the program until the user quits or ctx ends, and stops every agent that it
// started. It fails if it cannot write the lines.
func Run(ctx context.Context, opt Options) (Left, error) {
	if opt.After == nil {
		opt.After = time.After
	}
	calm, hurry := context.WithCancel(context.Background())
	defer hurry()
	p := &program{
		ctx: ctx, calm: calm, hurry: hurry, opt: opt, in: newInput(opt.In, opt.Terminal),
		out: newPrinter(opt.Out, opt.Terminal), calls: make(chan func()), gone: make(chan struct{}),
	}
	if err := p.in.start(); err != nil {
		return Left{}, err
	}
	defer p.in.stop()
	p.begin()
	p.work()
	close(p.gone)
	p.dropOpening()
	left := p.close()
	if p.leaving != nil {
		<-p.leaving
	}
	if p.out.err != nil {
		return left, fmt.Errorf("write the output: %w", p.out.err)
	}
	return left, nil
}

// program is the state of Run. It belongs to one goroutine.
type program struct {
	ctx context.Context
	// calm is cancelled by hurry, after which the program does not wait for agents.
	calm  context.Context
	hurry context.CancelFunc
	opt   Options
	in    *input
	out   *printer
	calls chan func()   // results of background work
	gone  chan struct{} // closed when the program no longer reads calls

	// session is nil while the user chooses one, or reads one that cannot be continued. unstarted means that
	// its agent could not be started.
	session   *live
	unstarted bool
	leaving   <-chan struct{} // closed when all earlier sessions have ended; nil without any

	// opening makes the session that replaces the one that is shown, nil if there is none. It gets
	// held, the prompts of before, and all lines that are typed meanwhile.
	opening *app.Opening
	held    app.HeldPrompts

	question *question   // the open one, or nil
	own      []*question // parley's own queued questions
	listing  bool        // a list is loading from which the user chooses the session
	staying  *staying    // the list that stays although an item was chosen, nil without one
	hinted   bool        // the hint about earlier lines has been printed
	working  int         // number of background tasks
	draft    []string    // earlier lines of a prompt of several lines
	left     time.Time   // first of two ctrl+c, or zero
	ended    bool        // the input has ended
	quits    bool
}

// enter shows another session and its conversation; nil ends the last one and shows none. Nothing else
// changes the session.
func (p *program) enter(l *live, c *conversation.Conversation) {
	if old, open := p.live(); open {
		p.end(old.Session)
	}
	p.session, p.unstarted, p.question, p.staying = l, false, nil, nil
	p.out.show(c)
	if l != nil {
		l.enter()
	}
}

// live returns the open session, if there is one.
func (p *program) live() (l *live, open bool) { return p.session, p.session != nil }

// take handles the events of the session so far.
func (p *program) take() {
	if l, open := p.live(); open {
		l.take()
	}
}

// work runs until there is nothing left to do.
func (p *program) work() {
	quiet := time.NewTimer(time.Hour)
	defer quiet.Stop()
	for !p.quits && p.out.err == nil {
		p.settle()
		if p.quits {
			return
		}
		if p.out.waits() {
			quiet.Reset(quietTime)
		}
		lines := p.in.lines
		if p.listing || p.opening != nil { // they are for what comes
			lines = nil
		}
		var events <-chan struct{}
		var silent <-chan time.Time
		l, open := p.live()
		if open {
			events, silent = l.Session.Stream().Ready(), l.silence.C
		}
		select {
		case <-events:
			l.take()
		case line, more := <-lines:
			if !more {
				p.endOfInput()
				continue
			}
			p.line(line)
		case do := <-p.calls:
			p.working--
			do()
		case <-p.question.arming():
			p.arm()
		case <-quiet.C:
			p.out.flushHanging()
		case <-silent:
			l.saySilent()
		case <-p.opt.Interrupts:
			p.interrupt()
		case <-p.opt.Continued:
			p.out.again()
		case <-p.ctx.Done():
			p.quits = true
			p.hurry()
		}
	}
}

// inBackground calls do in the background, and its result on the program's goroutine, unless the
// program has ended.
func (p *program) inBackground(do func() func()) {
	p.working++
	go func() {
		then := do()
		select {
		case p.calls <- then:
		case <-p.gone:
		}
	}()
}

// settle updates the output and the open question, and asks for the next prompt.
func (p *program) settle() {
	p.out.items()
	p.ask()
	if p.question != nil || p.quits {
		return
	}
	switch l, open := p.live(); {
	case p.ended && p.working == 0 && (!open || !l.busy()):
		p.quits = true
	case open && l.idle() && !p.ended && p.working == 0: // else there is more to read first
		p.out.prompt("> ")
	}
}

// interrupt cancels the turn, and quits the second time.
func (p *program) interrupt() {
	p.out.broken() // the terminal has dropped the typed line
	p.draft = nil
	var turn conversation.Turn
	l, open := p.live()
	if open {
		turn = l.Conversation.Turn
	}
	again := !p.left.IsZero() && time.Since(p.left) < againTime // maybe before the session has said that it cancels
	switch {
	case turn.Running && turn.Cancelling.IsZero() && !again:
		session.Post(l.Session, session.Cancel{})
		p.left = time.Now()
		p.out.line("Cancelling. Press ctrl+c again to quit.")
	case again, turn.Running, p.ended:
		p.quits = true
		p.hurry()
	default:
		p.left = time.Now()
		p.out.line("Press ctrl+c again to quit.")
	}
}

// endOfInput quits: immediately if a user ended the input, otherwise when all work is
// done.
func (p *program) endOfInput() {
	p.in.lines = nil
	p.ended = true
	p.out.broken()
	switch {
	case p.opt.Terminal:
		p.quits = true
	case p.question != nil:
		p.out.line("The input has ended: no answer can come.")
		p.quits = true
	case p.draft != nil: // its last line ended with a backslash
		p.line(typed{})
	}
}

// end leaves a session in the background.
func (p *program) end(s app.Session) {
	p.ends(func(ctx context.Context) { app.Leave(ctx, s) })
}

// ends ends something in the background, and the program waits for it.
func (p *program) ends(do func(context.Context)) {
	before, ended := p.leaving, make(chan struct{})
	p.leaving = ended
	go func() {
		defer close(ended)
		ctx, cancel := context.WithTimeout(p.calm, app.StopTime)
		defer cancel()
		do(ctx)
		if before != nil {
			<-before
		}
	}()
}
