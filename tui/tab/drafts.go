// This file keeps what a person writes, and what they read, so that a session comes
// back as they have left it.

package tab

import (
	"errors"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/store"
)

// viewTime is how long after a key the draft is saved, with what was typed since.
const viewTime = time.Second

// drafts keep how the person has a session before them: the draft in the prompt, and what
// of the transcript they read. As long as nothing was said there is no log to keep it
// with: then the draft is kept for the directory.
type drafts struct {
	tab  *Tab
	base string // the directory

	saved   store.View
	pending bool // it is going to be saved
	// loose says that the draft is kept for the directory: there was no log yet. left is
	// that draft.
	loose bool
	left  string
	// last is the saving that was begun last, nil if none was.
	last func() error
}

// Saved says how the session is kept at this moment.
func (d *drafts) Saved(v store.View) { d.saved = v }

// View is how the person has the session before them.
func (d *drafts) View() store.View {
	v := store.View{Draft: d.tab.composer.Text()}
	v.Top = d.top()
	return v
}

// sameView compares two views.
func sameView(a, b store.View) bool {
	return a.Draft == b.Draft && (a.Top == nil) == (b.Top == nil) && (a.Top == nil || *a.Top == *b.Top)
}

// Touched notes that the person did something that may have changed the view: it is
// saved a while later.
func (d *drafts) Touched(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
	default:
		return nil
	}
	switch {
	case d.tab.program.Stored == nil || d.tab.session == nil:
		return nil
	case d.saved.Draft != "" && d.tab.composer.Empty():
		return d.save() // what was sent is not to come back as a draft
	case d.pending:
		return nil
	}
	d.pending = true
	return tea.Tick(viewTime, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			d.pending = false
			return d.save()
		})
	})
}

// save saves the view, unless it is as it was saved last.
func (d *drafts) save() tea.Cmd {
	save := d.saver()
	if save == nil {
		return nil
	}
	return func() tea.Msg {
		if err := save(); err != nil {
			return ErrorMsg{Err: err}
		}
		return nil
	}
}

// SaveLast saves the view when the tab is closed. A draft that could not be kept goes into
// the history: nothing may be stored, the agent may not have started, the disk may be full,
// or another tab may keep one for the same directory.
func (d *drafts) SaveLast() {
	keep := []tea.Cmd{d.tab.composer.Leave()}
	d.saver()
	if d.last != nil { // also one whose command has not come to its end
		_ = d.last() // there is nobody to tell any more
	}
	if !d.kept() {
		keep = append(keep, d.tab.composer.Clear())
	}
	for _, save := range keep {
		if save != nil {
			save() // nor is there of this
		}
	}
}

// kept reports whether what stands in the prompt comes back.
func (d *drafts) kept() bool {
	lib, draft := d.tab.program.Stored, d.tab.composer.Text()
	switch {
	case lib == nil || draft == "":
		return draft == ""
	case d.tab.session == nil || !d.stores():
		return draft == d.saved.Draft // it was brought back, and is still where it was
	}
	if id := app.StoredID(d.tab.session); id != "" {
		v, err := lib.View(id)
		return err == nil && v.Draft == draft
	}
	kept, err := lib.Draft(d.base)
	return err == nil && kept == draft
}

// saver is what saves the view, nil if there is nothing to save. As long as nothing
// was said there is no log: the draft is kept for the directory then. Commands run beside
// each other, so each saving sees to it that those before it are done.
func (d *drafts) saver() func() error {
	lib, id, v := d.tab.program.Stored, app.StoredID(d.tab.session), d.View()
	was, wasLoose := d.saved, d.loose
	if lib == nil || d.tab.session == nil || !d.stores() || sameView(v, was) && (id == "" || !wasLoose) {
		return nil
	}
	d.saved, d.loose = v, id == "" && v.Draft != ""
	base, loose, before, left := d.base, d.loose, d.last, d.left
	if d.left = ""; loose {
		d.left = v.Draft
	}
	d.last = sync.OnceValue(func() error {
		if before != nil {
			_ = before() // its own command tells of its error
		}
		var err error
		switch {
		case loose && v.Draft != was.Draft, loose && !wasLoose:
			err = lib.SaveDraft(base, left, v.Draft)
		case wasLoose && !loose:
			err = lib.SaveDraft(base, left, "")
		}
		if id != "" {
			err = errors.Join(err, lib.SaveView(id, v))
		}
		return err
	})
	return d.last
}

// Load brings the draft that was kept for the directory back. It stays kept until there is
// another, or a log that it goes with.
func (d *drafts) Load() tea.Cmd {
	lib := d.tab.program.Stored
	if lib == nil {
		return nil
	}
	return func() tea.Msg {
		draft, err := lib.Draft(d.base)
		switch {
		case err != nil:
			return ErrorMsg{Err: err}
		case draft == "":
			return nil
		}
		return then(func() tea.Cmd { d.take(draft); return nil })
	}
}

// take puts the draft into the prompt, unless something stands there, or the session
// is one that is not kept, such as the tour's: the draft is not meant for it.
func (d *drafts) take(draft string) {
	if !d.tab.composer.Empty() || d.unkept() {
		return
	}
	d.tab.composer.SetText(draft)
	d.loose, d.left = true, draft
	if app.StoredID(d.tab.session) == "" {
		d.saved.Draft = draft
	}
}

// Leave takes the draft that was kept for the directory out of the prompt again, if
// the session that was chosen meanwhile is not meant for it. It stays kept.
func (d *drafts) Leave() {
	if d.loose && d.unkept() && d.tab.composer.Text() == d.saved.Draft {
		d.tab.composer.SetText("")
		d.loose, d.left, d.saved.Draft = false, "", ""
	}
}

// unkept reports whether there is a session of which nothing is kept.
func (d *drafts) unkept() bool { return d.tab.session != nil && !d.stores() }

// stores reports whether the session is stored.
func (d *drafts) stores() bool { return d.tab.session.Options().Keeper != nil }

// top is the number of the item at the top of the transcript; nil if its end is followed.
func (d *drafts) top() *int {
	if d.tab.list != nil {
		if top, following := d.tab.list.Start(); !following {
			return &top
		}
	}
	return nil
}
