package tab

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"testing"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/composer"
	"parley/tui/desktop"
	"parley/tui/theme"
)

// place is a tab whose agent takes images, or does not.
type imagesPlace struct {
	conv  *conversation.Conversation
	read  clipboardReader
	focus bool
}

func (p *imagesPlace) Conversation() *conversation.Conversation { return p.conv }
func (p *imagesPlace) Agent() config.Agent                      { return config.Agent{Name: "Blind"} }
func (p *imagesPlace) Clipboard() clipboardReader               { return p.read }
func (p *imagesPlace) Prompts() bool                            { return true }
func (p *imagesPlace) Pasted()                                  { p.focus = true }

// ready is the conversation with an agent that is there.
func imagesReady(images bool) *conversation.Conversation {
	c := conversation.New()
	info := &acpclient.InitializeResponse{}
	info.AgentCapabilities.PromptCapabilities.Image = images
	c.Apply(conversation.AgentReady{Info: info})
	c.Apply(conversation.SessionOpened{ID: "s"})
	return c
}

func TestPaste(t *testing.T) {
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		conv       *conversation.Conversation
		read       clipboardReader
	}{
		{"an image", "", imagesReady(true), func(context.Context, int64) ([]byte, error) { return dot.Bytes(), nil }},
		{"no image", "there is no image on the clipboard", imagesReady(true), func(context.Context, int64) ([]byte, error) { return nil, desktop.ErrNoImage }},
		{"an odd error", "it is no image", imagesReady(true), func(context.Context, int64) ([]byte, error) { return nil, errors.New("it is no\x1b[31m image") }},
		{"no clipboard", desktop.ErrNoReader.Error(), imagesReady(true), nil},
		{"an agent without eyes", "Blind takes no images", imagesReady(false), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			runBench(t, func(t *testing.T, b *deskBench) {
				p := &imagesPlace{conv: c.conv, read: c.read}
				prompt := composer.New(composer.Options{Theme: theme.New(true), Keys: config.DefaultKeys()})
				b.Do(newImages(t.Context(), b.desk, p).Paste(prompt))
				b.MustSay(c.want)
				if added := !prompt.Empty(); added != (c.want == "") || added != p.focus {
					t.Errorf("added %v, and the prompt has the keys: %v", added, p.focus)
				}
			})
		})
	}
}
