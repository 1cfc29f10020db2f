// Package screen owns the terminal for a Bubble Tea program. Bubble Tea provides the
// event loop, commands and messages; its renderer, which draws on a clock, is off.
//
// screen draws a frame when there is something to draw: at once after input, otherwise
// when something may have changed and the last frame is old enough, and never before
// the terminal has taken the last one. Nothing runs while nothing happens. Drawing
// passes through:
//
//	program   asks the model for a frame, on the event loop
//	output    writes, on a goroutine of its own
//	terminal  turns a frame into bytes: title, mouse, cursor and so on, and
//	canvas    the cells, of which Ultraviolet's renderer finds those that differ
//
// Input goes the other way: input reads, decoder finds where keys, pastes, mouse events
// and the terminal's answers end, Ultraviolet knows what they mean, and mailbox passes
// them to the event loop as messages.
//
// However the program ends, the terminal is restored: see watch. Another program may
// borrow it (see [Exec]), and so may the shell while it has stopped the process. Output
// on standard error is held meanwhile, and shown once it cannot damage the screen.
//
// The package also knows every symbol that parley draws (see [SymbolSet]), and turns
// keys and pastes into the bytes that a program expects (see [KeyBytes]).
package screen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// closeTime bounds how long Run waits at its end for a blocked terminal.
const closeTime = 3 * time.Second

// Model is a program's state: Bubble Tea's Model with another way of drawing.
type Model interface {
	// Init returns the first command.
	Init() tea.Cmd
	// Update handles a message and returns the next command. It must not block.
	Update(tea.Msg) tea.Cmd
	// Frame returns what the terminal should show now. It is called between two calls
	// of Update, only if something may have changed. Lay its text out with
	// [termtext.Safe], or with [termtext.Graphemes] once the terminal has reported mode
	// 2027 ([tea.ModeReportMsg]).
	Frame() Frame
	// Changed reports whether the last Update may have changed the frame.
	Changed() bool
	// Stay returns the lines that stay on the terminal when the program ends, in inline
	// mode. It is called after the last frame.
	Stay() []string
}

// Options select the terminal. The zero value is the terminal of the process.
type Options struct {
	// In and Out are the terminal; nil means standard input and output. If In is not a
	// terminal, keys are read from the controlling one.
	In, Out *os.File
	// Env is the environment that describes the terminal; nil means the process's.
	Env []string
	// Symbols is the set of symbols that the terminal shows. Others are replaced when
	// drawn.
	Symbols SymbolSet
	// Inline draws only at the end of the terminal's output, and leaves the rest of the
	// screen alone.
	Inline bool
	// Shown is called once the first frame is on the terminal; nil calls nothing. What
	// the frame does not need can begin there.
	Shown func()
}

// Run shows the model on the terminal until it quits or the context is cancelled. It
// restores the terminal when it returns, and also when the process dies.
//
// The first frame comes first: whatever it does not need is begun after it.
func Run(ctx context.Context, m Model, o Options) error {
	s, err := open(o)
	if err != nil {
		return err
	}
	s.jobs.hear()
	defer s.jobs.end()
	defer s.close()
	p := &program{model: m, screen: s}
	width, height := s.tty.size()
	if err := s.take(func() { p.first(width, height) }); err != nil {
		return err
	}
	s.program = tea.NewProgram(p,
		tea.WithoutRenderer(), tea.WithFPS(1), tea.WithInput(nil), tea.WithOutput(io.Discard),
		tea.WithoutSignalHandler(), tea.WithFilter(s.filter),
		tea.WithEnvironment(s.env), tea.WithColorProfile(s.output.term.profile))
	if o.Shown != nil {
		o.Shown()
	}
	s.running.Go(s.output.run)
	s.running.Go(func() { s.mail.deliver(s.program, s.closed) })
	s.running.Go(s.listen)
	// The terminal may support more colours than the environment promises.
	if p := s.output.term.profile; p > colorprofile.ASCII && p < colorprofile.TrueColor {
		go func() { // inside tmux this runs a program, which may hang
			s.mail.post(tea.ColorProfileMsg{Profile: withoutColour(colorprofile.Detect(s.tty.out, s.env), s.env)})
		}()
	}
	defer context.AfterFunc(ctx, s.program.Quit)()
	_, err = s.program.Run()
	if o.Inline {
		s.output.stay(m.Stay())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(err, s.err)
}

// screen is a terminal taken for a program.
type screen struct {
	tty     *tty
	env     []string
	program *tea.Program
	mail    *mailbox
	input   *input
	output  *output
	stderr  stderr
	watch   *watch
	guards  sync.WaitGroup // one that is starting
	jobs    jobs
	quiet   sync.Once
	closed  chan struct{}
	running sync.WaitGroup // for whose goroutines the end of the screen waits

	borrowers []execMsg      // the first has the terminal
	lent      sync.WaitGroup // until that one is done

	mu  sync.Mutex
	err error
}

func open(o Options) (*screen, error) {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	tty, err := openTTY(o.In, o.Out)
	if err != nil {
		return nil, err
	}
	s := &screen{tty: tty, env: o.Env, mail: newMailbox(), jobs: newJobs(), closed: make(chan struct{})}
	s.output = newOutput(tty.out, newTerminal(o.Env, withoutColour(colorprofile.Env(o.Env), o.Env), o.Symbols))
	if o.Inline {
		s.output.term.inline = &inline{}
	}
	s.output.painted = func() { s.mail.post(paintedMsg{}) }
	s.output.failed, s.output.post = s.fail, s.mail.post
	s.input = &input{tty: tty, term: uv.Environ(o.Env).Getenv("TERM"), post: s.mail.post, failed: s.fail}
	return s, nil
}

// take takes the terminal for the program. show draws the first frame, if not nil.
func (s *screen) take(show func()) error {
	if err := s.tty.takeRaw(); err != nil {
		return fmt.Errorf("prepare the terminal: %w", err)
	}
	s.jobs.taken.Store(true)
	s.input.asked.ask()
	s.output.enter()
	if show != nil {
		show()
	}
	s.guards.Go(s.guard)
	return nil
}

// guard sees to it that the terminal is restored however the process ends, and then
// reads keys. It needs another process, for which neither the frame nor the messages of
// the program wait.
func (s *screen) guard() {
	s.stderr.open()
	restore := undo
	if s.output.term.inline != nil {
		restore = undoInline
	}
	s.watch = watchOver(s.tty, s.stderr.read, restore)
	s.stderr.hold(s.watch != nil)
	if err := s.input.start(); err != nil {
		s.fail(fmt.Errorf("read keys: %w", err))
	}
}

// release restores the terminal for its previous user.
func (s *screen) release() error {
	s.guards.Wait()
	s.input.stop()
	s.output.leave()
	return s.givenBack()
}

// givenBack restores what needs no output.
func (s *screen) givenBack() error {
	s.jobs.taken.Store(false)
	err := s.tty.giveBack()
	if err != nil {
		err = fmt.Errorf("give the terminal back: %w", err)
	}
	s.watch.end()
	s.watch = nil
	s.stderr.release()
	return err
}

// close releases the terminal for good, even a blocked one.
func (s *screen) close() {
	s.lent.Wait()
	s.guards.Wait()
	s.input.stop()
	left := s.output.leaveFor(closeTime)
	_ = s.givenBack() // there is no one left to handle an error
	close(s.closed)
	close(s.output.done)
	if left { // else it is still writing, perhaps forever
		s.running.Wait()
	}
	s.stderr.show()
	if s.tty.opened != nil {
		_ = s.tty.opened.Close()
	}
}

// fail ends the program because of an error.
func (s *screen) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		s.mail.post(tea.Quit())
	}
}

// filter sees every message before the library and the model do, on the program's own
// goroutine.
func (s *screen) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.ColorProfileMsg:
		if msg.Profile <= s.output.term.profile { // the library repeats the first one, at any time
			return nil
		}
		s.output.useProfile(msg.Profile)
	case tea.WindowSizeMsg:
		if msg == (tea.WindowSizeMsg{}) { // the library knows no terminal
			return nil
		}
	case uv.DarkColorSchemeEvent:
		return BackgroundMsg{Dark: true}
	case uv.LightColorSchemeEvent:
		return BackgroundMsg{Dark: false}
	case tea.ModeReportMsg:
		s.output.reported(msg)
	case tea.SuspendMsg:
		if s.isLent() { // stopped by listen, with the borrower
			return nil
		}
		s.suspend()
		return tea.ResumeMsg{}
	case continuedMsg:
		if s.isLent() {
			return nil
		}
		s.again()
		return tea.ResumeMsg{}
	case execMsg:
		s.exec(msg)
		return nil
	case returnedMsg:
		return s.returned(msg.err)
	case tea.RawMsg:
		s.output.say(fmt.Sprint(msg.Msg))
		return nil
	case queryMsg:
		s.input.asked.ask()
		s.output.say(string(msg) + ansi.RequestPrimaryDeviceAttributes)
		return nil
	}
	return msg
}
