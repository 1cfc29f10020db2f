//go:build realagents

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test"
)

// sdkClient is the example client of the protocol's Go SDK.
const sdkClient = "github.com/coder/acp-go-sdk/example/client@v0.13.0"

// TestRealClientOfTheSDK has the example client of the Go SDK work with what parley serves. It sends one
// prompt, and answers each question with the first choice.
func TestRealClientOfTheSDK(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	install := exec.CommandContext(t.Context(), "go", "install", sdkClient)
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=")
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("the example client cannot be installed: %v\n%s", err, out)
	}
	script := filepath.Join(dir, "agent.script")
	must(t, os.WriteFile(script, []byte(`
handshake {"loadSession": true}
expect session/prompt contains "Hello, agent!"
update {"sessionUpdate": "plan", "entries": [{"content": "Write it down", "priority": "high", "status": "in_progress"}]}
update {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Write a.txt", "kind": "edit", "status": "pending"}
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t"}, "options": [{"optionId": "yes", "name": "Go on", "kind": "allow_once"}, {"optionId": "no", "name": "Leave it", "kind": "reject_once"}]} as asked
await asked contains "yes"
update {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}
say It is done.
end-turn
serve
`), 0o600))
	for name, tt := range map[string]struct {
		agent []string
		want  []string
	}{
		"tour":     {[]string{"-a", "tour"}, []string{"tour", "Agent completed"}},
		"scripted": {[]string{"--", test.Scripted(t), script}, []string{"[ plan ]", "Permission requested: Write a.txt", "1. Go on (allow_once)", "It is done.", "Agent completed"}},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			must(t, os.Mkdir(filepath.Join(home, ".run"), 0o700))
			t.Cleanup(func() { EndHosts(home) }) // the client kills parley
			cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "client"), append([]string{test.Parley(t), "serve"}, tt.agent...)...)
			cmd.Dir = t.TempDir()
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + filepath.Join(home, ".run")}
			cmd.Stdin = strings.NewReader("1\n")
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in\n%s", want, out.String())
				}
			}
		})
	}
}
