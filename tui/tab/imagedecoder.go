// This file decodes the images of a transcript, one at a time, when they are about to
// be seen.

package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/desktop"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// imageDecoder decodes images. Its zero value decodes none yet.
type imageDecoder struct{ busy bool }

// Next is the command that decodes the next image of a list that is about to be seen; nil
// if there is none, or another one is being decoded. The list may be nil.
func (d *imageDecoder) Next(list *transcript.List) tea.Cmd {
	if list == nil || d.busy {
		return nil
	}
	block := list.Pending()
	if block == nil {
		return nil
	}
	d.busy = true
	return beside(func() then {
		var thumb *desktop.Thumbnail
		if media := (toolview.Paths{}).Block(block).Media; media != nil {
			if data, err := media.Bytes(); err == nil {
				thumb, _ = desktop.DecodeImage(data) // what cannot be drawn stays a line of words
			}
		}
		return func() tea.Cmd {
			d.busy = false
			list.SetPicture(block, thumb)
			return nil
		}
	})
}
