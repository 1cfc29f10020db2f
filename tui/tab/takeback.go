package tab

import (
	"encoding/base64"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/pattern"
	"parley/tui/composer"
	"parley/tui/toolview"
)

// outputLabel is what stands in the text of a prompt for output that goes with it, and
// imageLabel for an image that is in no file.
var (
	outputLabel = pattern.New(`\[(output of \$ [^\]]*)\] ?`)
	imageLabel  = pattern.New(`\[image, [0-9]+×[0-9]+, [^\]]*\] ?`)
)

// takeBack puts a prompt back into the composer, with the output and the images that were
// to go with it. An image of a file comes back by its mention.
func (o *promptQueue) takeBack(text string, blocks []acpclient.ContentBlock) tea.Cmd {
	var attached []composer.Attachment
	var images []*composer.Image
	for _, b := range blocks {
		switch {
		case b.Type == acpclient.ContentImage && b.URI == "":
			at := imageLabel().FindStringIndex(text)
			data, err := base64.StdEncoding.DecodeString(b.Data)
			if at == nil || err != nil {
				continue
			}
			if img, err := composer.NewImage(data); err == nil {
				images = append(images, img)
				text = text[:at[0]] + text[at[1]:]
			}
		case b.Resource == nil || b.Resource.Text == nil || !toolview.IsOutput(b.Resource.URI):
		default:
			if at := outputLabel().FindStringSubmatchIndex(text); at != nil {
				attached = append(attached, composer.Attachment{Label: text[at[2]:at[3]], URI: b.Resource.URI, Text: *b.Resource.Text})
				text = text[:at[0]] + text[at[1]:]
			}
		}
	}
	cmd := o.tab.composer.Load(text)
	for _, a := range attached {
		o.tab.composer.Attach(a)
	}
	for _, img := range images {
		o.tab.composer.AddImage(img)
	}
	return cmd
}

// Escape is esc where there is nothing to cancel or to close: pressed twice on an empty
// prompt, it brings the last prompt back to be edited.
func (o *promptQueue) Escape() tea.Cmd {
	if !o.tab.composer.Empty() || !o.hasLast() {
		return nil
	}
	if !o.Escapes() {
		o.escaped = o.tab.program.Now()
		return redraw(againTime)
	}
	o.escaped = time.Time{}
	if o.last != nil {
		o.tab.composer.Restore(*o.last)
		return nil
	}
	return o.tab.composer.Load(lastPrompt(o.tab.conv))
}

// Escapes reports whether another esc would bring the last prompt back.
func (o *promptQueue) Escapes() bool {
	return !o.escaped.IsZero() && o.tab.program.Now().Sub(o.escaped) < againTime
}

func (o *promptQueue) hasLast() bool {
	return o.last != nil || o.tab.conv != nil && lastPrompt(o.tab.conv) != ""
}

// lastPrompt is the text of the last prompt of a conversation, "" if there is none.
func lastPrompt(c *conversation.Conversation) string {
	for i := len(c.Items) - 1; i >= 0; i-- {
		m, ok := c.Items[i].(*conversation.Message)
		if !ok || m.Chunk != acpclient.UserMessageChunk || m.Parent != "" {
			continue
		}
		var text strings.Builder
		for _, p := range m.Parts {
			if p.Block == nil {
				text.WriteString(p.Text())
			}
		}
		return text.String()
	}
	return ""
}
