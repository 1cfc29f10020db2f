package tab

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
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
	b.Update(firstPicture(cmd))
	b.mustShow(t, "image/png", "▀▀▀")
}

// firstPicture waits for the image that one of a command's commands decodes; others of
// them wait for what never comes.
func firstPicture(cmd tea.Cmd) tea.Msg {
	found := make(chan tea.Msg, 1)
	var follow func(tea.Cmd)
	follow = func(cmd tea.Cmd) {
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, c := range msg {
				go follow(c)
			}
		case Msg:
			if _, is := msg.Msg.(pictureMsg); is {
				found <- msg.Msg
			}
		}
	}
	go follow(cmd)
	return <-found
}
