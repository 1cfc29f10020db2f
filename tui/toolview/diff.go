package toolview

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/conversation"
)

// Fragment is a change of a file as an agent sends it: of the whole file or of a part
// of it; the protocol does not say which.
type Fragment struct {
	// Path is as the agent wrote it.
	Path     string
	Old, New string
}

// fragmentOf returns the change in a diff; part reports whether it may be a part of its
// file and has to be located. A new file is whole.
func fragmentOf(path string, before *string, after string) (f Fragment, part bool) {
	f = Fragment{Path: path, New: after}
	if before != nil {
		f.Old = *before
	}
	return f, f.Old != ""
}

// Fragments returns the changes in the content of a tool call that have to be located
// in their files.
func Fragments(content []acpclient.ToolCallContent) (all []Fragment) {
	for _, c := range content {
		if f, part := fragmentOf(c.Path, c.OldText, c.NewText); c.Type == acpclient.ToolContentDiff && part {
			all = append(all, f)
		}
	}
	return all
}

// longestRest is the longest rest of a line, in bytes, that is shown with a change.
const longestRest = 500

// locate finds where in a file a fragment stands, before or after the change. ok is false
// if the fragment is not in the file, or more than once.
func locate(file []byte, f Fragment) (p DiffPosition, ok bool) {
	file = bytes.ReplaceAll(file, []byte("\r\n"), []byte("\n"))
	first, second := withoutCR(f.Old), withoutCR(f.New)
	if len(second) > len(first) { // the longer one may contain the other
		first, second = second, first
	}
	for _, text := range []string{first, second} {
		if text == "" {
			continue
		}
		at := bytes.Index(file, []byte(text))
		if at < 0 {
			continue
		}
		if bytes.Contains(file[at+1:], []byte(text)) {
			return DiffPosition{}, false
		}
		p.Line = bytes.Count(file[:at], []byte("\n")) + 1
		from, to := bytes.LastIndexByte(file[:at], '\n')+1, at+len(text)
		rest := bytes.IndexByte(file[to:], '\n')
		if rest < 0 {
			rest = len(file) - to
		}
		ends := strings.HasSuffix(f.Old, "\n")
		if ends != strings.HasSuffix(f.New, "\n") || at-from > longestRest || rest > longestRest {
			return p, true // it does more than change the line, or the line is too long to read
		}
		p.Lead = string(file[from:at])
		if !ends {
			p.Tail = string(file[to : to+rest])
		}
		return p, true
	}
	return DiffPosition{}, false
}

// Whole returns the texts of a change with what the agent has left out: the content that
// is replaced, or the rest of the first and last lines.
func (p DiffPosition) Whole(before *string, after string) (*string, string) {
	if p.Replaces != "" {
		return &p.Replaces, after
	}
	if before == nil || p.Lead == "" && p.Tail == "" {
		return before, after
	}
	whole := p.Lead + *before + p.Tail
	return &whole, p.Lead + after + p.Tail
}

// Removes reports whether a change removes everything in a file.
func Removes(file []byte, f Fragment) bool { return f.New == "" && string(file) == f.Old }

func withoutCR(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// Deletes reports whether a change deletes its file, by the kind of the call or, for
// some agents, the kind of the change in _meta.
func Deletes(c *acpclient.ToolCallContent, kind acpclient.ToolKind) bool {
	if c.NewText != "" {
		return false
	}
	said, _ := acpclient.MetaValue[string](c.Meta, "kind")
	return kind == acpclient.ToolDelete || said == "delete"
}

// DiffPosition is the position of a fragment in its file, as far as it is known.
type DiffPosition struct {
	// Line is the first line of the fragment, from 1; 0 if unknown.
	Line int
	// Lead and Tail are the rest of the fragment's first and last line in the file.
	Lead, Tail string
	// Deleted means that the change deletes the file.
	Deleted bool
	// Replaces is the content of the file that a change without an old text replaces, "" if
	// there is none, or if it cannot be shown.
	Replaces string
}

// Position returns the position of the change in a diff. A new file begins at line 1.
func (f *Facts) Position(path string, before *string, after string) DiffPosition {
	change, part := fragmentOf(path, before, after)
	if f != nil {
		if p, ok := f.known.Positions[change]; ok {
			return p
		}
	}
	if !part {
		return DiffPosition{Line: 1}
	}
	return DiffPosition{}
}

// PositionIn returns the position of a change in a call. One that is not found by itself may be
// part of a change that a question about the call has shown: what an agent sends after the
// answer need not be in the file, or be there once.
func (f *Facts) PositionIn(t *conversation.ToolCall, path string, before *string, after string) DiffPosition {
	p := f.Position(path, before, after)
	if seen := t.FileSeen(path); seen != nil && (before == nil || *before == "") {
		p.Replaces = seen.Text
	}
	if p != (DiffPosition{}) {
		return p
	}
	change, _ := fragmentOf(path, before, after)
	for _, asked := range t.Asked {
		for i := range asked.Content {
			c := &asked.Content[i]
			if c.Type != acpclient.ToolContentDiff || c.Path != path {
				continue
			}
			at := f.Position(c.Path, c.OldText, c.NewText)
			if at.Line == 0 {
				continue
			}
			old, now := at.Whole(c.OldText, c.NewText)
			for _, text := range []*string{old, &now} {
				if text == nil {
					continue
				}
				if p, ok := locate([]byte(*text), change); ok {
					p.Line += at.Line - 1
					return p
				}
			}
		}
	}
	return p
}

// largestSource is the largest file to search, in bytes.
const largestSource = 4 << 20

// FindPositions returns the positions of the fragments that it finds in files below dir.
// It reads each file once.
func FindPositions(dir string, wanted []Fragment) map[Fragment]DiffPosition {
	found := map[Fragment]DiffPosition{}
	if _, err := os.Stat(dir); err != nil || len(wanted) == 0 {
		return found // no positions without the directory
	}
	files := map[string][]byte{}
	for _, f := range wanted {
		text, known := files[f.Path]
		if !known {
			var err error
			text, err = fs.ReadIn(dir, f.Path, largestSource)
			if errors.Is(err, os.ErrNotExist) && f.New == "" {
				found[f] = DiffPosition{Line: 1, Deleted: true}
			}
			if err != nil {
				continue
			}
			files[f.Path] = text
		}
		if at, ok := locate(text, f); ok {
			at.Deleted = Removes(text, f)
			found[f] = at
		}
	}
	return found
}

// Replaced returns the content of the question that the call itself no longer shows:
// agents replace a diff or a plan by a message about the result. A description of what
// a program will do is rightly replaced by its output.
func Replaced(t *conversation.ToolCall) []acpclient.ToolCallContent {
	if len(t.Asked) == 0 {
		return nil
	}
	var lost []acpclient.ToolCallContent
	seen := onView{paths: map[string]bool{}, texts: map[string]bool{}, effort: mostEffort}
	for i := range t.Content {
		seen.add(&t.Content[i])
	}
	for _, asked := range t.Asked {
		for i := range asked.Content {
			c := &asked.Content[i]
			words := c.Type == acpclient.ToolContentBlock && c.Content != nil && VerbatimWhenAsked(t.Kind, c.Content.Text)
			if !words && !seen.shows(c) {
				lost = append(lost, *c)
				seen.add(c)
			}
		}
	}
	return lost
}

// mostEffort bounds what is compared, in bytes, and pairEffort is the minimum cost of a
// comparison, because a question and a call can have very many contents each. What was
// not compared is shown, perhaps twice.
const (
	mostEffort = 8 << 20
	pairEffort = 128
)

// onView is what a call shows.
type onView struct {
	paths  map[string]bool // of the changed files
	texts  map[string]bool
	all    []*acpclient.ToolCallContent
	effort int // the remaining effort
}

func (v *onView) add(c *acpclient.ToolCallContent) {
	switch {
	case c.Type == acpclient.ToolContentDiff:
		v.paths[c.Path] = true
		return
	case c.Type == acpclient.ToolContentBlock && c.Content != nil:
		v.texts[strings.TrimSpace(c.Content.Text)] = true
	}
	v.all = append(v.all, c)
}

// shows reports whether a content is shown. A file that is changed in both counts as
// shown, even if the changes differ.
func (v *onView) shows(c *acpclient.ToolCallContent) bool {
	switch {
	case c.Type == acpclient.ToolContentDiff:
		return v.paths[c.Path]
	case c.Type == acpclient.ToolContentBlock && c.Content != nil && c.Content.Type == acpclient.ContentText:
		text := strings.TrimSpace(c.Content.Text)
		return v.texts[text] || v.any(func(o *acpclient.ToolCallContent) bool {
			if o.Type != c.Type || o.Content == nil {
				return false
			}
			v.effort -= len(o.Content.Text)
			return strings.Contains(o.Content.Text, text)
		})
	}
	return v.any(func(o *acpclient.ToolCallContent) bool { return o.Type == c.Type && reflect.DeepEqual(o, c) })
}

// any reports whether is returns true for one of the contents, while the effort lasts.
func (v *onView) any(is func(*acpclient.ToolCallContent) bool) bool {
	for _, o := range v.all {
		if v.effort <= 0 {
			return false
		}
		v.effort -= pairEffort
		if is(o) {
			return true
		}
	}
	return false
}

// isPatchOf reports whether a text is a unified diff that only repeats a change: it names
// the same file, and the old and new text contain each of its hunks.
func isPatchOf(patch string, c acpclient.ToolCallContent) bool {
	before := ""
	if c.OldText != nil {
		before = *c.OldText
	}
	var hunk struct{ before, after strings.Builder }
	hunks := 0
	fits := func() bool {
		ok := contains(before, hunk.before.String()) && contains(c.NewText, hunk.after.String())
		hunk.before.Reset()
		hunk.after.Reset()
		return ok
	}
	for line := range strings.Lines(patch) {
		text := strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(text, "@@"):
			if !fits() {
				return false
			}
			hunks++
		case hunks == 0:
			if !patchHead(text, c.Path) {
				return false
			}
		case text == "", text[0] == ' ':
			hunk.before.WriteString(strings.TrimPrefix(text, " ") + "\n")
			hunk.after.WriteString(strings.TrimPrefix(text, " ") + "\n")
		case text[0] == '-':
			hunk.before.WriteString(text[1:] + "\n")
		case text[0] == '+':
			hunk.after.WriteString(text[1:] + "\n")
		case text[0] != '\\':
			return false
		}
	}
	return hunks > 0 && fits()
}

// contains reports whether whole lines stand in a text, whose last line may lack its
// end.
func contains(text, lines string) bool {
	return lines == "" || strings.Contains("\n"+strings.ReplaceAll(text, "\r\n", "\n")+"\n", "\n"+lines)
}

// patchHead reports whether a line before the first hunk says no more than which file
// is changed.
func patchHead(line, path string) bool {
	if strings.Trim(line, "=") == "" {
		return true
	}
	for _, lead := range []string{"Index: ", "--- ", "+++ "} {
		if name, ok := strings.CutPrefix(line, lead); ok {
			name, _, _ = strings.Cut(name, "\t")
			return name == path || name == "/dev/null" || name == "a/"+strings.TrimPrefix(path, "/") || name == "b/"+strings.TrimPrefix(path, "/")
		}
	}
	return false
}
