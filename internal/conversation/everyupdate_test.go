package conversation_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"

	"parley/internal/conversation"
)

// newKind is an update that the fold does not know.
type newKind struct {
	Words string `json:"words"`
}

func (*newKind) UpdateKind() string { return "new_kind" }

// An update that is decoded, but that nothing here takes, is shown as it was received.
func TestAnUpdateThatNobodyFoldsIsShown(t *testing.T) {
	for _, raw := range []string{"", `{"sessionId":"s","update":{"sessionUpdate":"new_kind","words":"hi","more":1}}`} {
		c := conversation.New()
		c.Apply(conversation.Update{Update: &newKind{"hi"}, Raw: json.RawMessage(raw)})
		if len(c.Items) != 1 {
			t.Fatalf("%d items", len(c.Items))
		}
		u, ok := c.Items[0].(*conversation.Unknown)
		want := `{"words":"hi"}`
		if raw != "" {
			want = `{"sessionUpdate":"new_kind","words":"hi","more":1}`
		}
		if !ok || u.Kind != "new_kind" || string(u.Raw) != want {
			t.Errorf("%+v", c.Items[0])
		}
	}
}

// Every type of update of the protocol has a case of its own in the fold.
func TestEveryTypeOfUpdateIsFolded(t *testing.T) {
	types := updateTypes(t)
	if len(types) < 20 {
		t.Fatalf("only %v", types)
	}
	folded := foldedTypes(t)
	for _, name := range types {
		if !slices.Contains(folded, name) {
			t.Errorf("no case of Conversation.applyUpdate takes *acpclient.%s", name)
		}
	}
}

// updateTypes are the names of the types that implement acpclient.SessionUpdate.
func updateTypes(t *testing.T) (names []string) {
	files, err := filepath.Glob("../../acpclient/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, d := range parsed(t, file).Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "UpdateKind" && f.Recv != nil {
				if p, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
					names = append(names, p.X.(*ast.Ident).Name)
				}
			}
		}
	}
	return names
}

// foldedTypes are the types that have a case in Conversation.applyUpdate.
func foldedTypes(t *testing.T) (names []string) {
	for _, d := range parsed(t, "fold.go").Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "applyUpdate" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CaseClause); ok {
				for _, of := range c.List {
					if p, ok := of.(*ast.StarExpr); ok {
						names = append(names, p.X.(*ast.SelectorExpr).Sel.Name)
					}
				}
			}
			return true
		})
	}
	return names
}

func parsed(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
