package screen

import (
	"os"
	"os/exec"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// frameTime is the minimum time between two frames without input.
const frameTime = 33 * time.Millisecond

// After a pause of pauseTime, burst frames are drawn without waiting for frameTime, so
// that the steps of a start or an answer show at once. Messages that change nothing
// count too, and a start has a dozen of them.
const (
	pauseTime = 250 * time.Millisecond
	burst     = 16
)

// patience is the minimum age of the last frame for drawing one because of a Patient
// message.
const patience = 100 * time.Millisecond

// Patient is a recurring message that only animates something, such as a spinner. While
// other messages arrive it gets no frame of its own, and the next frame shows the
// change.
type Patient interface{ Patient() }

type (
	// dueMsg means that frameTime is over.
	dueMsg struct{}
	// paintedMsg means that the previous frame is on the terminal.
	paintedMsg struct{}
)

// program is the model as Bubble Tea sees it. It decides when to draw a frame: at once
// after input, otherwise when something may have changed and the last frame is old
// enough, and never before the terminal has taken the last one. So no clock runs while
// nothing happens, and a slow terminal gets fewer, but always current frames.
type program struct {
	model  Model
	screen *screen
	begin  tea.Cmd // of the first frame

	width, height int
	drawn         time.Time // time of the last frame
	changed       bool      // since then
	sooner        int       // frames of the burst drawn since the last pause
	due           bool      // a dueMsg is pending
}

// first shows the first frame before it returns. The library is not running yet.
func (p *program) first(width, height int) {
	colours := tea.ColorProfileMsg{Profile: p.screen.output.term.profile}
	size := tea.WindowSizeMsg{Width: width, Height: height}
	p.begin = tea.Batch(p.model.Init(), p.model.Update(colours), p.model.Update(size))
	p.width, p.height, p.changed = width, height, true
	p.draw()
	p.screen.output.paintNow()
}

func (p *program) Init() tea.Cmd { return p.begin }

// View implements [tea.Model]. It is empty, because the library must not draw.
func (p *program) View() tea.View { return tea.View{} }

func (p *program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	// Stop the ticker that the library starts for its renderer even without one. The
	// method's other effect, releasing the terminal, does nothing because the library has
	// none.
	p.screen.quiet.Do(func() { go func() { _ = p.screen.program.ReleaseTerminal() }() })
	switch msg := msg.(type) {
	case dueMsg:
		p.due = false
		p.draw()
		return p, nil
	case paintedMsg:
		p.draw()
		return p, nil
	case tea.WindowSizeMsg:
		p.width, p.height = msg.Width, msg.Height
	}
	cmd := p.model.Update(msg)
	if !p.model.Changed() {
		return p, cmd
	}
	p.changed = true
	if _, ok := msg.(Patient); !ok || time.Since(p.drawn) >= patience {
		p.pace(awaited(msg))
	}
	return p, cmd
}

// pace draws a frame now, or when it is due.
func (p *program) pace(awaited bool) {
	age := time.Since(p.drawn)
	if age >= pauseTime {
		p.sooner = 0
	}
	switch {
	case awaited || age >= frameTime:
		p.draw()
	case p.due:
	case p.sooner < burst:
		p.sooner++
		p.draw()
	default:
		p.due = true
		time.AfterFunc(frameTime-age, func() { p.screen.mail.post(dueMsg{}) })
	}
}

// awaited reports whether the user waits for the effect of a message.
func awaited(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyMsg, tea.PasteMsg, tea.MouseMsg, tea.WindowSizeMsg, tea.FocusMsg, tea.BlurMsg, tea.ResumeMsg, tea.ModeReportMsg:
		return true
	}
	return false
}

// draw passes a frame to the painter, unless that is still busy: it reports when it is
// done.
func (p *program) draw() {
	if !p.changed || p.width == 0 || p.screen.isLent() || !p.screen.output.ready() {
		return
	}
	p.changed, p.drawn = false, time.Now()
	f := p.model.Frame()
	p.screen.output.show(f, p.width, p.height)
	if f.More {
		p.changed = true
		if p.screen.output.ready() { // if painting was fast; else the painter reports it
			p.screen.mail.post(paintedMsg{})
		}
	}
}

// queryMsg is a query to write that the terminal answers.
type queryMsg string

// RequestBackgroundColor asks the terminal for its background: it answers with a
// [tea.BackgroundColorMsg]. The library's command of this name would be written with the
// next tick of its clock.
func RequestBackgroundColor() tea.Msg { return queryMsg(ansi.RequestBackgroundColor) }

// mailbox queues messages for the program. Posting never blocks. It is safe for
// concurrent use.
type mailbox struct {
	mu      sync.Mutex
	waiting []tea.Msg
	some    chan struct{}
}

func newMailbox() *mailbox { return &mailbox{some: make(chan struct{}, 1)} }

func (m *mailbox) post(msg tea.Msg) {
	if msg == nil {
		return
	}
	m.mu.Lock()
	m.waiting = append(m.waiting, msg)
	m.mu.Unlock()
	select {
	case m.some <- struct{}{}:
	default:
	}
}

// deliver sends messages to the program in order until done is closed.
func (m *mailbox) deliver(p *tea.Program, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-m.some:
		}
		m.mu.Lock()
		msgs := m.waiting
		m.waiting = nil
		m.mu.Unlock()
		for _, msg := range msgs {
			p.Send(msg)
		}
	}
}

// Borrower uses the terminal for a while.
type Borrower interface {
	// Run uses the terminal in and out, and returns when it needs it no more.
	Run(in, out *os.File) error
}

// Command is a program that gets the terminal itself, such as an editor. Only a program that
// the user chose may.
type Command struct{ *exec.Cmd }

// Run implements [Borrower]. It keeps streams that are set.
func (c Command) Run(in, out *os.File) error {
	if c.Stdin == nil {
		c.Stdin = in
	}
	if c.Stdout == nil {
		c.Stdout = out
	}
	if c.Stderr == nil {
		c.Stderr = os.Stderr
	}
	return c.Cmd.Run()
}

// execMsg asks to lend the terminal, returnedMsg says that the borrower is done.
type (
	execMsg struct {
		to   Borrower
		done tea.ExecCallback
	}
	returnedMsg struct{ err error }
)

// Exec lends the terminal, and takes it back when the borrower is done. Then done, which may be
// nil, makes a message of the borrower's error. Meanwhile messages are handled as always, but
// nothing is drawn; another borrower waits.
//
// Exec is for models of [Run], because [tea.ExecProcess] does not know their terminal.
func Exec(to Borrower, done tea.ExecCallback) tea.Cmd {
	return func() tea.Msg { return execMsg{to, done} }
}

// exec lends the terminal, unless a borrower has it.
func (s *screen) exec(m execMsg) {
	if s.borrowers = append(s.borrowers, m); len(s.borrowers) > 1 {
		return
	}
	err := s.release()
	s.lent.Go(func() {
		if err == nil {
			err = m.to.Run(s.tty.in, s.tty.out)
		}
		s.mail.post(returnedMsg{err})
	})
}

// isLent reports whether a borrower has the terminal.
func (s *screen) isLent() bool { return len(s.borrowers) > 0 }

// returned takes the terminal back and returns the message about it.
func (s *screen) returned(err error) tea.Msg {
	was, next := s.borrowers[0], s.borrowers[1:]
	s.borrowers = nil
	if failed := s.take(nil); failed != nil {
		s.fail(failed)
	}
	if was.done != nil {
		s.mail.post(was.done(err))
	}
	for _, m := range next {
		s.exec(m)
	}
	return tea.ResumeMsg{} // redraws everything
}
