package toolview

import (
	"encoding/base64"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/prompt"
	"parley/internal/termtext"
	"parley/tui/theme"
)

// Block describes a content block.
type Block struct {
	// What, Name and Detail describe the block on one line, as in "image", "image/png",
	// "3 KB". All are "" for a text block.
	What, Name, Detail string
	// Text is the text in the block: Markdown, as the agent sent it.
	Text string
	// Media is what can be saved of the block, or nil.
	Media *Media
}

// Block describes a content block. Files are shown by their paths, other addresses in
// full with every character visible.
func (p Paths) Block(b *acpclient.ContentBlock) Block {
	switch b.Type {
	case acpclient.ContentText:
		return Block{Text: b.Text}
	case acpclient.ContentImage, acpclient.ContentAudio:
		address, _ := p.address(b.URI)
		media := &Media{Data: b.Data, Ext: ".bin"}
		if ext, ok := viewable[strings.ToLower(b.MimeType)]; ok {
			media.Ext, media.Opens = ext, true
		}
		return Block{
			What: string(b.Type), Name: termtext.Line(b.MimeType),
			Detail: join(prompt.ByteSize(decodedLen(b.Data)), address), Media: media,
		}
	case acpclient.ContentResourceLink:
		return p.link(b)
	case acpclient.ContentResource:
		if b.Resource != nil {
			return p.resource(b.Resource)
		}
	}
	return Block{What: "content", Name: termtext.Line(string(b.Type)), Detail: unknownKind}
}

// folderType is the type of a link to a folder.
const folderType = "inode/directory"

func (p Paths) link(b *acpclient.ContentBlock) Block {
	what, mimeType, size := "link", termtext.Line(b.MimeType), ""
	address, file := p.address(b.URI)
	switch {
	case file && b.MimeType == folderType:
		what, mimeType = "folder", ""
	case file:
		what = "file"
	}
	name := termtext.Line(b.Title)
	if name == "" {
		name = termtext.Line(b.Name)
	}
	if file && (name == "" || name == filepath.Base(address)) {
		name = address // the path includes the name
	}
	if name == address {
		address = ""
	}
	if b.Size != nil {
		size = prompt.ByteSize(*b.Size)
	}
	return Block{What: what, Name: name, Detail: join(address, mimeType, size, termtext.Line(b.Description))}
}

func (p Paths) resource(r *acpclient.ResourceContents) Block {
	b := Block{What: "resource"}
	address, file := p.address(r.URI)
	if b.Name = address; file {
		b.What = "file"
	} else if u, err := url.Parse(r.URI); err == nil && u.Scheme == outputScheme {
		b.What, b.Name = "output of", "$ "+termtext.VisibleLine(strings.TrimPrefix(u.Path, "/"))
	}
	size := ""
	switch {
	case r.Blob != nil:
		size = prompt.ByteSize(decodedLen(*r.Blob))
		b.Media = &Media{Data: *r.Blob, Ext: ".bin"}
	case r.Text != nil:
		size = prompt.ByteSize(int64(len(*r.Text)))
		b.Text = *r.Text
		b.Media = &Media{Data: *r.Text, Plain: true, Ext: ".txt"}
	}
	b.Detail = join(termtext.Line(r.MimeType), size)
	return b
}

// mark precedes the description of a block.
const mark = "▣ "

// String describes the block on one line; "" for a text block.
func (b Block) String() string {
	if b.What == "" {
		return ""
	}
	line := mark + b.What + " " + b.Name
	if b.Detail != "" {
		line += "  " + b.Detail
	}
	return line
}

// Styled is String in a theme's colours.
func (b Block) Styled(th *theme.Theme) string {
	if b.What == "" {
		return ""
	}
	line := th.Info.Render(mark+b.What) + " " + th.Text.Render(b.Name)
	if b.Detail != "" {
		line += th.Muted.Render("  " + b.Detail)
	}
	return line
}

// Media is content that a terminal cannot draw. It can be saved, and shown by another
// program.
type Media struct {
	// Data is the content in base64, or unencoded if Plain is set.
	Data  string
	Plain bool
	// Ext is the extension for its file.
	Ext string
	// Opens means that a program may be started to show the file: programs for pictures
	// and sounds only read them.
	Opens bool
}

// viewable are the types that may be opened. The agent declares the type of its data,
// so the file's extension comes only from this table.
var viewable = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/bmp": ".bmp",
	"audio/wav": ".wav", "audio/x-wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "audio/flac": ".flac", "audio/mp4": ".m4a",
}

// Bytes decodes the content.
func (m *Media) Bytes() ([]byte, error) {
	if m.Plain {
		return []byte(m.Data), nil
	}
	data, err := base64.StdEncoding.DecodeString(m.Data)
	if err != nil {
		return nil, errors.New("the content is damaged: it is not base64")
	}
	return data, nil
}

// decodedLen estimates the size of a base64 text in bytes.
func decodedLen(data string) int64 { return int64(len(data)) * 3 / 4 }

// join joins the parts that are not empty.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}
