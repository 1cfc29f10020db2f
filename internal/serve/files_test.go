package serve

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/conversation"
)

// reading is an agent that reads a line of a file, which has to be FIRST, and writes it; then it reads what
// it has written.
const reading = `handshake
expect session/prompt
request fs/read_text_file {"sessionId":"${session}","path":"${cwd}/file","line":1,"limit":1} as text
await text contains "content":"FIRST\n"
request fs/write_text_file {"sessionId":"${session}","path":"${cwd}/file","content":"agent\n"} as wrote
await wrote contains "result"
end-turn
expect session/prompt
request fs/read_text_file {"sessionId":"${session}","path":"${cwd}/file"} as again
await again contains "content":"agent\n"
end-turn
serve
`

// An agent reads the unsaved changes of a client that offers files where the user has said so: not from
// one that only looks on, and not in version 2, in which clients have no files. Writes are the host's.
func TestUnsavedChangesOfAClient(t *testing.T) {
	for name, c := range map[string]struct {
		opt      Options
		offers   bool
		v2, asks bool
	}{
		"with files":      {opt: Options{EditorFiles: true}, offers: true, asks: true},
		"not set":         {offers: true},
		"offers no files": {opt: Options{EditorFiles: true}},
		"version 2":       {opt: Options{EditorFiles: true}, offers: true, v2: true},
		"looks on":        {opt: Options{EditorFiles: true, ReadOnly: true}, offers: true},
	} {
		t.Run(name, func(t *testing.T) {
			line := map[bool]string{true: "unsaved", false: "disk"}[c.asks]
			s := newStage(t, strings.ReplaceAll(reading, "FIRST", line))
			file := filepath.Join(s.opt.Cwd, "file")
			if err := os.WriteFile(file, []byte("disk\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			first := s.client(Options{}, acpclient.ClientCapabilities{Session: &acpclient.ClientSessionCapabilities{Notices: &acpclient.Supported{}}}, false)
			first.decide = func(context.Context, *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error) {
				return conversation.FileOnce, nil // about the write
			}
			first.open(s.opt.Cwd)
			caps := acpclient.ClientCapabilities{FS: acpclient.FileSystemCapabilities{ReadTextFile: c.offers, WriteTextFile: c.offers}}
			c.opt.Running = "host"
			editor := s.client(c.opt, caps, c.v2)
			editor.decide = func(ctx context.Context, _ *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error) {
				<-ctx.Done() // withdrawn, once it is answered
				return "", ctx.Err()
			}
			editor.unsaved = map[string]string{file: "unsaved\nmore\n"}
			editor.open(s.opt.Cwd)
			files, err := fs.New(s.opt.Cwd)
			if err != nil {
				t.Fatal(err)
			}
			defer files.Close()
			if place, err := files.Find(file); err == nil {
				place.Steady(t.Context()) // the file has clearly changed before the turn
			}
			first.ends(first.prompt("read"), "end_turn")
			if got := transcript(first.conv); strings.Contains(got, "note file was read from the editor") != c.asks {
				t.Errorf("%s", got)
			}
			if len(first.asked) > 0 != c.asks { // the file does not hold what the agent has read
				t.Errorf("asked %+v", first.asked)
			}
			want := []string(nil)
			if c.asks {
				want = []string{string(editor.id) + " " + file}
			}
			editor.mu.Lock()
			if !slices.Equal(editor.opened, want) {
				t.Errorf("the client was asked for %q, want %q", editor.opened, want)
			}
			editor.mu.Unlock()
			if text, err := os.ReadFile(file); err != nil || string(text) != "agent\n" {
				t.Errorf("the file holds %q, %v", text, err)
			}

			// Without the editor, files are those on disk.
			editor.leave()
			if s.host.Editor() != nil {
				t.Error("a client that is gone is an editor")
			}
			first.ends(first.prompt("read"), "end_turn")
		})
	}
}
