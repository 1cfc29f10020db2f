package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Some rules are about how the code is written, which no type can hold: what imports what, the
// words of texts, the characters drawn, and how files are opened. Their tests read the sources
// here.

// root is the directory of the repository.
const root = "../.."

// source is a parsed Go file of the product or of its tools, no test.
type source struct {
	name string // from the root, with slashes
	*ast.File
}

// below reports whether the file is in one of some directories.
func (s source) below(dirs ...string) bool {
	for _, dir := range dirs {
		if strings.HasPrefix(s.name, dir+"/") {
			return true
		}
	}
	return false
}

// literals calls do for each string and character of the file, except in imports and tags.
func (s source) literals(t *testing.T, do func(at token.Position, text string)) {
	ast.Inspect(s.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			return false
		case *ast.BasicLit:
			if n.Kind != token.STRING && n.Kind != token.CHAR {
				return false
			}
			text, err := strconv.Unquote(n.Value)
			if err != nil {
				t.Fatalf("%s: %v", n.Value, err)
			}
			do(positions.Position(n.Pos()), text)
		}
		return true
	})
}

var positions = token.NewFileSet()

// sources returns all sources.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := parseAll()
	if err != nil || len(all) < 500 {
		t.Fatalf("%d sources, %v", len(all), err)
	}
	return all
}

var parseAll = sync.OnceValues(func() (all []source, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(positions, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		all = append(all, source{filepath.ToSlash(name), file})
		return err
	})
	return all, err
})
