package acpclient

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// jsonRPC are the files that would serve any protocol on top of JSON-RPC.
var jsonRPC = []string{"jsonrpc.go", "lines.go", "refusal.go", "conn.go", "receive.go", "encoding.go", "valid.go", "walk.go"}

// What JSON-RPC is made of uses nothing of what ACP is made of, although whoever speaks ACP
// imports one package with both.
func TestJSONRPCKnowsNoACP(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	below := map[string]*ast.File{}
	acp := map[string]string{} // the file of each name that is declared above
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(jsonRPC, name) {
			below[name] = file
			continue
		}
		for _, declared := range declarations(file) {
			acp[declared] = name
		}
	}
	if len(below) != len(jsonRPC) {
		t.Errorf("of %q only %d files are there", jsonRPC, len(below))
	}
	for _, file := range below {
		for _, id := range file.Unresolved { // what is declared in other files, or nowhere
			if from := acp[id.Name]; from != "" {
				t.Errorf("%s uses %s, which is declared in %s", fset.Position(id.Pos()), id.Name, from)
			}
		}
	}
}

// declarations returns the names that a file declares for its package.
func declarations(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						names = append(names, id.Name)
					}
				}
			}
		}
	}
	return names
}
