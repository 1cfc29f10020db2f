// This file puts images into prompts, and says where an agent takes none.

package tab

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/desktop"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// clipboardReader reads the image on the system's clipboard, of so many bytes at most.
type clipboardReader = func(ctx context.Context, most int64) ([]byte, error)

// images are the images that the person adds to prompts in a tab.
type images struct{ tab *Tab }

// None says why images cannot be sent to the agent, "" if they can, or if that is not
// known yet.
func (i *images) None() string {
	if i.tab.conv == nil || i.tab.conv.Phase == conversation.PhaseStarting || i.tab.conv.Agent.Capabilities.PromptCapabilities.Image {
		return ""
	}
	return termtext.Line(cmp.Or(i.tab.conv.Agent.Name(), i.tab.agent.Name, "the agent")) + " takes no images"
}

// CannotTake says why a prompt cannot be sent to this agent, "" if it can: a picture that
// is in no file can be handed over in no other way than as an image.
func (i *images) CannotTake(p composer.Prompt) string {
	switch why := i.None(); {
	case !p.Pastes():
		return ""
	case i.tab.conv == nil || i.tab.conv.Phase == conversation.PhaseStarting:
		return "the agent still has to say whether it takes images: send it when it has started"
	case why != "":
		return why + ": take the image out, or mention a file"
	}
	return ""
}

// Paste puts the image that is on the clipboard into a prompt. Reading it takes its time.
func (i *images) Paste(into *composer.Composer) tea.Cmd {
	if why := i.None(); why != "" {
		return i.tab.say(why)
	}
	ctx, read := i.tab.program.Context, i.tab.program.ClipboardImage
	return inBackground(func() then {
		img, err := readImage(ctx, read)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return i.tab.say(err.Error())
			case !i.tab.composerActive():
				return nil
			case !into.AddImage(img):
				return i.tab.say("the prompt holds too many images and pastes")
			}
			i.tab.reader.Blur()
			return nil
		}
	})
}

// readImage reads the image on the clipboard.
func readImage(ctx context.Context, read clipboardReader) (*composer.Image, error) {
	if read == nil {
		return nil, desktop.ErrNoReader
	}
	data, err := read(ctx, composer.ImageBytes)
	if err != nil {
		return nil, err
	}
	return composer.NewImage(data)
}

// imageDecoder decodes images. Its zero value decodes none yet.
type imageDecoder struct{ busy bool }

// Next is the command that decodes the next image of a list that is about to be seen; nil
// if there is none, or another one is being decoded. The list may be nil.
func (d *imageDecoder) Next(list *transcript.List) tea.Cmd {
	if list == nil || d.busy {
		return nil
	}
	block := list.Pending()
	if block == nil {
		return nil
	}
	d.busy = true
	return inBackground(func() then {
		var thumb *desktop.Thumbnail
		if media := (toolview.Paths{}).Block(block).Media; media != nil {
			if data, err := media.Bytes(); err == nil {
				thumb, _ = desktop.DecodeImage(data) // what cannot be drawn stays a line of words
			}
		}
		return func() tea.Cmd {
			d.busy = false
			list.SetPicture(block, thumb)
			return nil
		}
	})
}
