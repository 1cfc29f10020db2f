package tab

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/tui/clipboard"
	"parley/tui/composer"
)

// imageMsg brings the image that was on the clipboard, or why there is none.
type imageMsg struct {
	image *composer.Image
	err   error
}

// noImages says why images cannot be sent to the agent, "" if they can, or if that is not
// known yet.
func (t *Tab) noImages() string {
	if t.conv == nil || t.conv.Phase == conversation.PhaseStarting || t.conv.Agent.Capabilities.PromptCapabilities.Image {
		return ""
	}
	return safetext.Line(cmp.Or(t.conv.Agent.Name(), t.agent.Name, "the agent")) + " takes no images"
}

// cannotTake says why a prompt cannot be sent to this agent, "" if it can: a picture that
// is in no file can be handed over in no other way than as an image.
func (t *Tab) cannotTake(p composer.Prompt) string {
	switch why := t.noImages(); {
	case !p.Pastes():
		return ""
	case t.conv == nil || t.conv.Phase == conversation.PhaseStarting:
		return "the agent still has to say whether it takes images: send it when it has started"
	case why != "":
		return why + ": take the image out, or mention a file"
	}
	return ""
}

// pasteImage puts the image that is on the clipboard into the prompt. Reading it takes
// its time.
func (t *Tab) pasteImage() tea.Cmd {
	if why := t.noImages(); why != "" {
		return t.desk.Say(why)
	}
	ctx, read := t.program.Context, t.program.ClipboardImage
	return func() tea.Msg {
		if read == nil {
			return imageMsg{err: clipboard.ErrNoReader}
		}
		data, err := read(ctx, composer.ImageBytes)
		if err != nil {
			return imageMsg{err: err}
		}
		img, err := composer.NewImage(data)
		return imageMsg{img, err}
	}
}

func (t *Tab) imagePasted(msg imageMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return t.desk.Say(msg.err.Error())
	case !t.composerActive():
		return nil
	case !t.composer.AddImage(msg.image):
		return t.desk.Say("the prompt holds too many images and pastes")
	}
	if t.reader.Focused() {
		t.reader.Unfocus()
	}
	return nil
}
