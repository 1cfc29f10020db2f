package toolview

import (
	"bytes"
	"strings"

	"parley/acpclient"
)

// Fragment is a change of a file as an agent sends it: of the whole file or of a part
// of it; the protocol does not say which.
type Fragment struct {
	// Path is as the agent wrote it.
	Path     string
	Old, New string
}

// FragmentOf returns the change in a diff; part reports whether it may be a part of its
// file and has to be located. A new file is whole.
func FragmentOf(path string, before *string, after string) (f Fragment, part bool) {
	f = Fragment{Path: path, New: after}
	if before != nil {
		f.Old = *before
	}
	return f, f.Old != ""
}

// Fragments returns the changes in the content of a tool call that have to be located
// in their files.
func Fragments(content []acpclient.ToolCallContent) []Fragment {
	var all []Fragment
	for i := range content {
		if c := &content[i]; c.Type == acpclient.ToolContentDiff {
			if f, part := FragmentOf(c.Path, c.OldText, c.NewText); part {
				all = append(all, f)
			}
		}
	}
	return all
}

// longestRest is the longest rest of a line, in bytes, that is shown with a change.
const longestRest = 500

// Locate finds where in a file a fragment stands, before or after the change. ok is false
// if the fragment is not in the file, or more than once.
func Locate(file []byte, f Fragment) (p DiffPosition, ok bool) {
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

// Whole returns the texts of a change with the rest of their first and last lines, which
// the agent has left out.
func (p DiffPosition) Whole(before *string, after string) (*string, string) {
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
}

// DiffPositions holds the positions of fragments. Whoever reads files adds to it, for
// drawing. The zero value is empty; it is not safe for concurrent use.
type DiffPositions struct {
	lookups[Fragment, DiffPosition]
}

// Version changes with every addition.
func (s *DiffPositions) Version() uint64 {
	if s == nil {
		return 0
	}
	return s.version
}

// Of returns the position of the change in a diff. A new file begins at line 1.
func (s *DiffPositions) Of(path string, before *string, after string) DiffPosition {
	f, part := FragmentOf(path, before, after)
	if !part {
		return DiffPosition{Line: 1}
	}
	if s == nil {
		return DiffPosition{}
	}
	return s.known[f]
}
