package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameTime is the minimum time between two frames that nobody waits for.
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

	width, height int
	drawn         time.Time // time of the last frame
	changed       bool      // since then
	sooner        int       // frames of the burst drawn since the last pause
	due           bool      // a dueMsg is pending
}

func (p *program) Init() tea.Cmd { return p.model.Init() }

// View implements [tea.Model]. It is empty, because the library must not draw.
func (p *program) View() tea.View { return tea.View{} }

func (p *program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	p.screen.silence()
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
	if m, ok := p.model.(Sparing); ok && !m.Changed() {
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
	if !p.changed || p.width == 0 || !p.screen.output.ready() {
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

// silence stops the ticker that the library starts for its renderer even without one.
// The method's other effect, releasing the terminal, does nothing because the library
// has none.
func (s *screen) silence() {
	s.quiet.Do(func() { go func() { _ = s.program.ReleaseTerminal() }() })
}
