package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/session"
	"parley/internal/store"
)

// viewTime is how long after a key the draft is saved, with what was typed since.
const viewTime = time.Second

// viewed is what is kept of how the person has a session before them.
type viewed struct {
	saved   store.View
	pending bool // a viewMsg is under way
}

// viewMsg says that it is time to save the draft.
type viewMsg struct{}

// handleStored takes messages that have to do with stored sessions. All others are the
// composer's.
func (t *Tab) handleStored(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case reopenedMsg:
		return t.reopened(msg)
	case abandonedMsg:
		t.offerToGoOn(msg)
	case viewMsg:
		t.viewed.pending = false
		return t.saveView()
	case keptMsg:
		return msg.list.takeKept(msg)
	case lookMsg:
		return msg.list.look(msg)
	case hitsMsg:
		return msg.list.takeHits(msg)
	default:
		return t.composer.Update(msg)
	}
	return nil
}

// StoredID is the id under which the session is stored, "" if it is not, or not yet.
func (t *Tab) StoredID() store.ID {
	if t.session != nil {
		if id := storedAs(t.session.Options().Keeper); id != "" {
			return id
		}
	}
	return t.back.from.ID
}

// Cwd is the directory of the session.
func (t *Tab) Cwd() string { return t.cwd }

// storedAs is the id under which a keeper stores its session now.
func storedAs(k session.Keeper) store.ID {
	if k, ok := k.(interface{ ID() store.ID }); ok {
		return k.ID()
	}
	return ""
}

// Blank reports that nothing would be lost with the tab.
func (t *Tab) Blank() bool {
	return t.composer.Empty() && len(t.outbox) == 0 && (t.conv == nil || len(t.conv.Items) == 0 && !t.conv.Turn.Running)
}

// view is how the person has the session before them.
func (t *Tab) view() store.View {
	v := store.View{Draft: t.composer.Text()}
	if t.list != nil {
		if top, following := t.list.Start(); !following {
			v.Top = &top
		}
	}
	return v
}

// sameView compares two views.
func sameView(a, b store.View) bool {
	return a.Draft == b.Draft && (a.Top == nil) == (b.Top == nil) && (a.Top == nil || *a.Top == *b.Top)
}

// touched notes that the person did something that may have changed the view: it is
// saved a while later.
func (t *Tab) touched(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
	default:
		return nil
	}
	switch {
	case t.program.Stored == nil || t.session == nil:
		return nil
	case t.viewed.saved.Draft != "" && t.composer.Empty():
		return t.saveView() // what was sent is not to come back as a draft
	case t.viewed.pending:
		return nil
	}
	t.viewed.pending = true
	return tea.Tick(viewTime, func(time.Time) tea.Msg { return viewMsg{} })
}

// saveView saves the view, unless it is as it was saved last.
func (t *Tab) saveView() tea.Cmd {
	lib, id, v := t.program.Stored, t.ownLog(), t.view()
	if lib == nil || id == "" || sameView(v, t.viewed.saved) {
		return nil
	}
	t.viewed.saved = v
	return func() tea.Msg {
		if err := lib.SaveView(id, v); err != nil {
			return ErrorMsg{err}
		}
		return nil
	}
}

// saveLast saves the view when the tab is closed.
func (t *Tab) saveLast() {
	if id := t.ownLog(); id != "" && t.program.Stored != nil {
		if v := t.view(); !sameView(v, t.viewed.saved) {
			_ = t.program.Stored.SaveView(id, v) // there is nobody to tell any more
		}
	}
}

// ownLog is the id of the log that this tab writes, "" if it writes none.
func (t *Tab) ownLog() store.ID {
	if t.session == nil {
		return ""
	}
	return storedAs(t.session.Options().Keeper)
}
