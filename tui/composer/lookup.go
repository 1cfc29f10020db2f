package composer

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
)

const (
	lookedUpAtOnce = 50       // mentions that one command looks up
	lookedUpKept   = 1000     // and results that the draft remembers
	lookedUpIn     = 16 << 10 // the longest line whose mentions are looked up, in bytes
)

// lookup holds the known mentions of a draft: how a mention is shown depends on whether
// its file exists, which takes disk access.
type lookup struct {
	// there says whether a mentioned path exists; a path that is missing was not looked
	// up.
	there map[string]bool
}

// mentionsMsg reports what mentions of a draft refer to.
type mentionsMsg struct {
	owner *Composer
	chips *chips // of their draft
	root  string
	there map[string]bool
	// images are the files that are images, refused the reasons against others.
	images  map[string]*Image
	refused map[string]error
}

// names reports whether a mention is known to refer to something.
func (l *lookup) names(m mention) bool { return l.there[m.path] }

// lookUp returns the command that looks up the visible unknown mentions; nil if there
// are none.
func (c *Composer) lookUp() tea.Cmd {
	if c.search != nil || c.IsCommand() {
		return nil
	}
	var due []mention
	last := min(len(c.buf.lines), c.top.line+c.maxHeight)
	for row := c.top.line; row < last; row++ {
		text := c.buf.lines[row].text
		if len(text) > lookedUpIn {
			continue
		}
		for _, m := range mentions(text) {
			if _, known := c.looked.there[m.path]; known || m.path == "" || c.writing(row, m) || len(due) == lookedUpAtOnce {
				continue
			}
			due = append(due, m)
		}
	}
	if len(due) == 0 {
		return nil
	}
	if c.looked.there == nil || len(c.looked.there) > lookedUpKept {
		c.looked.there = map[string]bool{}
	}
	for _, m := range due {
		c.looked.there[m.path] = false // until it is known
	}
	root, chips, images := c.root, c.chips, c.refusesImages() == nil
	return func() tea.Msg {
		msg := lookAt(root, due, images)
		msg.owner, msg.chips, msg.root = c, chips, root
		return msg
	}
}

// writing reports whether a mention is being typed: the cursor is after it, and the
// popup offers completions.
func (c *Composer) writing(row int, m mention) bool {
	return c.buf.cur.row == row && c.buf.cur.col == m.to && c.completion.kind == fileCompletion && !c.completion.closed
}

// lookAt looks mentions up on disk.
func lookAt(root string, due []mention, images bool) mentionsMsg {
	f := newFiles(root, acpclient.PromptCapabilities{})
	defer f.close()
	msg := mentionsMsg{there: map[string]bool{}, images: map[string]*Image{}, refused: map[string]error{}}
	for _, m := range due {
		for name, lines := range m.names() {
			abs, info := f.look(name)
			if info == nil || info.IsDir() && lines.some() {
				continue
			}
			msg.there[m.path] = true
			if name != m.path || info.IsDir() || !isImageName(name) || !images {
				break
			}
			if img, err := lookAtImage(abs, info); err != nil {
				msg.refused[m.path] = err
			} else {
				img.Name = name
				msg.images[m.path] = img
			}
			break
		}
	}
	return msg
}

// takeLookup marks what was found, and replaces images by chips.
func (c *Composer) takeLookup(msg mentionsMsg) tea.Cmd {
	if msg.chips != c.chips || msg.root != c.root || c.looked.there == nil {
		return nil // the draft is gone
	}
	for path, there := range msg.there {
		c.looked.there[path] = there
	}
	for path, img := range msg.images {
		c.chipImage(path, img)
	}
	for path, err := range msg.refused {
		err := fmt.Errorf("%s goes as a link, not as an image: %w", oneLine(path), err)
		return func() tea.Msg { return ErrorMsg{Err: err} }
	}
	return nil
}

// chipImage replaces each mention of an image by a chip. The cursor stays in place.
func (c *Composer) chipImage(path string, img *Image) {
	for row := range c.buf.lines {
		text := c.buf.lines[row].text
		if len(text) > lookedUpIn {
			continue
		}
		for {
			list := mentions(c.buf.lines[row].text)
			at := -1
			for i, m := range list {
				if m.path == path && !c.writing(row, m) {
					at = i
				}
			}
			if at < 0 {
				break
			}
			mark := c.chips.image(img)
			if mark == "" {
				return
			}
			m, cur := list[at], c.buf.cur
			c.buf.replace(pos{row, m.from}, pos{row, m.to}, mark)
			switch {
			case cur.row != row || cur.col <= m.from:
			case cur.col < m.to:
				cur.col = m.from + len(mark)
			default:
				cur.col += len(mark) - (m.to - m.from)
			}
			c.buf.move(cur)
		}
	}
}

// refusesImages returns why images are not sent, nil if they are.
func (c *Composer) refusesImages() error {
	if c.noImages == nil {
		return nil
	}
	if why := c.noImages(); why != "" {
		return errors.New(why)
	}
	return nil
}

// droppedBytes bounds a paste that is checked for file names.
const droppedBytes = 8 << 10

// droppedMsg means that pasted text consists of images dropped on the terminal, which
// pastes their paths.
type droppedMsg struct {
	owner  *Composer
	chips  *chips
	pasted string
	paths  []string
}

// dropped returns the command that checks whether a paste consists of paths of images,
// as terminals paste dropped files; nil if it cannot.
func (c *Composer) dropped(text string) tea.Cmd {
	paths := droppedPaths(text)
	if paths == nil {
		return nil
	}
	chips, root := c.chips, c.root
	return func() tea.Msg {
		f := newFiles(root, acpclient.PromptCapabilities{})
		defer f.close()
		for _, p := range paths {
			if _, info := f.look(p); info == nil || info.IsDir() {
				return nil
			}
		}
		return droppedMsg{c, chips, text, paths}
	}
}

// droppedPaths returns the absolute paths of images that a text consists of, or nil.
// Terminals quote a path, escape its spaces, write a URL, or do nothing.
func droppedPaths(text string) []string {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > droppedBytes || strings.ContainsAny(text, "\n\r") {
		return nil
	}
	if whole, ok := droppedPath(text); ok && !strings.ContainsAny(text, `\'"`) {
		return []string{whole}
	}
	var paths []string
	for _, word := range shellWords(text) {
		p, ok := droppedPath(word)
		if !ok {
			return nil
		}
		paths = append(paths, p)
	}
	return paths
}

func droppedPath(word string) (string, bool) {
	if u, err := url.Parse(word); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
		word = filepath.FromSlash(u.Path)
	}
	return word, filepath.IsAbs(word) && isImageName(word) && clean(word) == word
}

// shellWords splits a text at spaces that are neither quoted nor escaped.
func shellWords(text string) (words []string) {
	var word strings.Builder
	quote, inside := byte(0), false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quote != 0 && b == quote:
			quote = 0
		case quote == 0 && (b == '\'' || b == '"'):
			quote, inside = b, true
		case b == '\\' && quote != '\'' && i+1 < len(text) && filepath.Separator == '/':
			i++
			word.WriteByte(text[i])
			inside = true
		case b == ' ' && quote == 0:
			if inside {
				words = append(words, word.String())
			}
			word.Reset()
			inside = false
		default:
			word.WriteByte(b)
			inside = true
		}
	}
	if inside {
		words = append(words, word.String())
	}
	return words
}

// takeDropped replaces the pasted text by mentions, if it is still there.
func (c *Composer) takeDropped(msg droppedMsg) tea.Cmd {
	if msg.chips != c.chips {
		return nil
	}
	pasted := oneLine(msg.pasted)
	var list []string
	for _, p := range msg.paths {
		list = append(list, writeMention(p))
	}
	for row := range c.buf.lines {
		at := strings.LastIndex(c.buf.lines[row].text, pasted)
		if at < 0 {
			continue
		}
		before, text := "", strings.Join(list, " ")+" "
		if at > 0 && !opensWord(c.buf.lines[row].text[:at]) {
			before = " "
		}
		c.buf.replace(pos{row, at}, pos{row, at + len(pasted)}, before+text)
		if err := c.refusesImages(); err != nil {
			return func() tea.Msg { return ErrorMsg{Err: fmt.Errorf("%w: the file goes as a link", err)} }
		}
		return c.complete()
	}
	return nil
}
