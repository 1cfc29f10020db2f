package test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// mostInitialised is how many bytes a package may allocate while it is initialised, which
// delays every start.
const mostInitialised = 100_000

// initialisedAnyway are packages that allocate more. All of them come with Glamour.
var initialisedAnyway = map[string]bool{
	// Parses all lexers and styles: chroma's pull requests 1354 and 1356, in no release yet.
	"github.com/alecthomas/chroma/v2/lexers": true,
	"github.com/alecthomas/chroma/v2/styles": true,
	// Glamour's sanitizer compiles its rules.
	"github.com/gorilla/css/scanner":         true,
	"github.com/microcosm-cc/bluemonday":     true,
	"github.com/microcosm-cc/bluemonday/css": true,
	"golang.org/x/net/html":                  true,
	// Markdown: tables of entities and expressions for links.
	"charm.land/glamour/v2/internal/autolink": true,
	"github.com/yuin/goldmark/extension":      true,
	"github.com/yuin/goldmark/parser":         true,
	"github.com/yuin/goldmark/util":           true,
}

// No package makes something at every start that most starts do not need.
func TestInitialisationAllocatesLittle(t *testing.T) {
	cmd := exec.Command(Parley(t), "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	packages := regexp.MustCompile(`(?m)^init (\S+) .* (\d+) bytes`).FindAllSubmatch(out, -1)
	if len(packages) < 50 {
		t.Fatalf("only %d packages in:\n%s", len(packages), out)
	}
	for _, p := range packages {
		if n, _ := strconv.Atoi(string(p[2])); n > mostInitialised && !initialisedAnyway[string(p[1])] {
			t.Errorf("%s allocates %d bytes while it is initialised: make its tables when they are needed", p[1], n)
		}
	}
}

// Where any method can be called by its name, as in templates, the linker keeps all methods of all
// types: 4.3 MB, of which each parley holds 3.3 in memory.
func TestNothingCallsMethodsByName(t *testing.T) {
	binary, err := os.ReadFile(Parley(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, function := range []string{"text/template.(*state).evalField", "reflect.Value.MethodByName"} {
		if bytes.Contains(binary, []byte(function)) {
			t.Errorf("the program contains %s: 'go build -ldflags=-dumpdep' tells who calls it", function)
		}
	}
	if !bytes.Contains(binary, []byte("parley/internal/cli.Main")) {
		t.Error("the program does not have the names of its functions")
	}
}
