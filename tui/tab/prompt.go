package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/internal/prompt"
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
	case empty && t.program.Keys.Match(command.HistoryPrev, name) && t.prompts.recalls():
		t.composer.SetText("")
		cmd = tea.Batch(cmd, t.prompts.Recall())
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

// typeLetters types letters that had selected an answer and turned out to be text. Behind a page it
// would not be seen.
func (p *promptLayer) typeLetters() tea.Cmd {
	var all tea.Cmd
	for _, k := range p.tab.dialogs.Typed() {
		if p.tab.takesPrompts() && p.tab.panel.page() == nil {
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
