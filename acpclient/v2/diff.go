package v2

import (
	"cmp"
	"iter"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"parley/acpclient"
)

// diff is a change of files, as a tool call's content.
type diff struct {
	Type    acpclient.ToolContentType `json:"type"`
	Changes []fileChange              `json:"changes"`
	// Patch is the text of some or all of the changes.
	Patch struct {
		Format string `json:"format"`
		Text   string `json:"text"`
	} `json:"patch"`
}

// fileChange is a change of one file.
type fileChange struct {
	Operation acpclient.FileOperation `json:"operation" acp:"required"`
	Path      string                  `json:"path"`
	OldPath   string                  `json:"oldPath"`
	FileType  string                  `json:"fileType"`
	MimeType  string                  `json:"mimeType"`
}

// GitPatch is the format of `git diff --patch`, the only one that is known.
const GitPatch = "git_patch"

// contents returns one diff for each hunk of the patch. Changes to a file as a whole are
// separate contents, and a patch that cannot be parsed is text.
func (d *diff) contents() acpclient.ToolCallContents {
	files := d.files()
	byName := map[string][]int{}
	for i, f := range files {
		byName[nameOf(f)] = append(byName[nameOf(f)], i)
	}
	var out acpclient.ToolCallContents
	for _, c := range d.Changes {
		var texts acpclient.ToolCallContents
		for name := range namesOf(c.Path) {
			for _, i := range byName[name] {
				texts = append(texts, hunks(files[i], c.Path)...)
				files[i] = nil
			}
			delete(byName, name)
		}
		if len(texts) == 0 || c.Operation != acpclient.FileModify && c.Operation != acpclient.FileAdd {
			whole := acpclient.DiffContent(c.Path, new(string), "")
			whole.Change = &acpclient.FileChange{Operation: c.Operation, OldPath: c.OldPath, FileType: c.FileType, MimeType: c.MimeType}
			out = append(out, whole)
		}
		out = append(out, texts...)
	}
	for _, f := range files { // show those that no change names, too
		if f != nil {
			out = append(out, acpclient.TextContent(fenced(f.String())))
		}
	}
	if len(files) == 0 && strings.TrimSpace(d.Patch.Text) != "" {
		out = append(out, acpclient.TextContent(fenced(d.Patch.Text)))
	}
	return out
}

// files parses the patch. It returns nil for what is none.
func (d *diff) files() []*gitdiff.File {
	if d.Patch.Format != GitPatch {
		return nil
	}
	for line := range strings.Lines(d.Patch.Text) {
		if len(line) > longestHead && strings.HasPrefix(line, "diff --git ") {
			return nil
		}
	}
	files, _, err := gitdiff.Parse(strings.NewReader(d.Patch.Text))
	if err != nil {
		return nil
	}
	return files
}

// longestHead is the longest first line of a file that is parsed: the parser tries each
// space in it as the end of a path.
const longestHead = 3 * 4096

// nameOf returns the parser's name of a file, without its first part, such as "a/" or "/".
func nameOf(f *gitdiff.File) string { return cmp.Or(f.NewName, f.OldName) }

// namesOf yields the names that a patch may have for the file at path, which may be relative
// to a repository's root.
func namesOf(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		const deepest = 100
		for range deepest {
			if !yield(path) {
				return
			}
			_, rest, found := strings.Cut(path, "/")
			if !found {
				return
			}
			path = rest
		}
	}
}

// hunks returns the hunks as changes of texts.
func hunks(f *gitdiff.File, path string) acpclient.ToolCallContents {
	var out acpclient.ToolCallContents
	for _, fragment := range f.TextFragments {
		var before, after strings.Builder
		for _, line := range fragment.Lines {
			if line.Old() {
				before.WriteString(line.Line)
			}
			if line.New() {
				after.WriteString(line.Line)
			}
		}
		old := before.String()
		d := acpclient.DiffContent(path, &old, after.String())
		if f.IsNew {
			d.OldText = nil
		}
		out = append(out, d)
	}
	return out
}

// fenced returns a text as a code block. The fence is longer than any in the text.
func fenced(text string) string {
	longest := 2 // a fence has at least three
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "diff\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
