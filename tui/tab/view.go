package tab

import (
	"errors"
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
	// loose says that the draft is kept for the directory: there was no log yet.
	loose bool
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
	case draftMsg:
		t.takeDraft(string(msg))
	case viewMsg:
		t.viewed.pending = false
		return t.saveView()
	case firstAgentsMsg:
		return msg.list.takeAgents(msg)
	case firstSessionsMsg:
		msg.list.takeSessions(msg)
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
		if id := StoredAs(t.session.Options().Keeper); id != "" {
			return id
		}
	}
	return t.back.from.ID
}

// Cwd is the directory of the session.
func (t *Tab) Cwd() string { return t.cwd }

// StoredAs is the id under which a keeper stores its session now.
func StoredAs(k session.Keeper) store.ID {
	if k, ok := k.(interface{ ID() store.ID }); ok {
		return k.ID()
	}
	return ""
}

// Blank reports that nothing would be lost with the tab.
func (t *Tab) Blank() bool {
	return t.reopening == nil && t.composer.Empty() && t.outbox.Len() == 0 && (t.conv == nil || len(t.conv.Items) == 0 && !t.conv.Turn.Running)
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
	save := t.viewSaver()
	if save == nil {
		return nil
	}
	return func() tea.Msg {
		if err := save(); err != nil {
			return ErrorMsg{err}
		}
		return nil
	}
}

// saveLast saves the view when the tab is closed. Where nothing is stored, the draft goes
// into the history.
func (t *Tab) saveLast() {
	if t.program.Stored == nil {
		if keep := t.composer.Clear(); keep != nil {
			keep() // there is nobody to tell of an error any more
		}
		return
	}
	if save := t.viewSaver(); save != nil {
		_ = save() // there is nobody to tell any more
	}
}

// viewSaver is what saves the view, nil if there is nothing to save. As long as nothing
// was said there is no log: the draft is kept for the directory then.
func (t *Tab) viewSaver() func() error {
	lib, id, v := t.program.Stored, t.ownLog(), t.view()
	was := t.viewed
	if lib == nil || t.session == nil || t.session.Options().Keeper == nil || sameView(v, was.saved) && (id == "" || !was.loose) {
		return nil
	}
	t.viewed.saved, t.viewed.loose = v, id == "" && v.Draft != ""
	base, loose := t.base, t.viewed.loose
	return func() error {
		var err error
		switch {
		case loose && v.Draft != was.saved.Draft, loose && !was.loose:
			err = lib.SaveDraft(base, v.Draft)
		case was.loose && !loose:
			err = lib.SaveDraft(base, "")
		}
		if id != "" {
			err = errors.Join(err, lib.SaveView(id, v))
		}
		return err
	}
}

// draftMsg is the draft that was kept for the directory.
type draftMsg string

// LoadDraft brings the draft that was kept for the directory back. It stays kept until
// there is another, or a log that it goes with.
func (t *Tab) LoadDraft() tea.Cmd { return t.address(t.loadDraft()) }

func (t *Tab) loadDraft() tea.Cmd {
	lib, base := t.program.Stored, t.base
	if lib == nil {
		return nil
	}
	return func() tea.Msg {
		draft, err := lib.Draft(base)
		switch {
		case err != nil:
			return ErrorMsg{err}
		case draft == "":
			return nil
		}
		return draftMsg(draft)
	}
}

// takeDraft puts the draft into the prompt, unless something stands there, or the session
// is one that is not kept, such as the tour's: the draft is not meant for it.
func (t *Tab) takeDraft(draft string) {
	if !t.composer.Empty() || t.unkept() {
		return
	}
	t.composer.SetText(draft)
	t.viewed.loose = true
	if t.ownLog() == "" {
		t.viewed.saved.Draft = draft
	}
}

// leaveDraft takes the draft that was kept for the directory out of the prompt again, if
// the session that was chosen meanwhile is not meant for it. It stays kept.
func (t *Tab) leaveDraft() {
	if t.viewed.loose && t.unkept() && t.composer.Text() == t.viewed.saved.Draft {
		t.composer.SetText("")
		t.viewed.loose, t.viewed.saved.Draft = false, ""
	}
}

// unkept reports whether there is a session of which nothing is kept.
func (t *Tab) unkept() bool { return t.session != nil && t.session.Options().Keeper == nil }

// ownLog is the id of the log that this tab writes, "" if it writes none.
func (t *Tab) ownLog() store.ID {
	if t.session == nil {
		return ""
	}
	return StoredAs(t.session.Options().Keeper)
}
