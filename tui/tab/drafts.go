package tab

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/tui/composer"
)

// saveDelay is how long after a key the draft is saved.
const saveDelay = 150 * time.Millisecond

// drafts keeps the draft of the prompt and the position in the transcript, so that a session
// reopens as the user left it. A session in which nothing was said has no log to store them
// with: its draft is kept for the directory, and so is one that is written before there is a session.
// The prompts that wait for the session, and are stored nowhere else, are kept before the draft.
type drafts struct {
	library  *store.Library // nil stores nothing
	dir      string         // where sessions begin
	composer *composer.Composer
	session  func() app.Session // nil without one
	waiting  func() []conversation.QueuedPrompt
	top      func() *int // the top item of the transcript, nil if its end is followed
	pending  bool        // a save is due
	saved    store.View
	// keptQueue means that saved has prompts that wait.
	keptQueue bool
	// loose means that the draft is kept for the directory; left is that draft. It is early if it was
	// written here before there was a session.
	loose, early bool
	left         string
	// last waits for all earlier saves and saves the latest view; nil if there was none.
	last func() error
}

func (d *drafts) view() store.View {
	return store.View{Draft: d.text(), Editor: d.composer.Editing(), Top: d.top()}
}

// text returns the draft behind the prompts that wait.
func (d *drafts) text() string {
	var all []string
	for _, q := range d.waiting() {
		all = append(all, q.Text())
	}
	all = append(all, d.composer.Text())
	return strings.Join(slices.DeleteFunc(all, func(text string) bool { return text == "" }), "\n\n")
}

// queueChanged reports whether the prompts that wait are not as they are stored.
func (d *drafts) queueChanged() bool {
	return (d.keptQueue || len(d.waiting()) > 0) && d.text() != d.saved.Draft
}

// Touched schedules a save after input, and when prompts wait, are not confirmed, or are at last. It saves
// at once after the draft was sent, so that the draft does not come back.
func (d *drafts) Touched(msg tea.Msg) tea.Cmd {
	s := d.session()
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
	default:
		early := d.early && s != nil && s.StoredID() != ""
		if unkept(s) || !d.queueChanged() && (s == nil || !early && (s.About().LookOn || (s.Unsent() == nil) == (d.saved.Unsent == nil))) {
			return nil
		}
	}
	switch {
	case d.library == nil, d.pending:
		return nil
	case s != nil && d.saved.Draft != "" && d.composer.Empty():
		return d.save()
	}
	return d.saveSoon()
}

// saveSoon saves after saveDelay.
func (d *drafts) saveSoon() tea.Cmd {
	d.pending = true
	return tea.Tick(saveDelay, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			d.pending = false
			return d.save()
		})
	})
}

// save saves the view if it has changed.
func (d *drafts) save() tea.Cmd {
	save := d.saver(d.session(), d.view())
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

// saver returns a function that saves a view; nil if it is already saved. The function may be
// slow, is safe for concurrent use, and waits for earlier savers.
func (d *drafts) saver(s app.Session, v store.View) func() error {
	if d.library == nil || unkept(s) {
		return nil
	}
	id, was, wasLoose := store.ID(""), d.saved, d.loose
	if v.Unsent = was.Unsent; s != nil {
		if id = s.StoredID(); !s.About().LookOn {
			v.Unsent = s.Unsent()
		}
	}
	if reflect.DeepEqual(v, was) && (id == "" || !wasLoose) {
		return nil
	}
	d.keptQueue = len(d.waiting()) > 0
	d.saved, d.loose, d.early = v, id == "" && v.Draft != "", id == "" && (s == nil || d.early)
	lib, dir, loose, before, left := d.library, d.dir, d.loose, d.last, d.left
	if d.left = ""; loose {
		d.left = v.Draft
	}
	d.last = sync.OnceValue(func() error {
		if before != nil {
			_ = before() // reported to its own caller
		}
		var err error
		switch {
		case loose && (v.Draft != was.Draft || !wasLoose):
			err = lib.SaveDraft(dir, left, v.Draft)
		case wasLoose && !loose:
			err = lib.SaveDraft(dir, left, "")
		}
		if id != "" {
			err = errors.Join(err, lib.SaveView(id, v))
		}
		return err
	})
	return d.last
}

// saveLast returns what saves the view of a tab that closes. A draft that cannot be saved goes into the
// history. Errors are ignored: no screen can show them.
func (d *drafts) saveLast() func() {
	s, leave := d.session(), d.composer.Leave()
	view, drop := d.view(), d.composer.Clear()
	do := func(cmd tea.Cmd) {
		if cmd != nil {
			cmd()
		}
	}
	return func() {
		do(leave)
		d.saver(s, view)
		if d.last != nil {
			_ = d.last() // what counts is what is stored
		}
		if !d.keeps(s, view.Draft) {
			do(drop)
		}
	}
}

// keeps reports whether the last draft of a session will come back. It may not: nothing may be
// stored, the agent may not have started, the disk may be full, or another session may keep a draft
// for the directory.
func (d *drafts) keeps(s app.Session, draft string) bool {
	switch {
	case d.library == nil || draft == "":
		return draft == ""
	case unkept(s):
		return draft == d.saved.Draft // it is still stored where it was loaded from
	}
	if s != nil && s.StoredID() != "" {
		stored, err := d.library.View(s.StoredID())
		return err == nil && stored.Draft == draft
	}
	stored, err := d.library.Draft(d.dir)
	return err == nil && stored == draft
}

// Load restores the draft of the directory, unless the session is not stored, such as the tour's.
func (d *drafts) Load() tea.Cmd {
	if d.library == nil {
		return nil
	}
	return func() tea.Msg {
		draft, err := d.library.Draft(d.dir)
		switch {
		case err != nil:
			return ErrorMsg{Err: err}
		case draft == "":
			return nil
		}
		return then(func() tea.Cmd {
			s := d.session()
			if !d.composer.Empty() || unkept(s) || draft == d.left {
				return nil
			}
			d.loose, d.left = true, draft
			if s == nil || s.StoredID() == "" {
				d.saved.Draft = draft
			}
			d.composer.SetText(draft)
			return nil
		})
	}
}

// Leave parts the prompt from the directory's draft if that does not belong in the session begun
// since. A draft of an earlier session stays stored, one that was written here stays in the prompt.
func (d *drafts) Leave() {
	if !d.loose || !unkept(d.session()) || d.text() != d.saved.Draft {
		return
	}
	if d.early {
		lib, dir, left, before := d.library, d.dir, d.left, d.last
		d.last = sync.OnceValue(func() error { return errors.Join(before(), lib.SaveDraft(dir, left, "")) })
		go d.last() //nolint:errcheck // best effort: at worst it comes back once more
	} else {
		d.composer.SetText("")
	}
	d.loose, d.early, d.left, d.saved.Draft = false, false, "", ""
}

// unkept reports whether there is a session and it is not stored.
func unkept(s app.Session) bool { return s != nil && !s.About().Stored }
