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
	"parley/tui/desktop"
)

// agentThatTakes is the conversation with an agent that takes images, or does not.
func agentThatTakes(images bool) *conversation.Conversation {
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
		{"an image", "", agentThatTakes(true), func(context.Context, int64) ([]byte, error) { return dot.Bytes(), nil }},
		{"no image", "there is no image on the clipboard", agentThatTakes(true), func(context.Context, int64) ([]byte, error) { return nil, desktop.ErrNoImage }},
		{"an odd error", "it is no image", agentThatTakes(true), func(context.Context, int64) ([]byte, error) { return nil, errors.New("it is no\x1b[31m image") }},
		{"no clipboard", desktop.ErrNoReader.Error(), agentThatTakes(true), nil},
		{"an agent without eyes", "Blind takes no images", agentThatTakes(false), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			runBench(t, func(t *testing.T, b *bench) {
				b.ready()
				b.conv, b.agent, b.program.ClipboardImage = c.conv, config.Agent{Name: "Blind"}, c.read
				b.list.Focus(true)
				b.Do(b.images.Paste(b.composer))
				b.MustSay(c.want)
				if added := !b.composer.Empty(); added != (c.want == "") || added == b.reader.Focused() {
					t.Errorf("added %v, and the transcript has the keys: %v", added, b.reader.Focused())
				}
			})
		})
	}
}
