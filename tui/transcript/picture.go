package transcript

import (
	"unsafe"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/desktop"
	"parley/tui/theme"
)

const (
	// pictureRows is how many lines a picture takes at most.
	pictureRows = 20
	// nearPictures is how many pictures in sight are drawn, keepPictures how many stay
	// ready to be drawn, which must be more.
	nearPictures, keepPictures = 64, 128
	// near is how many items above and below the screen have their pictures made: they
	// are ready when they come into sight.
	near = 40
)

// pictureKey names an image by where its data is in memory: content is replaced
// whole and never changed in place.
type pictureKey struct {
	data *byte
	size int
}

func keyOf(b *acpclient.ContentBlock) pictureKey {
	return pictureKey{unsafe.StringData(b.Data), len(b.Data)}
}

// pictures are the images of the transcript that were made ready to be drawn.
type pictures struct {
	made    map[pictureKey]*drawnPicture
	clock   uint64
	version uint64 // counts those that came to be ready
}

// drawnPicture is an image, and its lines as they were drawn last.
type drawnPicture struct {
	thumb *desktop.Thumbnail // nil while it is being made, and if it cannot be
	used  uint64
	width int
	lines []string
}

// Pending is the next image that is in sight, or nearly, and not ready to be drawn;
// nil if there is none. It is given once: whoever takes it decodes it and hands it
// to [List.SetPicture].
func (l *List) Pending() *acpclient.ContentBlock {
	if l.theme.Depth == theme.Colors16 {
		return nil
	}
	n, seen := l.firstLine().node, 0
	for range near {
		if n == nil || n.Preceding(l.opens) == nil {
			break
		}
		n = n.Preceding(l.opens)
	}
	for i := 0; n != nil && i < l.height+2*near; i++ {
		for b := range images(n.Item()) {
			if seen++; seen > nearPictures {
				return nil
			}
			if l.pictures.want(b) {
				return b
			}
		}
		n = n.Following(l.opens)
	}
	return nil
}

// images are the images in an item.
func images(item conversation.Item) func(yield func(*acpclient.ContentBlock) bool) {
	is := func(b *acpclient.ContentBlock) bool {
		return b != nil && b.Type == acpclient.ContentImage && b.Data != "" && b.Annotations.ForUser()
	}
	return func(yield func(*acpclient.ContentBlock) bool) {
		switch i := item.(type) {
		case *conversation.Message:
			for n := range i.Parts {
				if b := i.Parts[n].Block; is(b) && !yield(b) {
					return
				}
			}
		case *conversation.ToolCall:
			for n := range i.Content {
				if b := i.Content[n].Content; is(b) && !yield(b) {
					return
				}
			}
		}
	}
}

// want notes that an image is in sight, and reports whether it has to be made.
func (p *pictures) want(b *acpclient.ContentBlock) bool {
	p.clock++
	key := keyOf(b)
	if made, ok := p.made[key]; ok {
		made.used = p.clock
		return false
	}
	if len(p.made) >= keepPictures {
		var oldest pictureKey
		least := p.clock
		for k, made := range p.made {
			if made.used < least {
				oldest, least = k, made.used
			}
		}
		delete(p.made, oldest)
	}
	if p.made == nil {
		p.made = map[pictureKey]*drawnPicture{}
	}
	p.made[key] = &drawnPicture{used: p.clock}
	return true
}

// SetPicture takes an image that was decoded. One that is nil cannot be drawn: a line
// about it is all that is shown.
func (l *List) SetPicture(b *acpclient.ContentBlock, thumb *desktop.Thumbnail) {
	if made := l.pictures.made[keyOf(b)]; made != nil && thumb != nil {
		made.thumb = thumb
		l.pictures.version++
	}
}

// forget forgets all images.
func (p *pictures) forget() { *p = pictures{version: p.version + 1} }

// lines draw an image, if it is ready.
func (p *pictures) lines(b *acpclient.ContentBlock, width int) []string {
	if p == nil || b.Type != acpclient.ContentImage || b.Data == "" {
		return nil
	}
	made := p.made[keyOf(b)]
	if made == nil || made.thumb == nil {
		return nil
	}
	if made.width != width {
		made.width, made.lines = width, made.thumb.Lines(width, pictureRows)
	}
	return made.lines
}

// at is which pictures are ready: what was drawn before another came is drawn anew.
func (p *pictures) at() uint64 {
	if p == nil {
		return 0
	}
	return p.version
}
