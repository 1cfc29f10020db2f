package tab

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
)

func TestAnImageIsDrawnWhenItHasArrived(t *testing.T) {
	var data bytes.Buffer
	pixels := image.NewGray(image.Rect(0, 0, 40, 40))
	if err := png.Encode(&data, pixels); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, t.TempDir())
	b.rows = 40
	b.draw()
	cmd := b.Update(batchMsg{conversation.PromptSent{Prompt: []acpclient.ContentBlock{
		{Type: acpclient.ContentImage, MimeType: "image/png", Data: base64.StdEncoding.EncodeToString(data.Bytes())},
	}}})
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
