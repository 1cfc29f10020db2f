// This file shows on the whole screen the protocol as it flows: every message
// between parley and an agent, what answers it and after what time, what the agent
// writes to stderr, and what breaks the protocol's schema.
//
// A [View] is a dialog. It reads the ring that the taps of the session feed, and knows
// nothing while it is closed. It never waits: whatever reads, judges, searches or writes
// is a command, and what comes of it goes to Update. Drawing costs what is in sight,
// however many messages there are. Nothing here is safe for concurrent use.

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
	// Version is the version of the protocol that the session speaks, 0 as long as that is
	// not known. It counts where the beginning of the connection is not kept any more.
	Version func() int
	// Dir is where recordings are saved if the person names no other place. It is
	// absolute.
	Dir string
	// Now is the clock.
	Now func() time.Time
}

// Inspector is the list of messages, and one of them in full.
type Inspector struct {
	opt    InspectorOptions
	page   list.Page
	list   inspectorList
	detail *detail // nil if it is not shown
	line   purpose // what the person writes a line for

	round   int // counts the openings: what was begun in an earlier one is of no use
	stop    context.CancelFunc
	ctx     context.Context // ends when the view is closed
	next    uint64          // the number of the entry to read next
	reading bool            // a command reads, or waits for more
	behind  bool            // not all that there is was read
	version int             // of the protocol, where the list ends; 0 if that is not known
	paused  *pause          // nil while the list follows what happens

	sought  list.Query // what was looked for last
	looking context.CancelFunc

	width, height int // as it was drawn last
}

// pause is a list that stands still.
type pause struct {
	since int            // the messages that there were then
	held  []readMessage  // what was on its way
	known inspectionDone // with what to go on
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

// SetTheme implements dialog.Dialog. What is shown in full has its old colours until it
// was read anew, which Recolour does.
func (v *Inspector) SetTheme(th *theme.Theme) {
	v.opt.Theme, v.page.Theme = th, th
	if v.detail != nil {
		v.detail.stale = true
	}
}

// Recolour reads what is shown in full anew if the theme has changed since it was read.
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
	// waitedMsg: there is more, which nobody reads while the list stands still.
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

// Stop ends what waits for more. It may be called from any goroutine, when the view is of
// no more use.
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
			v.page.Say("the message is not kept any more", true)
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
	if p.known.reader == nil { // what was being read is still on its way
		return nil
	}
	v.add(p.held, p.known)
	// A command that waits has nothing to say any more.
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
