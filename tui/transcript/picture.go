package transcript

import (
	"weak"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/desktop"
	"parley/tui/theme"
)

const (
	// pictureRows bounds the height of a picture in lines.
	pictureRows = 20
	// nearPictures bounds the pictures in sight that are drawn. keepPictures bounds those
	// that are cached and must be more.
	nearPictures, keepPictures = 64, 128
	// near is how many items above and below the screen have their pictures decoded in
	// advance.
	near = 40
)

// pictures caches the decoded images of the transcript, by their blocks: content is
// replaced and never changed in place. It keeps no block that the conversation has let go.
type pictures struct {
	made    map[weak.Pointer[acpclient.ContentBlock]]*drawnPicture
	clock   uint64
	version uint64 // counts the decoded images
}

// drawnPicture is an image and its lines as drawn last.
type drawnPicture struct {
	thumb *desktop.Thumbnail // nil until it is decoded, and if it cannot be
	used  uint64
	width int
	lines []string
}

// Pending returns the next image in or near sight that is not decoded yet, nil without
// one. It returns each image once: the caller decodes it and passes it to
// [List.SetPicture].
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

// images returns the images in an item.
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

// want marks an image as used and reports whether it must be decoded.
func (p *pictures) want(b *acpclient.ContentBlock) bool {
	p.clock++
	key := weak.Make(b)
	if made, ok := p.made[key]; ok {
		made.used = p.clock
		return false
	}
	if len(p.made) >= keepPictures {
		var oldest weak.Pointer[acpclient.ContentBlock]
		least := p.clock
		for k, made := range p.made {
			if made.used < least {
				oldest, least = k, made.used
			}
		}
		delete(p.made, oldest)
	}
	if p.made == nil {
		p.made = map[weak.Pointer[acpclient.ContentBlock]]*drawnPicture{}
	}
	p.made[key] = &drawnPicture{used: p.clock}
	return true
}

// SetPicture sets a decoded image. With nil, only a line describes the image.
func (l *List) SetPicture(b *acpclient.ContentBlock, thumb *desktop.Thumbnail) {
	if made := l.pictures.made[weak.Make(b)]; made != nil && thumb != nil {
		made.thumb = thumb
		l.pictures.version++
	}
}

// forget forgets all images.
func (p *pictures) forget() { *p = pictures{version: p.version + 1} }

// lines draws an image if it is decoded.
func (p *pictures) lines(b *acpclient.ContentBlock, width int) []string {
	if p == nil || b.Type != acpclient.ContentImage || b.Data == "" {
		return nil
	}
	made := p.made[weak.Make(b)]
	if made == nil || made.thumb == nil {
		return nil
	}
	if made.width != width {
		made.width, made.lines = width, made.thumb.Lines(width, pictureRows)
	}
	return made.lines
}
