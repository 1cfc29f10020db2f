// This file puts images into prompts, and says where an agent takes none.

package tab

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/desktop"
)

// Clipboard reads the image on the system's clipboard, of so many bytes at most.
type clipboardReader = func(ctx context.Context, most int64) ([]byte, error)

// Host is the tab, as far as its images need it.
type imagesHost interface {
	Conversation() *conversation.Conversation
	// Agent is the agent that was chosen.
	Agent() config.Agent
	// Clipboard is nil on a system that has none.
	Clipboard() clipboardReader
	// Prompts reports whether there is a prompt to write, and Pasted is told that something
	// came into it, beside the keys.
	Prompts() bool
	Pasted()
}

// Images are the images that the person adds to prompts in a tab.
type images struct {
	ctx  context.Context
	desk *desk
	host imagesHost
}

// New returns the images of a tab.
func newImages(ctx context.Context, d *desk, h imagesHost) *images { return &images{ctx, d, h} }

// None says why images cannot be sent to the agent, "" if they can, or if that is not
// known yet.
func (i *images) None() string {
	if i.host.Conversation() == nil || i.host.Conversation().Phase == conversation.PhaseStarting || i.host.Conversation().Agent.Capabilities.PromptCapabilities.Image {
		return ""
	}
	return termtext.Line(cmp.Or(i.host.Conversation().Agent.Name(), i.host.Agent().Name, "the agent")) + " takes no images"
}

// CannotTake says why a prompt cannot be sent to this agent, "" if it can: a picture that
// is in no file can be handed over in no other way than as an image.
func (i *images) CannotTake(p composer.Prompt) string {
	switch why := i.None(); {
	case !p.Pastes():
		return ""
	case i.host.Conversation() == nil || i.host.Conversation().Phase == conversation.PhaseStarting:
		return "the agent still has to say whether it takes images: send it when it has started"
	case why != "":
		return why + ": take the image out, or mention a file"
	}
	return ""
}

// Paste puts the image that is on the clipboard into a prompt. Reading it takes its time.
func (i *images) Paste(into *composer.Composer) tea.Cmd {
	if why := i.None(); why != "" {
		return i.desk.Say(why)
	}
	read := i.host.Clipboard()
	return beside(func() then {
		img, err := i.read(read)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return i.desk.Say(err.Error())
			case !i.host.Prompts():
				return nil
			case !into.AddImage(img):
				return i.desk.Say("the prompt holds too many images and pastes")
			}
			i.host.Pasted()
			return nil
		}
	})
}

// read reads the image on the clipboard.
func (i *images) read(read clipboardReader) (*composer.Image, error) {
	if read == nil {
		return nil, desktop.ErrNoReader
	}
	data, err := read(i.ctx, composer.ImageBytes)
	if err != nil {
		return nil, err
	}
	return composer.NewImage(data)
}
