package composer

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// mostOutput bounds the output that goes with a prompt, in bytes. Its end is kept.
const mostOutput = 64 << 10

// ShortCommand is the beginning of a command's line.
func ShortCommand(term *conversation.Terminal) string {
	const most = 32
	line := []rune(termtext.VisibleLine(term.Command))
	if len(line) > most {
		return string(line[:most]) + "…"
	}
	return string(line)
}

// OutputAttachment is the output of a command that the person has run.
func OutputAttachment(term *conversation.Terminal) Attachment {
	text, state := toolview.Printed(term), toolview.Ended(term.Exit)
	if cut := len(text) - mostOutput; cut > 0 {
		text = strings.ToValidUTF8(text[cut:], "")
		if _, rest, whole := strings.Cut(text, "\n"); whole {
			text = rest
		}
		text = "[the beginning is left out]\n" + text
	}
	lines := strings.Count(text, "\n")
	if text != "" {
		lines++
	}
	words := "lines"
	if lines == 1 {
		words = "line"
	}
	return Attachment{
		Label: fmt.Sprintf("output of $ %s: %d %s, %s", ShortCommand(term), lines, words, termtext.Line(state)),
		URI:   toolview.OutputURI(term),
		Text:  fmt.Sprintf("$ %s\n%s\n[%s]", term.Command, text, state),
	}
}

// outputLabel stands in the text of a prompt for attached output, imageLabel for an image
// without a file.
var (
	outputLabel = regexp.MustCompile(`\[(output of \$ [^\]]*)\] ?`)
	imageLabel  = regexp.MustCompile(`\[image, [0-9]+×[0-9]+, [^\]]*\] ?`)
)

// LoadPrompt puts a sent prompt back into the composer, with its output and its images. An
// image of a file comes back by its mention.
func (c *Composer) LoadPrompt(text string, blocks []acpclient.ContentBlock) tea.Cmd {
	var attached []Attachment
	var images []*Image
	for _, b := range blocks {
		switch {
		case b.Type == acpclient.ContentImage && b.URI == "":
			at := imageLabel.FindStringIndex(text)
			data, err := base64.StdEncoding.DecodeString(b.Data)
			if at == nil || err != nil {
				continue
			}
			if img, err := NewImage(data); err == nil {
				images = append(images, img)
				text = text[:at[0]] + text[at[1]:]
			}
		case b.Resource == nil || b.Resource.Text == nil || !toolview.IsOutput(b.Resource.URI):
		default:
			if at := outputLabel.FindStringSubmatchIndex(text); at != nil {
				attached = append(attached, Attachment{Label: text[at[2]:at[3]], URI: b.Resource.URI, Text: *b.Resource.Text})
				text = text[:at[0]] + text[at[1]:]
			}
		}
	}
	cmd := c.Load(text)
	for _, a := range attached {
		c.Attach(a)
	}
	for _, img := range images {
		c.AddImage(img)
	}
	return cmd
}
