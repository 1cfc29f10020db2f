package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/tui/picture"
	"parley/tui/toolface"
	"parley/tui/transcript"
)

// pictureMsg brings an image that was decoded; it is nil if it could not be.
type pictureMsg struct {
	list  *transcript.List
	block *acpclient.ContentBlock
	thumb *picture.Thumbnail
}

// decodePictures is the command that decodes the next image that is about to be
// seen, one at a time; nil if there is none.
func (t *Tab) decodePictures() tea.Cmd {
	if t.list == nil || t.decoding {
		return nil
	}
	block := t.list.Pending()
	if block == nil {
		return nil
	}
	t.decoding = true
	list := t.list
	return func() tea.Msg {
		msg := pictureMsg{list: list, block: block}
		if media := (toolface.Places{}).Block(block).Media; media != nil {
			if data, err := media.Bytes(); err == nil {
				msg.thumb, _ = picture.Decode(data) // what cannot be drawn stays a line of words
			}
		}
		return msg
	}
}

func (t *Tab) takePicture(msg pictureMsg) {
	t.decoding = false
	msg.list.SetPicture(msg.block, msg.thumb)
}
