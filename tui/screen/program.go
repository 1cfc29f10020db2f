package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameTime is the least time between two frames that nobody waits for.
const frameTime = 33 * time.Millisecond

// Of what comes after a pause of pauseTime, burst frames are drawn without waiting
// for frameTime: the steps of a start, or of an answer, are seen at once. Messages
// that change nothing count as well, and a start has a dozen of them.
const (
	pauseTime = 250 * time.Millisecond
	burst     = 16
)

// patience is how old the last frame is at least when one is drawn because of a
// Patient message.
const patience = 100 * time.Millisecond

// Patient is a message that comes again and again, and only moves what moves by
// itself, such as a spinner. It gets no frame of its own while others come: the
// next one shows what it has changed.
type Patient interface{ Patient() }

type (
	// dueMsg says that frameTime is over.
	dueMsg struct{}
	// paintedMsg says that the frame before is on the terminal.
	paintedMsg struct{}
)

// program is the model as Bubble Tea sees it. It decides when a frame is drawn:
// at once after input, else when something may have changed and the last frame
// is old enough, and never before the terminal has taken the last one. So no
// clock runs while nothing happens, and a slow terminal gets fewer frames, each
// of them the newest.
type program struct {
	model  Model
	screen *screen

	width, height int
	drawn         time.Time // the last frame
	changed       bool      // since then
	sooner        int       // frames of the burst that were drawn since the last pause
	due           bool      // a dueMsg is under way
}

// Init implements [tea.Model].
func (p *program) Init() tea.Cmd { return p.model.Init() }

// View implements [tea.Model]. The library draws nothing.
func (p *program) View() tea.View { return tea.View{} }

// Update implements [tea.Model].
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

// pace draws a frame now, or when it may be drawn.
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

// awaited reports messages whose effect a person waits for.
func awaited(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyMsg, tea.PasteMsg, tea.MouseMsg, tea.WindowSizeMsg, tea.FocusMsg, tea.BlurMsg, tea.ResumeMsg, tea.ModeReportMsg:
		return true
	}
	return false
}

// draw hands a frame to the painter, unless that is still at the last one: it
// says so when it is done.
func (p *program) draw() {
	if !p.changed || p.width == 0 || !p.screen.output.ready() {
		return
	}
	p.changed, p.drawn = false, time.Now()
	f := p.model.Frame()
	p.screen.output.show(f, p.width, p.height)
	if f.More {
		p.changed = true
		if p.screen.output.ready() { // it was quick; else it says when it is
			p.screen.mail.post(paintedMsg{})
		}
	}
}

// silence stops the ticker that the library starts for its renderer even if
// there is none. What it is called for besides, letting go of the terminal, has
// no effect: the library has none.
func (s *screen) silence() {
	s.quiet.Do(func() { go func() { _ = s.program.ReleaseTerminal() }() })
}
