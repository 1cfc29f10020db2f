// Package images puts images into prompts, and says where an agent takes none.
package images

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/desktop"
	"parley/tui/tab/desk"
)

// Clipboard reads the image on the system's clipboard, of so many bytes at most.
type Clipboard = func(ctx context.Context, most int64) ([]byte, error)

// Host is the tab, as far as its images need it.
type Host interface {
	Conversation() *conversation.Conversation
	// Agent is the agent that was chosen.
	Agent() config.Agent
	// Clipboard is nil on a system that has none.
	Clipboard() Clipboard
	// Prompts reports whether there is a prompt to write, and Pasted is told that something
	// came into it, beside the keys.
	Prompts() bool
	Pasted()
}

// Images are the images that the person adds to prompts in a tab.
type Images struct {
	ctx  context.Context
	desk *desk.Desk
	host Host
}

// New returns the images of a tab.
func New(ctx context.Context, d *desk.Desk, h Host) *Images { return &Images{ctx, d, h} }

// None says why images cannot be sent to the agent, "" if they can, or if that is not
// known yet.
func (i *Images) None() string {
	if i.host.Conversation() == nil || i.host.Conversation().Phase == conversation.PhaseStarting || i.host.Conversation().Agent.Capabilities.PromptCapabilities.Image {
		return ""
	}
	return termtext.Line(cmp.Or(i.host.Conversation().Agent.Name(), i.host.Agent().Name, "the agent")) + " takes no images"
}

// CannotTake says why a prompt cannot be sent to this agent, "" if it can: a picture that
// is in no file can be handed over in no other way than as an image.
func (i *Images) CannotTake(p composer.Prompt) string {
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
func (i *Images) Paste(into *composer.Composer) tea.Cmd {
	if why := i.None(); why != "" {
		return i.desk.Say(why)
	}
	read := i.host.Clipboard()
	return desk.Beside(func() desk.Then {
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
func (i *Images) read(read Clipboard) (*composer.Image, error) {
	if read == nil {
		return nil, desktop.ErrNoReader
	}
	data, err := read(i.ctx, composer.ImageBytes)
	if err != nil {
		return nil, err
	}
	return composer.NewImage(data)
}
