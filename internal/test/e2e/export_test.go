//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// saysHello is an agent that answers one prompt.
const saysHello = `
handshake
expect session/prompt
say "Hello from the agent."
end-turn
`

// The session in front is exported by a key, whether or not it is stored, and no file is
// replaced unless the user wants that.
func TestExportsTheSessionInFront(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{"stored": "", "not stored": "store = false\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Start(t, Options{Script: saysHello, Config: config, Cols: 160})
			p.Ready().Type("/export").Press("enter").Shows("the transcript is empty")
			p.Ask("Say hello, please!").Shows("Hello from the agent.").Idle()

			p.Type("/export").Press("enter").Shows("Export this session as", "Markdown").Press("enter")
			p.Shows("Export as Markdown, to the file", "say-hello-please.md").Press("end", "enter") // enter alone may be a second press
			p.Shows("exported to " + filepath.Join(p.Project(), "say-hello-please.md"))
			p.exports("say-hello-please.md", "Hello from the agent.")

			must(t, os.WriteFile(filepath.Join(p.Project(), "mine.json"), []byte("mine"), 0o644))
			p.Type("/export").Press("enter").Shows("Export this session as").Type("json").Press("enter")
			p.Shows("Export as JSON, for programs, to the file").Press("ctrl+u").Type("mine.json").Press("enter")
			p.Question("The file already exists", "mine.json").Answer("Choose another name")
			p.exports("mine.json", "mine")
			p.Shows("Export as JSON", "❯ mine.json").Press("end", "enter")
			p.Question("The file already exists").Answer("Replace it")
			p.Shows("exported to " + filepath.Join(p.Project(), "mine.json"))
			p.exports("mine.json", `"text": "Hello from the agent."`)
			p.Leave()
		})
	}
}

// A page for a browser is opened only if the user wants that.
func TestOpensAnExportedPage(t *testing.T) {
	t.Parallel()
	bin, opened := t.TempDir(), filepath.Join(t.TempDir(), "opened")
	must(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\nprintf %s \"$1\" >'"+opened+".part' && mv '"+opened+".part' '"+opened+"'\n"), 0o755))
	p := Start(t, Options{Script: saysHello, Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH")}})
	p.Ready().Ask("hello").Shows("Hello from the agent.").Idle()
	p.Press("ctrl+p").Shows("Command palette").Type("export the session").Press("enter")
	p.Shows("Export this session as").Type("page").Press("enter")
	p.Shows("to the file", "hello.html").Press("end", "enter")
	p.Question("The session is exported", "hello.html").Answer("Open it")
	p.exports("hello.html", "<!doctype html>", "Hello from the agent.")
	path := p.waitWire("an opened page", 1, func() []string {
		if b, err := os.ReadFile(opened); err == nil {
			return []string{string(b)}
		}
		return nil
	})
	if want := filepath.Join(p.Project(), "hello.html"); path != want {
		t.Errorf("opened is %s, want %s", path, want)
	}
	p.Leave()
}

// exports holds a file of the project against texts that it must have.
func (p *Parley) exports(name string, texts ...string) {
	p.t.Helper()
	path := filepath.Join(p.Project(), name)
	b, err := os.ReadFile(path)
	must(p.t, err)
	for _, text := range texts {
		if !strings.Contains(strings.ToLower(string(b)), strings.ToLower(text)) {
			p.t.Errorf("%s lacks %q:\n%s", name, text, b)
		}
	}
	if info, err := os.Stat(path); err == nil && len(texts) > 0 && texts[0] != "mine" && info.Mode().Perm() != 0o600 {
		p.t.Errorf("%s has the mode %v", name, info.Mode())
	}
}
