package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
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

// TestWording reads the texts of the program. With -v it lists them by file.
func TestWording(t *testing.T) {
	const root = "../.."
	words := regexp.MustCompile(`\p{L}{2,}[^\p{L}]+\p{L}{2,}`)
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
				if n.Kind != token.STRING || err != nil || !words.MatchString(text) {
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
