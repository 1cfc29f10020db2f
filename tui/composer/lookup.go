package composer

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/prompt"
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

// found is what mentions of a draft refer to.
type found struct {
	there map[string]bool
	// images are the files that are images, refused the reasons against others.
	images  map[string]*prompt.Image
	refused map[string]error
}

// names reports whether a mention is known to refer to something.
func (l *lookup) names(m prompt.Mention) bool { return l.there[m.Path] }

// lookUp returns the command that looks up the visible unknown mentions; nil if there
// are none.
func (c *Composer) lookUp() tea.Cmd {
	if c.search != nil || c.IsCommand() {
		return nil
	}
	var due []prompt.Mention
	last := min(len(c.buf.lines), c.top.line+c.maxHeight)
	for row := c.top.line; row < last; row++ {
		text := c.buf.lines[row].text
		if len(text) > lookedUpIn {
			continue
		}
		for _, m := range prompt.Mentions(text) {
			if _, known := c.looked.there[m.Path]; known || m.Path == "" || c.writing(row, m) || len(due) == lookedUpAtOnce {
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
		c.looked.there[m.Path] = false // until it is known
	}
	root, chips, images := c.root, c.chips, c.refusesImages() == nil
	return func() tea.Msg {
		f := lookAt(root, due, images)
		return resultMsg{c, func() tea.Cmd {
			if chips != c.chips || root != c.root || c.looked.there == nil {
				return nil // the draft is gone
			}
			return c.takeLookup(f)
		}}
	}
}

// writing reports whether a mention is being typed: the cursor is after it, and the
// popup offers completions.
func (c *Composer) writing(row int, m prompt.Mention) bool {
	return c.buf.cur.Row == row && c.buf.cur.Col == m.To && c.completion.kind == fileCompletion && !c.completion.closed
}

// lookAt looks mentions up on disk.
func lookAt(root string, due []prompt.Mention, images bool) found {
	f := prompt.NewFiles(root, acpclient.PromptCapabilities{})
	defer f.Close()
	result := found{there: map[string]bool{}, images: map[string]*prompt.Image{}, refused: map[string]error{}}
	for _, m := range due {
		for name, lines := range m.Names() {
			abs, info := f.Look(name)
			if info == nil || info.IsDir() && lines.Some() {
				continue
			}
			result.there[m.Path] = true
			if name != m.Path || info.IsDir() || !prompt.IsImageName(name) || !images {
				break
			}
			if img, err := prompt.LookAtImage(abs, info); err != nil {
				result.refused[m.Path] = err
			} else {
				img.Name = name
				result.images[m.Path] = img
			}
			break
		}
	}
	return result
}

// takeLookup marks what was found, and replaces images by chips.
func (c *Composer) takeLookup(f found) tea.Cmd {
	for path, there := range f.there {
		c.looked.there[path] = there
	}
	for path, img := range f.images {
		c.chipImage(path, img)
	}
	for path, err := range f.refused {
		err := fmt.Errorf("%s goes as a link, not as an image: %w", oneLine(path), err)
		return func() tea.Msg { return ErrorMsg{Err: err} }
	}
	return nil
}

// chipImage replaces each mention of an image by a chip. The cursor stays in place.
func (c *Composer) chipImage(path string, img *prompt.Image) {
	for row := range c.buf.lines {
		text := c.buf.lines[row].text
		if len(text) > lookedUpIn {
			continue
		}
		for {
			list := prompt.Mentions(c.buf.lines[row].text)
			at := -1
			for i, m := range list {
				if m.Path == path && !c.writing(row, m) {
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
			c.buf.Replace(pos(row, m.From), pos(row, m.To), mark)
			switch {
			case cur.Row != row || cur.Col <= m.From:
			case cur.Col < m.To:
				cur.Col = m.From + len(mark)
			default:
				cur.Col += len(mark) - (m.To - m.From)
			}
			c.buf.Move(cur)
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

// dropped returns the command that checks whether a paste consists of paths of images,
// as terminals paste dropped files; nil if it cannot.
func (c *Composer) dropped(text string) tea.Cmd {
	paths := droppedPaths(text)
	if paths == nil {
		return nil
	}
	chips, root := c.chips, c.root
	return func() tea.Msg {
		f := prompt.NewFiles(root, acpclient.PromptCapabilities{})
		defer f.Close()
		for _, p := range paths {
			if _, info := f.Look(p); info == nil || info.IsDir() {
				return nil
			}
		}
		return resultMsg{c, func() tea.Cmd { return c.takeDropped(chips, text, paths) }}
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
	return word, filepath.IsAbs(word) && prompt.IsImageName(word) && clean(word) == word
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
func (c *Composer) takeDropped(chips *chips, pasted string, paths []string) tea.Cmd {
	if chips != c.chips {
		return nil
	}
	pasted = oneLine(pasted)
	var list []string
	for _, p := range paths {
		list = append(list, prompt.WriteMention(p))
	}
	for row := range c.buf.lines {
		at := strings.LastIndex(c.buf.lines[row].text, pasted)
		if at < 0 {
			continue
		}
		before, text := "", strings.Join(list, " ")+" "
		if at > 0 && !prompt.OpensWord(c.buf.lines[row].text[:at]) {
			before = " "
		}
		c.buf.Replace(pos(row, at), pos(row, at+len(pasted)), before+text)
		if err := c.refusesImages(); err != nil {
			return func() tea.Msg { return ErrorMsg{Err: fmt.Errorf("%w: the file goes as a link", err)} }
		}
		return c.complete()
	}
	return nil
}
