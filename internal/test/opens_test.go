package test

import (
	"go/ast"
	"maps"
	"testing"
)

// waits are the files that may open a path in a way that waits, where it is a named pipe,
// and whose path that is. Everything else opens files by fs.OpenRegular and its kin.
var waits = map[string]string{
	"config/config.go":                     "the user's configuration",
	"fs/open.go":                           "opens without waiting",
	"internal/cli/replay.go":               "a file that the user names",
	"internal/cli/run.go":                  "a file that the user names, which may be a pipe; it does not hold up signals",
	"internal/journal/storage.go":          "parley's own state",
	"internal/process/proc_linux.go":       "the system's",
	"internal/sandbox/bubblewrap_linux.go": "parley's own reservation",
	"internal/sandbox/sockets_linux.go":    "the system's",
	"tui/screen/tty.go":                    "the terminal",
}

// A named pipe in a project, or any other file that is none, holds up nothing.
func TestFilesAreOpenedWithoutWaiting(t *testing.T) {
	unused := maps.Clone(waits)
	for _, s := range sources(t) {
		if s.below("internal/test", "internal/demoagent", "packaging") {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := f.X.(*ast.Ident)
			ofOS := ok && of.Name == "os"
			switch f.Sel.Name {
			case "OpenRoot":
				if lit, ok := call.Args[0].(*ast.BasicLit); !ofOS && s.name != "fs/open.go" && (!ok || lit.Value != `"."`) {
					t.Errorf("%s: use fs.OpenRootIn, which does not wait for a named pipe", positions.Position(call.Pos()))
				}
			case "Open", "ReadFile":
				if _, may := waits[s.name]; ofOS && !may {
					t.Errorf("%s: use fs.OpenRegular or fs.ReadHead, which open no named pipe", positions.Position(call.Pos()))
				}
				if ofOS {
					delete(unused, s.name)
				}
			}
			return true
		})
	}
	for name := range unused {
		if name != "fs/open.go" {
			t.Errorf("%s opens nothing in a way that waits: remove it from the list", name)
		}
	}
}
