package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test"
)

// socketClient is a client at the socket of parley serve.
type socketClient struct {
	t *testing.T
	net.Conn
	lines *bufio.Reader
}

func newSocketClient(t *testing.T, path string) socketClient {
	t.Helper()
	c, err := greet(path)
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	must(t, c.SetDeadline(time.Now().Add(time.Minute)))
	return socketClient{t, c, bufio.NewReader(c)}
}

// until reads messages until one contains a text, and returns that.
func (c socketClient) until(text string) string {
	c.t.Helper()
	all := ""
	for {
		line, err := c.lines.ReadString('\n')
		if err != nil {
			c.t.Fatalf("%q does not come: %v\n%s", text, err, all)
		}
		if all += line; strings.Contains(line, text) {
			return line
		}
	}
}

func (c socketClient) send(format string, args ...any) {
	c.t.Helper()
	_, err := fmt.Fprintf(c, format+"\n", args...)
	must(c.t, err)
}

// Several clients share parley serve --socket. What a session has started is refused, also an orphan in a
// process session of its own; and a session outlives parley serve.
func TestServeAtASocket(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	run := filepath.Join(home, ".run")
	must(t, os.Mkdir(run, 0o700))
	script := filepath.Join(dir, "agent.script")
	must(t, os.WriteFile(script, []byte(`
handshake
expect session/prompt
request terminal/create {"sessionId": "${session}", "command": "sh", "args": ["-c", "sh -c 'setsid \"$0\" >told &' \"$0\"; until test -s told; do sleep 0.01; done", "`+os.Args[0]+`"], "env": [{"name": "`+clientEnv+`", "value": "`+run+`/parley/serve.acp"}], "cwd": "${cwd}"} as term
await term
request terminal/wait_for_exit {"sessionId": "${session}", "terminalId": "${term.result.terminalId}"} as exit
await exit contains "exitCode":0
end-turn
expect session/prompt
say It takes long.
wait-cancel
`), 0o600))
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, test.Parley(t), "serve", "--socket", "--", test.Scripted(t), script)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + run}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { EndHosts(home) })
	defer cancel()
	path, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	path = strings.TrimSpace(path)

	c := newSocketClient(t, path)
	c.until(`"id":1,"result"`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, dir)
	var made struct{ Result struct{ SessionID string } }
	must(t, json.Unmarshal([]byte(c.until(`"id":2,"result"`)), &made))
	const prompt = `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}}`
	c.send(prompt, 3, made.Result.SessionID)
	c.until(`"id":3,"result"`)
	if told, err := os.ReadFile(filepath.Join(dir, "told")); !strings.Contains(string(told), "what a session has started cannot steer that session") {
		t.Errorf("what the session has started is told %q, %v", told, err)
	}
	c.send(prompt, 4, made.Result.SessionID)
	c.until("It takes long.")

	other := newSocketClient(t, path)
	other.until(`"id":1,"result"`)
	other.send(`{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}`)
	if list := other.until(`"id":2,"result"`); !strings.Contains(list, made.Result.SessionID) {
		t.Errorf("another client is told %s", list)
	}

	cancel()
	if err := cmd.Wait(); err != nil && ctx.Err() == nil {
		t.Error(err)
	}
	for _, one := range []socketClient{c, other} {
		_, _ = io.Copy(io.Discard, one)
	}
	left := sockets(home)
	if len(left) != 1 {
		t.Fatalf("of the sessions, %v run", left)
	}
	s, host, err := askHost(left[0])
	must(t, err)
	defer host.Close()
	if err := syscall.Kill(s.PID, 0); err != nil || !s.Working {
		t.Errorf("the session is %s, %v", s.State(), err)
	}
}
