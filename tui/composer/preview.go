package composer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/prompt"
	"parley/internal/termtext"
)

const (
	previewFrom  = 90      // minimum columns for a preview
	previewBytes = 8 << 10 // how much of a file is read for it
)

// preview is the beginning of the file that is marked in the popup.
type preview struct {
	path    string // of the lines
	lines   []string
	reading bool // a command is reading
}

// previews reports whether there is room for a preview beside the offers.
func (c *Composer) previews() bool {
	return c.width >= previewFrom && c.completion.kind == fileCompletion && c.completion.open() && len(c.completion.items) > 0
}

// offerWidth returns the number of columns of an offer.
func (c *Composer) offerWidth() int {
	if c.previews() {
		return c.textWidth() / 2
	}
	return c.textWidth()
}

// besidePreview appends line i of the preview to an offer.
func (c *Composer) besidePreview(offer string, i int) string {
	column := gutter + c.offerWidth()
	line := offer + strings.Repeat(" ", max(0, column-termtext.Width(offer))) + c.theme.Faint.Render("│ ")
	if p := &c.completion; c.preview.path == p.items[p.window.Mark].label && i < len(c.preview.lines) {
		line += c.theme.Muted.Render(termtext.Truncate(c.preview.lines[i], c.width-column-3, "…"))
	}
	return line
}

// previewDue returns the command that reads the preview of the marked file, one at a
// time; nil if there is nothing to read.
func (c *Composer) previewDue() tea.Cmd {
	p := &c.completion
	if !c.previews() || c.preview.reading || c.preview.path == p.items[p.window.Mark].label {
		return nil
	}
	c.preview.reading = true
	root, path := c.root, p.items[p.window.Mark].label
	return func() tea.Msg {
		lines := readPreview(root, path)
		return resultMsg{c, func() tea.Cmd { return c.takePreview(root, path, lines) }}
	}
}

func (c *Composer) takePreview(root, path string, lines []string) tea.Cmd {
	c.preview = preview{path: path, lines: lines}
	if root != c.root {
		c.preview.path = ""
	}
	return c.previewDue()
}

// readPreview returns the first lines of a file of the project.
func readPreview(root, path string) []string {
	f := prompt.NewFiles(root, acpclient.PromptCapabilities{})
	defer f.Close()
	abs, info := f.Look(strings.TrimSuffix(path, "/"))
	switch {
	case info == nil:
		return []string{"(it is not there any more)"}
	case info.IsDir():
		return previewDir(abs)
	case prompt.IsImageName(abs):
		if img, err := prompt.LookAtImage(abs, info); err == nil {
			return []string{fmt.Sprintf("an image, %d×%d, %s", img.Width, img.Height, prompt.ByteSize(info.Size()))}
		}
	}
	head, err := fs.ReadHead(abs, previewBytes)
	switch {
	case err != nil:
		return []string{"(it cannot be read)"}
	case len(head) == 0:
		return []string{"(empty)"}
	case !prompt.BeginsAsText(head):
		return []string{"(no text, " + prompt.ByteSize(info.Size()) + ")"}
	}
	lines := strings.SplitN(clean(strings.ToValidUTF8(string(head), "")), "\n", popupRows+1)
	lines = lines[:min(len(lines), popupRows)]
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, "\t", strings.Repeat(" ", tabWidth))
	}
	return lines
}

// previewDir lists the beginning of a directory.
func previewDir(abs string) []string {
	dir, err := os.Open(abs)
	if err != nil {
		return []string{"(it cannot be read)"}
	}
	defer func() { _ = dir.Close() }()
	const most = 200
	entries, _ := dir.ReadDir(most)
	var names []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += string(filepath.Separator)
		}
		names = append(names, oneLine(name))
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return []string{"(empty)"}
	case len(names) <= popupRows && len(entries) < most:
		return names
	}
	return append(names[:min(len(names), popupRows-1)], "…")
}
