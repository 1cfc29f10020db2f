package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// stilted are phrases that are not plain English, or not the words of the field.
var stilted = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	`taken back`, `take the switch back`, `accept and go on`, `takes? (it|that|them) back`, `what waits`, `go on with`, `what came of`, `is none of`, `are none of`, `do not go together`,
	`of its own accord`, `no key goes`, `by itself what`, `is called so`, `nothing fits`, `made by others`, `no rule counts`,
	`is no verdict`, `rule is about`, `which is not there`, `lets no`, `told for certain`, `nobody knows`, `of harm`,
	`where that cannot`, `to the kills`, `is there already`, `what stands`, `was gone to`, `is asked about`, `are asked about`, `that is no more`,
	`are others`, `is to be`, `of which nothing`, `it is told`,
}, "|") + `)\b`)

// oneWord has the words of which each says one thing: the user quits parley, closes tabs, lists
// and pages, cancels turns, stops agents and commands, ends sessions, and detaches from those
// that go on. Only what stays as it was is left.
var oneWord = []struct {
	wrong *regexp.Regexp
	right string
}{
	{regexp.MustCompile(`(?i)^leave$|^(quit|choose) or leave|\bleaves?( parley| the (session|tab|program|replay|agent|list|page|dialog|host)\b|;| when| or parley|: the)|\*leave|when you leave| and leave$|^leaves\.`), "quit, close or detach"},
	{regexp.MustCompile(`(?i)\b(stop|close|end|exit)s? parley\b|until parley exits`), "quit"},
	{regexp.MustCompile(`(?i)\b(quit|close|leave|exit)s? the (turn|agent)\b`), "cancel or stop"},
	{regexp.MustCompile(`(?i)\b(quit|exit)s? the (tab|dialog|list|page|replay|session)\b`), "close or end"},
}

// sayOneWord checks a text that users read.
func sayOneWord(t *testing.T, at, text string) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		for _, w := range oneWord {
			if w.wrong.MatchString(line) {
				t.Errorf("%s: say %s: %q", at, w.right, line)
			}
		}
	}
}

// TestWording reads the texts of the program. With -v it lists them by file.
func TestWording(t *testing.T) {
	const root = "../.."
	words := regexp.MustCompile(`\p{L}{2,}[^\p{L}]+\p{L}{2,}`)
	onScreen := regexp.MustCompile(`^../../(tui|config|internal/(app|cli|headless))/`)
	for _, name := range []string{"README.md", "docs/guide.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		sayOneWord(t, name, string(text))
	}
	read := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || path == filepath.Join(root, "internal/test")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec, *ast.Field:
				return false
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if n.Kind != token.STRING || err != nil {
					return false
				}
				if onScreen.MatchString(path) {
					sayOneWord(t, files.Position(n.Pos()).String(), text)
				}
				if !words.MatchString(text) {
					return false
				}
				read++
				at := files.Position(n.Pos())
				if testing.Verbose() {
					t.Logf("%s:%d: %s", at.Filename, at.Line, text)
				}
				if bad := stilted.FindString(text); bad != "" {
					t.Errorf("%s:%d: %q is not plain English: %q", at.Filename, at.Line, bad, text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || read < 1000 {
		t.Errorf("%d texts read, %v", read, err)
	}
}
