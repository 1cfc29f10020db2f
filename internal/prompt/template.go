package prompt

import (
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode"

	"parley/internal/termtext"
)

// Template is a prompt of the user's own in a Markdown file, which a slash command of its name
// sends.
type Template struct {
	Name string
	// About is its description in the front matter, or else its first line that is not
	// blank, for display.
	About string
	Text  string
}

const (
	// mostFiles and mostBytes, of one file, limit what is read of a directory.
	mostFiles = 200
	mostBytes = 64 << 10
)

// arguments stands in a file for what is written behind the command.
const arguments = "$ARGUMENTS"

// Templates reads the prompts among the entries of a directory, by name. open opens a
// regular file by its name there, and must not wait for anything else. What is no prompt is
// left out: another kind of file, a name that cannot be typed as a command, a file that
// cannot be read.
func Templates(entries []fs.DirEntry, open func(name string) (*os.File, error)) []Template {
	var found []Template
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), ".md")
		if !is || name == "" || strings.ContainsFunc(name, strange) || len(found) == mostFiles {
			continue
		}
		text, ok := readText(open, e.Name())
		matter, text := cutFrontMatter(text)
		if ok && text != "" {
			found = append(found, Template{Name: name, About: about(matter, text), Text: text})
		}
	}
	slices.SortFunc(found, func(a, b Template) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// strange reports whether a character cannot stand in the name of a command.
func strange(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
}

func readText(open func(name string) (*os.File, error), name string) (string, bool) {
	f, err := open(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	text := strings.TrimSpace(string(data))
	return text, err == nil && len(data) <= mostBytes && text != ""
}

// cutFrontMatter separates what a file says about itself, between lines of "---" at its
// beginning, from the prompt.
func cutFrontMatter(text string) (matter, rest string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	behind, begins := strings.CutPrefix(text, "---\n")
	matter, rest, ends := strings.Cut("\n"+behind, "\n---")
	if line, _, _ := strings.Cut(rest, "\n"); !begins || !ends || strings.TrimSpace(line) != "" {
		return "", text
	}
	return matter, strings.TrimSpace(rest)
}

func about(matter, text string) string {
	for line := range strings.Lines(matter) {
		if value, is := strings.CutPrefix(line, "description:"); is {
			if value = strings.Trim(strings.TrimSpace(value), `"'`); value != "" {
				return termtext.Line(value)
			}
		}
	}
	line, _, _ := strings.Cut(text, "\n")
	return termtext.Line(strings.TrimSpace(strings.TrimLeft(line, "# ")))
}

// With returns the prompt for what is written behind the command: in the place that the file
// gives it, or else as a paragraph at the end.
func (f Template) With(words string) string {
	words = strings.TrimSpace(words)
	switch {
	case strings.Contains(f.Text, arguments):
		return strings.TrimSpace(strings.ReplaceAll(f.Text, arguments, words))
	case words == "":
		return f.Text
	}
	return f.Text + "\n\n" + words
}
