//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/ptytest"
	"parley/tui/theme"
)

// outside is a file beside the project's directory, in the agent's words.
func outside(p *Parley, name string) string { return filepath.Join(filepath.Dir(p.Dir()), name) }

// A file outside of the project is read and written only after a yes; parley asks, and
// says that it does, and the path is red.
func TestFilesOutsideAreAskedAbout(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
request fs/read_text_file {"sessionId": "${session}", "path": "${cwd}/../notes.txt"} as first
await first contains denied reading
request fs/read_text_file {"sessionId": "${session}", "path": "${cwd}/../notes.txt"} as second
await second contains the old notes
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/../notes.txt", "content": "the new notes\n"} as third
await third
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/../notes.txt", "content": "newer notes\n"} as fourth
await fourth
say All done.
end-turn
`})
	path := outside(p, "notes.txt")
	must(t, os.WriteFile(path, []byte("the old notes\n"), 0o644))
	p.Ready().Ask("go")
	p.Question("parley asks", "read this file", path, "outside the session's directories").TakesKeys()
	red := hex(theme.New(true).Error.GetForeground())
	p.WaitUntil("the path is red", func(s ptytest.Screen) bool {
		for y := range s.Rows {
			if strings.HasPrefix(s.Line(y), "│  "+path) {
				return s.Cell(3, y).FG == red
			}
		}
		return false
	})
	p.Answer("No")
	p.Question("parley asks", "read this file").Answer("Allow once")
	p.Question("parley asks", "write this file", path, "the old notes", "the new notes")
	p.Answer("Allow writing this file in this session")
	p.Shows("All done.", "rejected", "you: Allow once")
	if text, err := os.ReadFile(path); err != nil || string(text) != "newer notes\n" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// Secrets are asked about inside the project, too, and so is what has programs run.
func TestSensitiveFilesAreAskedAbout(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{
		Config: "[files]\nask_read = [\"*.private\", \"!.env.test\"]\nask_write = \"Makefile\"\n",
		Files:  map[string]string{".env": "TOKEN=1\n", ".env.test": "A=1\n", "a.private": "mine\n", "Makefile": "all:\n"},
		Script: `
handshake
expect session/prompt
request fs/read_text_file {"sessionId": "${session}", "path": "${cwd}/.env.test"} as plain
await plain contains A=1
request fs/read_text_file {"sessionId": "${session}", "path": "${cwd}/.env"} as env
await env contains The user denied
request fs/read_text_file {"sessionId": "${session}", "path": "${cwd}/a.private"} as private
await private contains mine
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/.git/hooks/pre-commit", "content": "#!/bin/sh\nevil\n"} as hook
await hook contains The user denied
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/Makefile", "content": "all: b\n"} as make
await make contains The user denied
say All done.
end-turn
`,
	})
	p.Ready().Ask("go")
	p.Question("parley asks", "may hold secrets: .env").Answer("No")
	p.Question("parley asks", "may hold secrets: *.private").Answer("Allow once")
	p.Question("parley asks", "take commands from it: .git", "evil").Answer("No")
	p.Question("parley asks", "take commands from it: Makefile").Answer("No")
	p.Shows("All done.")
	if _, err := os.Stat(filepath.Join(p.Dir(), ".git")); !os.IsNotExist(err) {
		t.Errorf("the hook was written: %v", err)
	}
}

// A file that the user has changed since the agent read it is asked about, with what
// is there now.
func TestChangedFilesAreAskedAbout(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{
		Files: map[string]string{"a.txt": "as it was\n"},
		Script: `
handshake
expect session/prompt
request fs/read_text_file {"sessionId": "${session}", "path": "${cwd}/a.txt"} as read
await read contains as it was
say I have read it.
end-turn
expect session/prompt
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/a.txt", "content": "the agent's\n"} as written
await written
say All done.
end-turn
`,
	})
	p.Ready().Ask("read")
	p.Shows("I have read it.").Idle()
	path := filepath.Join(p.Dir(), "a.txt")
	must(t, os.WriteFile(path, []byte("the user's\n"), 0o644))
	p.Ask("write")
	p.Question("parley asks", "changed on disk", "the user's", "the agent's").Answer("Allow once")
	p.Shows("All done.")
	if text, err := os.ReadFile(path); err != nil || string(text) != "the agent's\n" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// Cancelling the turn closes parley's question, and the file is left alone.
func TestCancelClosesTheQuestionAboutAFile(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/.bashrc", "content": "evil\n"} as written
wait-cancel
await written contains cancelled
end-turn cancelled
`})
	p.Ready().Ask("go")
	p.Question("parley asks", ".bashrc").TakesKeys().Press("esc")
	p.Gone("Allow once").Idle()
	if _, err := os.Stat(filepath.Join(p.Dir(), ".bashrc")); !os.IsNotExist(err) {
		t.Errorf("the file was written: %v", err)
	}
}

// A file in UTF-16 is read and written as text, stays UTF-16, and parley says so.
func TestUTF16IsDecodedAndSaid(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{
		Files: map[string]string{"a.txt": "\xff\xfeh\x00i\x00\n\x00"},
		Script: `
handshake
expect session/prompt
request fs/read_text_file {"sessionId": "${session}", "path": "${cwd}/a.txt"} as read
await read contains "hi\n"
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/a.txt", "content": "ho\n"} as written
await written
say All done.
end-turn
`,
	})
	p.Ready().Ask("go")
	p.Shows("All done.", "is stored as UTF-16 (little-endian)")
	text, err := os.ReadFile(filepath.Join(p.Dir(), "a.txt"))
	if err != nil || string(text) != "\xff\xfeh\x00o\x00\n\x00" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if strings.Count(p.Screen().String(), "UTF-16") != 1 {
		t.Error("it is said more than once")
	}
}
