package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// waits are the files that may open a path in a way that waits, where it is a named pipe,
// and whose path that is. Everything else opens files by fs.OpenRegular and its kin.
var waits = map[string]string{
	"config/config.go":                     "the user's configuration",
	"fs/open.go":                           "opens without waiting",
	"internal/cli/replay.go":               "a file that the user names",
	"internal/cli/run.go":                  "a file that the user names, which may be a pipe; it does not hold up signals",
	"internal/host/history.go":             "parley's own state",
	"internal/journal/storage.go":          "parley's own state",
	"internal/process/proc_linux.go":       "the system's",
	"internal/sandbox/bubblewrap_linux.go": "parley's own reservation",
	"internal/sandbox/sockets_linux.go":    "the system's",
	"internal/store/draft.go":              "parley's own state",
	"internal/store/log.go":                "parley's own state",
	"tui/screen/tty.go":                    "the terminal",
}

// A named pipe in a project, or any other file that is none, holds up nothing.
func TestFilesAreOpenedWithoutWaiting(t *testing.T) {
	const root = "../.."
	unused := maps.Clone(waits)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"internal/test", "internal/demoagent", "packaging"}, name)):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if f.Sel.Name == "OpenRoot" && name != "fs/open.go" {
				if of, ok := f.X.(*ast.Ident); !ok || of.Name != "os" {
					if lit, ok := call.Args[0].(*ast.BasicLit); !ok || lit.Value != `"."` {
						t.Errorf("%s: use fs.OpenRootIn, which does not wait for a named pipe", set.Position(call.Pos()))
					}
				}
				return true
			}
			if of, ok := f.X.(*ast.Ident); !ok || of.Name != "os" || f.Sel.Name != "Open" && f.Sel.Name != "ReadFile" {
				return true
			}
			delete(unused, name)
			if _, may := waits[name]; !may {
				t.Errorf("%s: use fs.OpenRegular or fs.ReadHead, which open no named pipe", set.Position(call.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range unused {
		if name != "fs/open.go" {
			t.Errorf("%s opens nothing in a way that waits: remove it from the list", name)
		}
	}
}
