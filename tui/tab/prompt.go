package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/prompt"
	"parley/internal/store"
	"parley/tui/composer"
	"parley/tui/dialog"
)

// promptLayer is the layer of the composer and what surrounds it: completions, messages, the
// queue and the status.
type promptLayer struct {
	tab     *Tab
	rule    cachedLine
	line    int         // first line of the composer in the last drawing
	popup   int         // lines of completions above it
	finding *tea.Cursor // cursor in the find field, or nil
}

// key gives a key to the composer. While the transcript or a question has the focus and
// the prompt is empty, it takes only keys that type text.
func (p *promptLayer) key(k tea.KeyPressMsg, name string) (tea.Cmd, bool) {
	t := p.tab
	a, bound := t.program.Keys.Action(config.ContextPrompt, name)
	if !config.Types(name) {
		if t.reader.list.Focused() && bound {
			return nil, false
		}
		if t.composer.Blank() && !t.composer.Chooses() && t.dialogs.Asks() && t.focus() == layer(t.panel) {
			return nil, false
		}
	}
	return p.write(k, name, a)
}

// write gives a key to the composer and performs the result.
func (p *promptLayer) write(k tea.KeyPressMsg, name string, a config.Action) (tea.Cmd, bool) {
	t := p.tab
	t.program.Guard.Typed()
	empty := t.composer.Empty()
	result, cmd := t.composer.Key(k)
	l, open := t.live()
	switch {
	case !result.Used && a == command.FocusTranscript && t.dialogs.Asks() && t.program.Keys.Match(command.RejectWords, name):
		return cmd, true // it was meant for the question, which took no keys yet
	case !result.Used:
		return cmd, false
	case result.Copy != "":
		cmd = tea.Batch(cmd, t.copy("", result.Copy))
	case result.Unknown != "":
		t.prompts.askUnknownCommand(result.Unknown, *result.Prompt)
	case result.Prompt != nil:
		cmd = tea.Batch(cmd, t.prompts.Submit(*result.Prompt))
	case result.Command != nil && t.stored.readOnly != "":
		cmd = tea.Batch(cmd, t.say(t.stored.readOnly))
	case result.Command != nil && !open:
		cmd = tea.Batch(cmd, t.say(noAgent))
	case result.Command != nil:
		cmd = tea.Batch(cmd, l.commands.Run(*result.Command))
	case result.Own != "":
		cmd = tea.Batch(cmd, t.runSlashCommand(result.Own, result.Argument))
	case empty && t.program.Keys.Match(command.Send, name):
		cmd = tea.Batch(cmd, t.run(command.Send))
	case empty && open && t.program.Keys.Match(command.HistoryPrev, name) && (l.queue.Queued() > 0 || l.queue.hasUnsent()):
		t.composer.SetText("")
		cmd = tea.Batch(cmd, l.queue.Recall())
	case empty && t.composer.Empty() && !t.composer.Chooses() && a == command.HistoryPrev:
		cmd = tea.Batch(cmd, t.say("there is no earlier prompt"))
	case empty && t.composer.Empty() && !t.composer.Chooses() && a == command.HistoryNext:
		cmd = tea.Batch(cmd, t.say("there is no later prompt"))
	}
	if !t.composer.Blank() {
		t.dropOffer()
	}
	t.leaving.Acted()
	t.prompts.Typed()
	t.reader.Blur()
	return cmd, true
}

// TypeUnseen types or pastes into the draft while the screen is too small to show it. Other
// keys have no effect.
func (t *Tab) TypeUnseen(msg tea.Msg) tea.Cmd {
	if !t.takesPrompts() {
		return nil
	}
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if msg.Text == "" && msg.Code != tea.KeyBackspace {
			return nil
		}
		_, cmd = t.composer.Key(msg)
	case tea.PasteMsg:
		if msg.Content == "" {
			return nil
		}
		cmd = t.composer.Paste(msg.Content)
	}
	t.program.Guard.Typed()
	t.prompts.Typed()
	return t.address(tea.Batch(cmd, t.drafts.Touched(msg)))
}

// typeLetters types letters that had selected an answer and turned out to be text.
func (p *promptLayer) typeLetters() tea.Cmd {
	var all tea.Cmd
	for _, k := range p.tab.dialogs.Typed() {
		if p.tab.takesPrompts() {
			cmd, _ := p.write(k, k.String(), "")
			all = tea.Batch(all, cmd)
		}
	}
	return all
}

func (p *promptLayer) covers() bool { return false }

// draw draws everything below the transcript.
func (p *promptLayer) draw(width, height int) dialog.View {
	d := newDrawing(p.tab, width, height)
	return d.foot(d.crowded())
}

func (p *promptLayer) paste(text string) (tea.Cmd, bool) {
	t := p.tab
	t.program.Guard.Typed()
	t.reader.Blur()
	if text == "" {
		return p.pasteImage(), true // terminals paste "" if the clipboard holds no text
	}
	t.dropOffer()
	return t.composer.Paste(text), true
}

// pasteImage adds the clipboard's image to the prompt.
func (p *promptLayer) pasteImage() tea.Cmd {
	t := p.tab
	if why := t.noImages(); why != "" {
		return t.say(why)
	}
	ctx, read := t.program.Context, t.program.ClipboardImage
	return inBackground(func() then {
		var img *prompt.Image
		data, err := read(ctx, prompt.ImageBytes)
		if err == nil {
			img, err = prompt.NewImage(data)
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return t.say(err.Error())
			case !t.takesPrompts():
				return nil
			case !t.composer.AddImage(img):
				return t.say("the prompt has too many images and pastes")
			}
			t.reader.Blur()
			return nil
		}
	})
}

// mouse sets the cursor and selects text.
func (p *promptLayer) mouse(msg tea.MouseMsg) (tea.Cmd, bool) {
	t, at := p.tab, msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		if at.Button != tea.MouseLeft {
			return nil, false
		}
		used, cmd := t.composer.Click(at.X, t.area.composerLine(at.Y))
		if used {
			t.reader.Unfocus()
		}
		return cmd, used
	case tea.MouseMotionMsg:
		if t.composer.Dragging() {
			t.composer.Drag(at.X, at.Y-t.area.prompt) // a negative row counts as one of the popup
			return nil, true
		}
	case tea.MouseReleaseMsg:
		if t.composer.Dragging() {
			t.composer.Release()
			return nil, true
		}
	}
	return nil, false
}

// saveDelay is how long after a key the draft is saved.
const saveDelay = 150 * time.Millisecond

// drafts saves the draft and the reading position.
type drafts struct {
	app.Drafts
	composer *composer.Composer
	session  func() app.Session // nil without one
	top      func() *int        // the top item of the transcript, nil if its end is followed
	pending  bool               // a save is due
}

func (d *drafts) view() store.View {
	return store.View{Draft: d.composer.Text(), Editor: d.composer.Editing(), Top: d.top()}
}

// Touched schedules a save after input, and when prompts are not confirmed, or are at last. It saves
// at once after the draft was sent, so that the draft does not come back.
func (d *drafts) Touched(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
	default:
		if s := d.session(); s == nil || !d.Confirms(s) {
			return nil
		}
	}
	switch {
	case d.Library == nil, d.pending:
		return nil
	case d.Saves(d.session()) && d.Stale(d.composer.Text()):
		return d.save()
	}
	return d.saveSoon()
}

// saveSoon saves after saveDelay, and repeatedly while the session is being opened, to include
// text typed meanwhile.
func (d *drafts) saveSoon() tea.Cmd {
	d.pending = true
	return tea.Tick(saveDelay, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			d.pending = false
			if !d.Saves(d.session()) && !d.composer.Empty() {
				return d.saveSoon()
			}
			return d.save()
		})
	})
}

// save saves the view if it has changed.
func (d *drafts) save() tea.Cmd {
	save := d.Saver(d.session(), d.view())
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
		if do(leave); !d.SaveLast(s, view) {
			do(drop)
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
			if d.composer.Empty() && d.Take(d.session(), draft) {
				d.composer.SetText(draft)
			}
			return nil
		})
	}
}

// Leave removes the directory's draft from the prompt if it is not meant for the session.
func (d *drafts) Leave() {
	if d.Drafts.Leave(d.session(), d.composer.Text()) {
		d.composer.SetText("")
	}
}
