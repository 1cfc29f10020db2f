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
	uv "github.com/charmbracelet/ultraviolet"
)

// closeTime is how long the end waits for a terminal that takes nothing more.
const closeTime = 3 * time.Second

// Model is a program's state: what Bubble Tea calls by that name, but for the
// drawing.
type Model interface {
	// Init returns the first command.
	Init() tea.Cmd
	// Update takes a message and returns what to do because of it. It must not
	// wait for anything.
	Update(tea.Msg) tea.Cmd
	// Frame is what the terminal shall show now. It is asked for between two
	// calls of Update, and only if something may have changed. Its text must be
	// laid out by [cells.Safe], or by [cells.Graphemes] once the terminal has
	// reported mode 2027 ([tea.ModeReportMsg]).
	Frame() Frame
}

// Sparing is a model that knows when nothing has changed that is on the screen.
type Sparing interface {
	Model
	// Changed reports whether the last Update may have changed the frame.
	Changed() bool
}

// Staying is a model that has lines which stay on the terminal when the program ends: on
// one of which only a part is drawn on.
type Staying interface {
	Model
	// Stay is called when nothing is drawn any more.
	Stay() []string
}

// Options say which terminal to draw on. The zero value is that of the process.
type Options struct {
	// In and Out are the terminal; nil is standard input and output. If In is no
	// terminal, keys are read from the controlling one.
	In, Out *os.File
	// Env is the environment that describes the terminal; nil is the process's.
	Env []string
	// Glyphs is which characters the terminal shows. Those that it does not are
	// exchanged as they are drawn.
	Glyphs SymbolSet
	// Inline draws only at the end of what the terminal has shown so far, and leaves
	// the rest of it alone.
	Inline bool
}

// Run shows the model on the terminal until it quits or the context is
// cancelled. The terminal is as it was when Run returns, and also when the
// process dies.
func Run(ctx context.Context, m Model, o Options) error {
	s, err := open(o)
	if err != nil {
		return err
	}
	s.jobs.hear()
	defer s.jobs.end()
	defer s.close()
	width, height := s.tty.size()
	s.program = tea.NewProgram(&program{model: m, screen: s},
		tea.WithoutRenderer(), tea.WithFPS(1), tea.WithInput(nil), tea.WithOutput(io.Discard),
		tea.WithoutSignalHandler(), tea.WithFilter(s.filter),
		tea.WithEnvironment(s.env), tea.WithWindowSize(width, height))
	if err := s.take(); err != nil {
		return err
	}
	s.start(s.output.run)
	s.start(func() { s.mail.deliver(s.program, s.closed) })
	s.start(s.listen)
	defer context.AfterFunc(ctx, s.program.Quit)()
	_, err = s.program.Run()
	if m, stays := m.(Staying); stays && o.Inline {
		s.output.stay(m.Stay())
	}
	return errors.Join(err, s.failure())
}

// screen is a terminal that is taken for a program.
type screen struct {
	tty     *tty
	env     []string
	program *tea.Program
	mail    *mailbox
	input   *input
	output  *output
	stderr  stderr
	watch   *watch
	jobs    jobs
	quiet   sync.Once
	closed  chan struct{}
	running sync.WaitGroup

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
	s.output = newOutput(tty.out, newTerminal(o.Env, profile(tty.out, o.Env), o.Glyphs))
	if o.Inline {
		s.output.term.inline = &inline{}
	}
	s.output.painted = func() { s.mail.post(paintedMsg{}) }
	s.output.failed = s.fail
	s.input = newInput(tty, o.Env, s.mail.post, s.fail)
	return s, nil
}

// start runs f beside the program until the screen is closed.
func (s *screen) start(f func()) { s.running.Go(f) }

// take makes the terminal the program's own.
func (s *screen) take() error {
	if err := s.tty.raw(); err != nil {
		return err
	}
	s.stderr.open()
	give := undo
	if s.output.term.inline != nil {
		give = undoInline
	}
	s.watch = watchOver(s.tty, s.stderr.read, give)
	s.stderr.hold(s.watch != nil)
	s.jobs.taken.Store(true)
	s.output.enter()
	if err := s.input.start(); err != nil {
		return errors.Join(fmt.Errorf("read keys: %w", err), s.release())
	}
	return nil
}

// release gives the terminal back to whoever had it before.
func (s *screen) release() error {
	s.input.stop()
	s.output.leave()
	return s.givenBack()
}

// givenBack undoes what does not need the terminal to listen.
func (s *screen) givenBack() error {
	s.jobs.taken.Store(false)
	err := s.tty.restore()
	s.watch.end()
	s.watch = nil
	s.stderr.release()
	return err
}

// close gives the terminal back for good, even one that takes nothing any more.
func (s *screen) close() {
	s.input.stop()
	left := s.output.leaveFor(closeTime)
	_ = s.givenBack() // there is nobody left who could do something about it
	close(s.closed)
	s.output.close()
	if left { // else it is writing, perhaps for ever
		s.running.Wait()
	}
	s.stderr.show()
	s.tty.close()
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

func (s *screen) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// filter sees every message before the library and the model do. It runs on the
// program's own goroutine.
func (s *screen) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.ColorProfileMsg: // the library's is not about this terminal
		return tea.ColorProfileMsg{Profile: s.output.term.profile}
	case uv.DarkColorSchemeEvent:
		return BackgroundMsg{Dark: true}
	case uv.LightColorSchemeEvent:
		return BackgroundMsg{Dark: false}
	case tea.ModeReportMsg:
		s.output.reported(msg)
	case tea.SuspendMsg:
		s.suspend()
		return tea.ResumeMsg{}
	case continuedMsg:
		s.again()
		return tea.ResumeMsg{}
	case execMsg:
		return s.exec(msg)
	}
	switch seq, ok := sequence(msg); {
	case ok:
		s.output.say(seq)
		return nil
	case msg == tea.ClearScreen():
		s.output.forget()
	case msg == tea.RequestWindowSize():
		width, height := s.tty.size()
		return tea.WindowSizeMsg{Width: width, Height: height}
	}
	return msg
}
