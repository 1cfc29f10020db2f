package tab

import (
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
// The prompts that wait for the session, and are stored nowhere else, are kept with the draft.
type drafts struct {
	library  *store.Library // nil stores nothing
	dir      string         // where sessions begin
	composer *composer.Composer
	session  func() app.Session // nil without one
	waiting  func() []conversation.QueuedPrompt
	wait     func([]store.UnsentPrompt) // takes those that have come back, instead of earlier ones
	sayMore  func(int) tea.Cmd          // says that there are more
	sayKept  func() tea.Cmd             // says that another one is in the history
	top      func() *int                // the top item of the transcript, nil if its end is followed
	coming   []string                   // texts that stay in the draft until the composer has them
	pending  bool                       // a save is due
	saved    store.View
	viewing  *store.Viewing // of the session, nil before a save or if it has no log
	// loose is the draft that is kept for the directory, nil if there is none. It is early if it was
	// written here before there was a session.
	loose *store.Draft
	early bool
	// last waits for all earlier saves and saves the latest view; nil if there was none.
	last func() error
}

func (d *drafts) view() store.View {
	parts := d.coming
	if text := d.composer.Text(); text != "" {
		parts = append(slices.Clip(parts), text)
	}
	return store.View{Draft: strings.Join(parts, "\n\n"), Editor: d.composer.Editing(), Top: d.top(), Unsent: d.unsent()}
}

// unsent returns the prompts to be queued when the session, or one in the directory, is opened next.
func (d *drafts) unsent() *store.Unsent {
	var u *store.Unsent
	switch s := d.session(); {
	case s == nil || s.StoredID() == "":
	case s.About().LookOn:
		return d.saved.Unsent
	default:
		u = s.Unsent()
	}
	waiting := d.waiting()
	if u == nil && len(waiting) > 0 {
		u = &store.Unsent{}
	}
	for _, q := range waiting {
		u.Prompts = append(u.Prompts, store.UnsentPrompt{Prompt: conversation.QueuedPrompt{Prompt: q.Prompt, Folds: q.Folds, Files: q.Files}})
	}
	return u
}

// Touched schedules a save after input. It saves at once where a prompt has moved, such as after it was
// sent: neither a kill nor the draft of before shall lose it or bring it back.
func (d *drafts) Touched(msg tea.Msg) tea.Cmd {
	s := d.session()
	if d.library == nil || unkept(s) {
		return nil
	}
	input := false
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		input = true
	}
	early := d.early && s != nil && s.StoredID() != ""
	switch {
	case !reflect.DeepEqual(d.unsent(), d.saved.Unsent), early, input && s != nil && d.saved.Draft != "" && d.composer.Empty():
		return d.save()
	case !input, d.pending:
		return nil
	}
	return d.saveSoon()
}

// comes saves a text with the draft before it is taken from where it is kept, and until came is called: a kill
// meanwhile leaves it twice, and not in neither.
func (d *drafts) comes(text string, take func() tea.Cmd) tea.Cmd {
	d.coming = append(d.coming, text)
	d.saver(d.session(), d.view())
	save := d.last
	if save == nil {
		return take()
	}
	return func() tea.Msg {
		_ = save() // the next one reports it
		return then(take)
	}
}

// came saves the draft without a text that was to come, now that the composer has it or never will.
func (d *drafts) came(text string) tea.Cmd {
	if i := slices.Index(d.coming, text); i >= 0 {
		d.coming = slices.Delete(d.coming, i, i+1)
	}
	return d.save()
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
	id, loose := store.ID(""), d.loose
	if s != nil {
		id = s.StoredID()
	}
	if id == "" {
		v.Top = nil
	}
	if reflect.DeepEqual(v, d.saved) && (id == "" || loose == nil) {
		return nil
	}
	switch {
	case id != "" || v == (store.View{}):
		d.loose = nil
	case loose == nil:
		loose = d.library.NewDraft(d.dir)
		d.loose = loose
	}
	if id != "" && (d.viewing == nil || d.viewing.ID() != id) {
		d.follow(id, store.View{})
	}
	d.saved, d.early = v, id == "" && (s == nil || d.early)
	viewing, kept, before := d.viewing, d.loose != nil, d.last
	d.last = sync.OnceValue(func() error {
		if before != nil {
			_ = before() // reported to its own caller
		}
		var err error
		if id != "" {
			err = viewing.Save(v)
		}
		switch {
		case kept:
			err = loose.Save(v)
		case loose != nil && err == nil:
			err = loose.Save(store.View{})
		}
		return err
	})
	return d.last
}

// saveUnsent returns what saves, after the view, which prompts the session has not confirmed.
func (d *drafts) saveUnsent() func() {
	s, viewing, before := d.session(), d.viewing, d.last
	save := sync.OnceValue(func() error {
		if before != nil {
			_ = before() // reported to its own caller
		}
		app.SaveUnsent(d.library, s, viewing)
		return nil
	})
	d.last = save
	return func() { _ = save() }
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
		stays := view.Draft == "" || d.library != nil && (!unkept(s) || view.Draft == d.saved.Draft) // where it was loaded from
		if d.last != nil {
			stays = d.last() == nil && stays
		}
		if d.loose != nil {
			d.loose.Leave()
		}
		if !stays {
			do(drop)
		}
	}
}

// Load restores a draft of the directory that no tab has, unless the session is not stored, such as the
// tour's. It says if there are more.
func (d *drafts) Load() tea.Cmd {
	lib, dir := d.library, d.dir
	if lib == nil {
		return nil
	}
	return func() tea.Msg {
		found, more, err := lib.TakeDraft(dir)
		return then(func() tea.Cmd {
			var failed tea.Cmd
			if err != nil {
				failed = func() tea.Msg { return ErrorMsg{Err: err} }
			}
			if found.View != (store.View{}) && !d.take(found) {
				found.Leave()
				more++
			}
			return tea.Batch(d.sayMore(more), failed)
		})
	}
}

// take makes a stored draft that of the prompt, if nothing is written there.
func (d *drafts) take(found *store.Draft) bool {
	if d.loose != nil || unkept(d.session()) || d.view().Text() != "" {
		return false
	}
	d.is(found)
	d.composer.SetText(found.View.Draft)
	if u := found.View.Unsent; u != nil {
		d.wait(u.Prompts)
	}
	return true
}

// is makes a stored draft that of the tab, as what was saved last.
func (d *drafts) is(found *store.Draft) {
	d.loose = found
	if s := d.session(); s == nil || s.StoredID() == "" {
		d.saved = found.View
	}
}

// Open begins with the view of a session as it is stored, and brings back what other viewers of the session
// left unsent, one by one: as the draft if there is none, else in the history.
func (d *drafts) Open(id store.ID, v store.View) tea.Cmd {
	d.saved = v
	if s := d.session(); d.library == nil || id == "" || s == nil || unkept(s) || s.About().LookOn {
		return nil
	}
	d.follow(id, v)
	return d.takeNext()
}

// follow saves the views of a session from now on.
func (d *drafts) follow(id store.ID, v store.View) {
	old, before := d.viewing, d.last
	d.viewing = d.library.NewViewing(id, v)
	if old != nil && before != nil {
		d.last = sync.OnceValue(func() error {
			defer old.Leave()
			return before()
		})
		go d.last() //nolint:errcheck // reported to its own caller
	}
}

func (d *drafts) takeNext() tea.Cmd {
	lib, of := d.library, d.viewing
	return func() tea.Msg {
		found, _, err := lib.TakeDraft(string(of.ID()))
		return then(func() tea.Cmd {
			var failed tea.Cmd
			if err != nil { // about a damaged one
				failed = func() tea.Msg { return ErrorMsg{Err: err} }
			}
			switch {
			case found.View == (store.View{}):
				return failed
			case d.viewing != of:
				found.Leave()
				return failed
			}
			return tea.Batch(failed, d.bringBack(found))
		})
	}
}

// bringBack moves a stored draft to where the user finds it, and goes on with the next one.
func (d *drafts) bringBack(found *store.Draft) tea.Cmd {
	var keep, say tea.Cmd
	if u := found.View.Unsent; u != nil {
		for i := range u.Prompts {
			u.Prompts[i].Prompt.Unsure = u.Prompts[i].Number > 0
		}
		d.wait(u.Prompts)
	}
	switch draft := found.View.Draft; {
	case draft == "" || draft == d.composer.Text():
	case d.composer.Empty():
		d.composer.SetText(draft)
	default:
		keep, say = d.composer.Keep(draft), d.sayKept()
	}
	save, before := d.saver(d.session(), d.view()), d.last
	if save == nil {
		save = before
	}
	var failed tea.Msg
	d.last = sync.OnceValue(func() (err error) { // who leaves meanwhile waits for it: else the draft comes back once more
		if keep != nil {
			failed = keep()
		}
		if save != nil {
			err = save()
		}
		switch {
		case failed != nil:
			found.Leave()
		case err != nil:
			failed = ErrorMsg{Err: err}
			found.Leave()
		default:
			_ = found.Save(store.View{})
		}
		return err
	})
	last := d.last
	return tea.Batch(say, func() tea.Msg {
		if _ = last(); failed != nil {
			return failed
		}
		return then(d.takeNext)
	})
}

// Leave parts the prompt from the directory's draft if that does not belong in the session begun
// since. A draft of an earlier session stays stored, one that was written here stays in the prompt.
func (d *drafts) Leave() {
	if d.loose == nil || !unkept(d.session()) || d.composer.Text() != d.saved.Draft {
		return
	}
	loose, early, before := d.loose, d.early, d.last
	d.last = sync.OnceValue(func() error {
		if before != nil {
			_ = before() // reported to its own caller
		}
		defer loose.Leave()
		if early {
			return loose.Save(store.View{})
		}
		return nil
	})
	go d.last() //nolint:errcheck // best effort: at worst it comes back once more
	if !early {
		d.composer.SetText("")
		d.wait(nil)
	}
	d.loose, d.early, d.saved = nil, false, store.View{}
}

// unkept reports whether there is a session and it is not stored.
func unkept(s app.Session) bool { return s != nil && !s.About().Stored }
