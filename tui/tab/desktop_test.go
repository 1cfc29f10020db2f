package tab

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/desktop"
)

func TestPaste(t *testing.T) {
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		takes      bool
		read       func(context.Context, int64) ([]byte, error)
	}{
		{"an image", "", true, func(context.Context, int64) ([]byte, error) { return dot.Bytes(), nil }},
		{"no image", "there is no image on the clipboard", true, func(context.Context, int64) ([]byte, error) { return nil, desktop.ErrNoImage }},
		{"an odd error", "it is no image", true, func(context.Context, int64) ([]byte, error) { return nil, errors.New("it is no\x1b[31m image") }},
		{"an agent without eyes", "agent takes no images", false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			runBench(t, func(t *testing.T, b *bench) {
				b.ready()
				info := &acpclient.InitializeResponse{}
				info.AgentCapabilities.PromptCapabilities.Image = c.takes
				b.conv().Apply(conversation.AgentReady{Info: info})
				b.program.ClipboardImage = c.read
				b.list().Focus(true)
				b.Do(b.prompt.pasteImage())
				b.MustSay(c.want)
				if added := !b.composer.Empty(); added != (c.want == "") || added == b.list().Focused() {
					t.Errorf("added %v, and the transcript has the keys: %v", added, b.list().Focused())
				}
			})
		})
	}
}

func TestAnImageIsDrawnWhenItHasArrived(t *testing.T) {
	var data bytes.Buffer
	pixels := image.NewGray(image.Rect(0, 0, 40, 40))
	if err := png.Encode(&data, pixels); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, t.TempDir())
	b.rows = 40
	b.draw()
	cmd := b.batch(conversation.PromptSent{Prompt: []acpclient.ContentBlock{
		{Type: acpclient.ContentImage, MimeType: "image/png", Data: base64.StdEncoding.EncodeToString(data.Bytes())},
	}})
	b.mustShow(t, "image/png")
	b.mustNotShow(t, "▀▀▀")
	b.untilShown(cmd, "▀▀▀")
	b.mustShow(t, "image/png", "▀▀▀")
}

// untilShown takes what comes of a command until something is on the screen. Others of its
// commands wait for what never comes.
func (b *bench) untilShown(cmd tea.Cmd, words string) {
	came := make(chan tea.Msg, 100)
	var follow func(tea.Cmd)
	follow = func(cmd tea.Cmd) {
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, c := range msg {
				go follow(c)
			}
		case Msg:
			came <- msg.Msg
		}
	}
	go follow(cmd)
	for !strings.Contains(b.screen(), words) {
		b.Update(<-came)
	}
}
