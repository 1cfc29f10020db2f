package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/store"
)

// saveDelay is how long after a key the draft is saved, with what was typed since.
const saveDelay = time.Second

// drafts saves the draft and the reading position.
type drafts struct {
	app.Drafts
	tab     *Tab
	pending bool // a save is due
}

// view returns the draft, and the top item of the transcript unless its end is followed.
func (d *drafts) view() store.View {
	v := store.View{Draft: d.tab.composer.Text()}
	if d.tab.list != nil {
		if top, following := d.tab.list.Start(); !following {
			v.Top = &top
		}
	}
	return v
}

// Touched schedules a save after input. It saves at once after the draft was sent, so that
// the draft does not come back.
func (d *drafts) Touched(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
	default:
		return nil
	}
	switch {
	case !d.Saves(d.tab.session):
		return nil
	case d.Stale(d.tab.composer.Text()):
		return d.save()
	case d.pending:
		return nil
	}
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
	save := d.Saver(d.tab.session, d.view())
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

// SaveLast saves the view when the tab closes. A draft that cannot be saved goes into the
// history. Errors are ignored: no screen can show them.
func (d *drafts) SaveLast() {
	cmds := []tea.Cmd{d.tab.composer.Leave()}
	if !d.Drafts.SaveLast(d.tab.session, d.view()) {
		cmds = append(cmds, d.tab.composer.Clear())
	}
	for _, cmd := range cmds {
		if cmd != nil {
			cmd()
		}
	}
}

// Load restores the draft of the directory.
func (d *drafts) Load() tea.Cmd {
	return func() tea.Msg {
		draft, err := d.Drafts.Load()
		switch {
		case err != nil:
			return ErrorMsg{Err: err}
		case draft == "":
			return nil
		}
		return then(func() tea.Cmd {
			if d.tab.composer.Empty() && d.Take(d.tab.session, draft) {
				d.tab.composer.SetText(draft)
			}
			return nil
		})
	}
}

// Leave removes the directory's draft from the prompt if it is not meant for the session.
func (d *drafts) Leave() {
	if d.Drafts.Leave(d.tab.session, d.tab.composer.Text()) {
		d.tab.composer.SetText("")
	}
}
