package tui

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
)

// media is content that cannot be drawn here: it can be saved, and shown by a
// program made for it.
type media struct {
	data string // base64, or text
	text bool
	// ext is the extension that the file gets, and opens whether a program may
	// be started for it: those for pictures and sounds only look at them.
	ext   string
	opens bool
}

// viewable are the types that are opened. The agent says what its data is, so
// the file's name comes from this table and from nowhere else.
var viewable = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/bmp": ".bmp",
	"audio/wav": ".wav", "audio/x-wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "audio/flac": ".flac", "audio/mp4": ".m4a",
}

// itemMedia is the last content of an item that can be saved, nil if there is
// none.
func itemMedia(item conversation.Item) *media {
	var found *media
	look := func(b *acpclient.ContentBlock) {
		if b == nil {
			return
		}
		switch {
		case b.Type == acpclient.ContentImage || b.Type == acpclient.ContentAudio:
			ext, ok := viewable[strings.ToLower(b.MimeType)]
			found = &media{data: b.Data, ext: ext, opens: ok}
		case b.Type == acpclient.ContentResource && b.Resource != nil && b.Resource.Blob != nil:
			found = &media{data: *b.Resource.Blob}
		case b.Type == acpclient.ContentResource && b.Resource != nil && b.Resource.Text != nil:
			found = &media{data: *b.Resource.Text, text: true, ext: ".txt"}
		}
	}
	switch i := item.(type) {
	case *conversation.Message:
		for _, p := range i.Parts {
			look(p.Block)
		}
	case *conversation.ToolCall:
		for _, c := range i.Content {
			look(c.Content)
		}
	}
	return found
}

// savedMsg says where something was saved, or why not.
type savedMsg struct {
	path string
	open bool
	err  error
}

// save writes the content to a file of its own.
func (md *media) save() tea.Msg {
	data := []byte(md.data)
	if !md.text {
		var err error
		if data, err = base64.StdEncoding.DecodeString(md.data); err != nil {
			return savedMsg{err: errors.New("the content is damaged: it is not base64")}
		}
	}
	ext := md.ext
	if ext == "" {
		ext = ".bin"
	}
	dir, err := os.MkdirTemp("", "parley-content-")
	if err != nil {
		return savedMsg{err: fmt.Errorf("save the content: %w", err)}
	}
	path := filepath.Join(dir, "content"+ext)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return savedMsg{err: fmt.Errorf("save the content: %w", err)}
	}
	return savedMsg{path: path, open: md.opens}
}

// saved tells where the content is, and shows it.
func (m *Model) saved(msg savedMsg) tea.Cmd {
	if msg.err != nil {
		return m.say(msg.err.Error())
	}
	cmd := m.say("saved as " + msg.path)
	if msg.open {
		cmd = tea.Batch(cmd, browse(msg.path, func(err error) tea.Msg { return failedMsg{err} }))
	}
	return cmd
}
