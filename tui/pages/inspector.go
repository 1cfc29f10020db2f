package pages

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/record"
	"parley/tui/dialog"
	"parley/tui/list"
	"parley/tui/theme"
)

// InspectorOptions say what an inspector is made of.
type InspectorOptions struct {
	// Context ends with the program.
	Context context.Context
	// Ring has what is shown.
	Ring  *record.Ring
	Host  Host
	Theme *theme.Theme
	Keys  config.Keys
	// Version is the version of the protocol that the session speaks, 0 if
	// unknown. It counts where the ring has dropped the beginning of the connection.
	Version func() int
	// Dir is the absolute directory in which recordings are saved by default.
	Dir string
	// Now is the clock.
	Now func() time.Time
}

// Inspector shows the protocol as it flows: every message between parley and an agent,
// its answer and how long that took, stderr, and what breaks the protocol's schema.
//
// It reads the ring that the session's taps feed, and keeps nothing while it is closed. It
// never waits: commands read, judge, search and write, and Update takes their results.
// Drawing costs only what is in sight. Not safe for concurrent use.
type Inspector struct {
	opt    InspectorOptions
	page   list.Page
	list   inspectorList
	detail *detail // nil if it is not shown
	line   purpose // what the person writes a line for

	round   int // counts the openings: results of earlier ones are dropped
	stop    context.CancelFunc
	ctx     context.Context // ends when the view is closed
	next    uint64          // the number of the entry to read next
	reading bool            // a command reads, or waits for more
	behind  bool            // there is more to read
	version int             // of the protocol at the end of the list; 0 if unknown
	paused  *pause          // nil while the list follows what happens

	sought  list.Query // what was looked for last
	looking context.CancelFunc

	width, height int // when it was last drawn
}

// pause is the state of a list that stands still.
type pause struct {
	since int            // the messages that there were then
	held  []readMessage  // messages that were being read
	known inspectionDone // where to go on
}

var _ dialog.Dialog = (*Inspector)(nil)

// NewInspector makes an inspector; Open begins to show it.
func NewInspector(opt InspectorOptions) *Inspector {
	v := &Inspector{opt: opt, page: list.Page{Theme: opt.Theme}, list: inspectorList{folded: true}}
	v.list.Follow = true
	return v
}

// Ring is what the view shows.
func (v *Inspector) Ring() *record.Ring { return v.opt.Ring }

// Covers says that the view takes the whole screen.
func (v *Inspector) Covers() {}

// SetTheme implements dialog.Dialog. The message in full keeps its old colours until
// Recolour reads it again.
func (v *Inspector) SetTheme(th *theme.Theme) {
	v.opt.Theme, v.page.Theme = th, th
	if v.detail != nil {
		v.detail.stale = true
	}
}

// Recolour reads the message in full again if the theme has changed since.
func (v *Inspector) Recolour() tea.Cmd {
	if v.detail == nil || !v.detail.stale {
		return nil
	}
	return v.load()
}

// InspectorMsg is what a command of an inspector brings.
type InspectorMsg interface{ inspector() }

type (
	// readMsg: entries were read and judged.
	readMsg struct {
		round    int
		messages []readMessage
		inspectionDone
	}
	// waitedMsg: there is more to count while the list stands still.
	waitedMsg struct{ round int }
)

// inspectionDone says how far the ring was read.
type inspectionDone struct {
	next    uint64
	behind  bool
	version int
	reader  *record.Inspector
}

func (readMsg) inspector()   {}
func (waitedMsg) inspector() {}
func (loadedMsg) inspector() {}
func (foundMsg) inspector()  {}
func (copyMsg) inspector()   {}
func (savedMsg) inspector()  {}

// Open begins to show the view.
func (v *Inspector) Open() tea.Cmd {
	if v.ctx != nil && v.ctx.Err() == nil {
		return nil
	}
	v.Close()
	v.opt.Ring.KeepMore()
	v.round++
	v.ctx, v.stop = context.WithCancel(v.opt.Context)
	return v.read(record.NewInspector(v.opt.Version()))
}

// Stop ends the command that waits for more. It is safe for concurrent use.
func (v *Inspector) Stop() {
	if v.stop != nil {
		v.stop()
	}
}

// Close forgets what was read. How the person wants to see it stays.
func (v *Inspector) Close() {
	v.Stop()
	v.list = inspectorList{folded: v.list.folded, filter: v.list.filter}
	v.list.Follow = true
	v.detail, v.line, v.next, v.reading, v.behind, v.version, v.paused = nil, noPurpose, 0, false, false, 0, nil
	v.sought = list.Query{}
	v.page.Written()
	v.page.Hush()
	v.ctx = nil
}

// Update takes what a command has brought. open says whether the view is open.
func (v *Inspector) Update(msg InspectorMsg, open bool) tea.Cmd {
	if !open {
		if v.ctx != nil {
			v.Close()
		}
		return nil
	}
	switch msg := msg.(type) {
	case readMsg:
		return v.took(msg)
	case waitedMsg:
		if msg.round == v.round {
			v.reading = false
			return v.wait()
		}
	case loadedMsg:
		return v.loaded(msg)
	case foundMsg:
		return v.found(msg)
	case copyMsg:
		if msg.text == "" {
			v.page.Say("the message is no longer kept", true)
			return nil
		}
		return v.opt.Host.Copy(msg.what, msg.text)
	case savedMsg:
		v.page.Say(msg.words(), msg.err != nil)
	}
	return nil
}

// took takes what was read, and reads on.
func (v *Inspector) took(msg readMsg) tea.Cmd {
	if msg.round != v.round {
		return nil
	}
	v.reading = false
	if v.paused != nil {
		v.paused.held, v.paused.known = msg.messages, msg.inspectionDone
		return v.wait()
	}
	v.add(msg.messages, msg.inspectionDone)
	return tea.Batch(v.read(msg.reader), v.load())
}

// add adds messages to the list.
func (v *Inspector) add(messages []readMessage, done inspectionDone) {
	for i := range messages {
		v.list.add(&messages[i])
	}
	v.list.trim()
	v.list.fit()
	v.next, v.behind, v.version = done.next, done.behind, done.version
}

// togglePause has the list stand still, or go on.
func (v *Inspector) togglePause() tea.Cmd {
	if v.paused == nil {
		v.paused = &pause{since: v.opt.Ring.Total()}
		return nil
	}
	p := v.paused
	v.paused = nil
	v.list.Follow = true
	if p.known.reader == nil { // a command is still reading
		return nil
	}
	v.add(p.held, p.known)
	// The command that waits is outdated.
	v.round++
	v.reading = false
	return tea.Batch(v.read(p.known.reader), v.load())
}

// unseen is how many messages have come since the list stands still.
func (v *Inspector) unseen() int {
	if v.paused == nil {
		return 0
	}
	return v.opt.Ring.Total() - v.paused.since
}
