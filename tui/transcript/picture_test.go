package transcript

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/tui/desktop"
	"parley/tui/theme"
)

// imageOf is a content block with an image of so many pixels.
func imageOf(t *testing.T, width, height int) (acpclient.ContentBlock, *desktop.Thumbnail) {
	t.Helper()
	pixels := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range pixels.Pix {
		pixels.Pix[i] = 0xff
	}
	var b bytes.Buffer
	if err := png.Encode(&b, pixels); err != nil {
		t.Fatal(err)
	}
	thumb, err := desktop.DecodeImage(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return acpclient.ContentBlock{
		Type: acpclient.ContentImage, MimeType: "image/png", Data: base64.StdEncoding.EncodeToString(b.Bytes()),
	}, thumb
}

func TestPicturesAreDrawnBelowTheirLine(t *testing.T) {
	block, thumb := imageOf(t, 400, 300)
	l := newList(fold(ask("x"), tool("a", acpclient.ToolCompleted, acpclient.ToolCallContent{Type: acpclient.ToolContentBlock, Content: &block})), 80, 60)
	if text := view(l); strings.Contains(text, "▀") || !strings.Contains(text, "image/png") {
		t.Errorf("not as it is before it was decoded:\n%s", text)
	}
	wanted := l.Pending()
	if wanted == nil || l.Pending() != nil {
		t.Fatal("it has to be decoded once")
	}
	l.SetPicture(wanted, thumb)
	for _, width := range []int{80, 30} {
		l.SetSize(width, 60)
		rows := 0
		for line := range strings.Lines(view(l)) {
			if n := strings.Count(line, "▀"); n > 0 {
				rows++
				if n > width {
					t.Errorf("%d cells in %d columns", n, width)
				}
			}
		}
		if rows == 0 || rows > pictureRows {
			t.Errorf("in %d columns it takes %d lines", width, rows)
		}
	}
	l.Focus(true)
	if l.Excerpt().Media == nil {
		t.Error("it can no longer be saved")
	}
	l.SetTheme(theme.NewFor(true, theme.Colors16))
	if strings.Contains(view(l), "▀") || l.Pending() != nil {
		t.Errorf("it is drawn in 16 colours:\n%s", view(l))
	}
}

func TestOnlyPicturesNearbyAreMade(t *testing.T) {
	block, thumb := imageOf(t, 4, 4)
	c := fold(ask("x"))
	for range 500 {
		b := block
		b.Data = strings.Clone(block.Data) // another image
		c.Apply(tool(string(rune(0x4e00+len(c.Items))), acpclient.ToolCompleted, acpclient.ToolCallContent{Type: acpclient.ToolContentBlock, Content: &b}))
	}
	l := newList(c, 80, 20)
	made := 0
	for b := l.Pending(); b != nil && made < 1000; b = l.Pending() {
		l.SetPicture(b, thumb)
		made++
	}
	if made == 0 || made > nearPictures {
		t.Errorf("%d were made for a screen of 20 lines", made)
	}
	l.Top()
	l.Lines()
	for b := l.Pending(); b != nil && made < 1000; b = l.Pending() {
		l.SetPicture(b, thumb)
		made++
	}
	if made > 2*nearPictures || len(l.pictures.made) > keepPictures {
		t.Errorf("%d were made, %d are kept", made, len(l.pictures.made))
	}
	if !strings.Contains(view(l), "▀") {
		t.Errorf("nothing is drawn at the top:\n%s", view(l))
	}
}
