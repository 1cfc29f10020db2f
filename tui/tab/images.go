package tab

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/prompt"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/desktop"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// clipboardReader reads an image of at most most bytes from the clipboard.
type clipboardReader = func(ctx context.Context, most int64) ([]byte, error)

// images adds images to prompts.
type images struct{ tab *Tab }

// None returns why the agent takes no images, or "" if it takes them or that is unknown.
func (i *images) None() string {
	if i.tab.conv == nil || i.tab.conv.Phase == conversation.PhaseStarting || i.tab.conv.Agent.Capabilities.PromptCapabilities.Image {
		return ""
	}
	return termtext.Line(cmp.Or(i.tab.conv.Agent.Name(), i.tab.agent.Name, "the agent")) + " takes no images"
}

// CannotTake returns why a prompt cannot be sent to this agent, or "". Only a pasted
// image, which is in no file, must be sent as an image.
func (i *images) CannotTake(p composer.Prompt) string {
	switch why := i.None(); {
	case !p.Pastes():
		return ""
	case i.tab.conv == nil || i.tab.conv.Phase == conversation.PhaseStarting:
		return "wait for the agent to start before you send an image"
	case why != "":
		return why + ": remove the image, or mention a file"
	}
	return ""
}

// Paste adds the clipboard's image to a prompt.
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
				return i.tab.say("the prompt has too many images and pastes")
			}
			i.tab.reader.Blur()
			return nil
		}
	})
}

func readImage(ctx context.Context, read clipboardReader) (*prompt.Image, error) {
	if read == nil {
		return nil, desktop.ErrNoReader
	}
	data, err := read(ctx, prompt.ImageBytes)
	if err != nil {
		return nil, err
	}
	return prompt.NewImage(data)
}

// imageDecoder decodes the images of a transcript one at a time, shortly before they are
// shown.
type imageDecoder struct{ busy bool }

// Next returns the command that decodes the next image, or nil if there is none or one is
// being decoded. The list may be nil.
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
				thumb, _ = desktop.DecodeImage(data) // an image that cannot be drawn stays text
			}
		}
		return func() tea.Cmd {
			d.busy = false
			list.SetPicture(block, thumb)
			return nil
		}
	})
}
