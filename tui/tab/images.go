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
	return beside(func() then {
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
