package toolview

import (
	"bytes"
	"strings"

	"parley/acpclient"
)

// Fragment is a change of a file as an agent sends it: of the whole file, or, as
// the protocol does not say which, of a part of it.
type Fragment struct {
	// Path is as the agent wrote it.
	Path     string
	Old, New string
}

// FragmentOf is the change in a diff, and whether it has to be looked for in its
// file: a new file is whole.
func FragmentOf(path string, before *string, after string) (f Fragment, part bool) {
	f = Fragment{Path: path, New: after}
	if before != nil {
		f.Old = *before
	}
	return f, f.Old != ""
}

// Fragments are the changes in the content of a tool call that have to be looked
// for in their files.
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

// Locate finds the line of a file, from 1, that a fragment begins with, whether it
// has been changed yet or not. ok is false if the fragment is not in the file, or
// more than once.
func Locate(file []byte, f Fragment) (line int, ok bool) {
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
			return 0, false
		}
		return bytes.Count(file[:at], []byte("\n")) + 1, true
	}
	return 0, false
}

// Removes reports whether a change takes away everything that a file has.
func Removes(file []byte, f Fragment) bool { return f.New == "" && string(file) == f.Old }

func withoutCR(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// Deletes reports that a change takes its file away, as the agent says: by the kind
// of the call, or by the kind of the change, which some have in _meta.
func Deletes(c *acpclient.ToolCallContent, kind acpclient.ToolKind) bool {
	if c.NewText != "" {
		return false
	}
	said, _ := acpclient.MetaValue[string](c.Meta, "kind")
	return kind == acpclient.ToolDelete || said == "delete"
}

// Site is where a fragment stands in its file, as far as that is known.
type Site struct {
	// Line is the first line of the fragment, from 1; 0 if it is not known.
	Line int
	// Deleted says that the change leaves nothing of the file.
	Deleted bool
}

// Sites are the places of fragments that were looked for. They are kept by whoever
// reads files, and read by whoever draws. The zero value knows none; it is not safe
// for concurrent use.
type Sites struct {
	learned[Fragment, Site]
}

// Version changes whenever more is known.
func (s *Sites) Version() uint64 {
	if s == nil {
		return 0
	}
	return s.version
}

// Of is where the change in a diff stands. A new file has all its lines.
func (s *Sites) Of(path string, before *string, after string) Site {
	f, part := FragmentOf(path, before, after)
	if !part {
		return Site{Line: 1}
	}
	if s == nil {
		return Site{}
	}
	return s.known[f]
}
