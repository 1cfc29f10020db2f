package v2

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"parley/acpclient"
)

// section is the part of a git patch about one file.
type section struct {
	oldPath, path string // empty if there is no file on that side
	hunks         []hunk
}

// hunk is a part of a file, before and after.
type hunk struct {
	before, after bytes.Buffer
	last          *bytes.Buffer // where the line before this one went, nil if to both
}

// devNull names a missing file in a patch.
const devNull = "/dev/null"

// sectionsOf splits a patch into sections. It returns nil if the text is not a patch.
func sectionsOf(patch string) []section {
	var all []section
	var at *section
	rest := 0 // lines of the hunk that are still to come, on either side together
	for line := range strings.Lines(patch) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case rest > 0 || at != nil && len(at.hunks) > 0 && strings.HasPrefix(text, `\`):
			rest -= at.hunks[len(at.hunks)-1].add(line)
		case strings.HasPrefix(text, "diff --git "):
			all = append(all, headed(strings.TrimPrefix(text, "diff --git ")))
			at = &all[len(all)-1]
		case at == nil:
		case strings.HasPrefix(text, "@@ "):
			if rest = linesOf(text); rest > 0 {
				at.hunks = append(at.hunks, hunk{})
			}
		default:
			at.header(text)
		}
	}
	return all
}

// headed begins a section by its first line, which has both paths if they are alike. Then
// they are equally long.
func headed(paths string) section {
	middle := len(paths) / 2
	if len(paths)%2 == 0 || paths[middle] != ' ' || !samePath(paths[:middle], paths[middle+1:]) {
		return section{}
	}
	return section{oldPath: pathOf(paths[:middle]), path: pathOf(paths[middle+1:])}
}

func samePath(a, b string) bool {
	return pathOf(a) == pathOf(b) || strings.TrimPrefix(pathOf(a), "a/") == strings.TrimPrefix(pathOf(b), "b/")
}

// header takes one of the lines between the first one and the hunks.
func (s *section) header(line string) {
	for prefix, to := range map[string]*string{
		"--- ": &s.oldPath, "+++ ": &s.path,
		"rename from ": &s.oldPath, "rename to ": &s.path, "copy from ": &s.oldPath, "copy to ": &s.path,
	} {
		if path, ok := strings.CutPrefix(line, prefix); ok {
			if *to = pathOf(path); *to == devNull {
				*to = ""
			}
		}
	}
}

// pathOf is a path as a patch spells it: in quotes if it has odd characters.
func pathOf(spelled string) string {
	spelled, _, _ = strings.Cut(spelled, "\t")
	if path, err := strconv.Unquote(spelled); err == nil && strings.HasPrefix(spelled, `"`) {
		return path
	}
	return spelled
}

// linesOf is how many lines a hunk has, those before and those after, by its head
// "@@ -1,3 +1,4 @@". It is 0 for what is no head.
func linesOf(head string) int {
	fields := strings.Fields(head)
	if len(fields) < 3 {
		return 0
	}
	sum := 0
	for i, sign := range []string{"-", "+"} {
		span, ok := strings.CutPrefix(fields[i+1], sign)
		if !ok {
			return 0
		}
		_, count, counted := strings.Cut(span, ",")
		n, err := strconv.Atoi(count)
		if !counted {
			n, err = 1, nil
		}
		if err != nil || n < 0 {
			return 0
		}
		sum += n
	}
	return sum
}

// add takes one line of the hunk, and returns of how many sides it is.
func (h *hunk) add(line string) int {
	text := line
	if line[0] == ' ' || line[0] == '-' || line[0] == '+' {
		text = line[1:]
	}
	switch line[0] {
	case '-':
		h.before.WriteString(text)
		h.last = &h.before
		return 1
	case '+':
		h.after.WriteString(text)
		h.last = &h.after
		return 1
	case '\\': // the line before has no end
		for _, side := range []*bytes.Buffer{&h.before, &h.after} {
			if h.last == nil || h.last == side {
				side.Truncate(len(bytes.TrimSuffix(side.Bytes(), []byte("\n"))))
			}
		}
		return 0
	}
	h.before.WriteString(text) // also of a line that has lost its space
	h.after.WriteString(text)
	h.last = nil
	return 2
}

// byPath finds sections by what a change may call the file that they are about.
func byPath(sections []section) map[string][]int {
	found := map[string][]int{}
	for i, s := range sections {
		own := s.path
		if own == "" {
			own = s.oldPath
		}
		names := []string{own, strings.TrimPrefix(own, "a/"), strings.TrimPrefix(own, "b/")}
		for at, name := range names {
			if name != "" && !slices.Contains(names[:at], name) {
				found[name] = append(found[name], i)
			}
		}
	}
	return found
}

// change returns the section's change to its whole file.
func (s *section) change() DiffChange {
	switch {
	case s.path == "":
		return DiffChange{Operation: acpclient.FileDelete, Path: s.oldPath}
	case s.oldPath == "":
		return DiffChange{Operation: acpclient.FileAdd, Path: s.path}
	}
	return DiffChange{Operation: acpclient.FileModify, Path: s.path}
}

// contents are the hunks as changes of texts.
func (s *section) contents(c DiffChange) acpclient.ToolCallContents {
	var out acpclient.ToolCallContents
	for i := range s.hunks {
		before, after := s.hunks[i].before.String(), s.hunks[i].after.String()
		d := acpclient.DiffContent(c.Path, &before, after)
		if c.Operation == acpclient.FileAdd {
			d.OldText = nil
		}
		out = append(out, d)
	}
	return out
}
