package tour

import (
	"os"
	"os/exec"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
)

// In the second version an agent works with files and commands itself, and shows what
// it does.

// readFile reads a file: through the client, if that is how it is done.
func (t *turn) readFile(path string) (string, error) {
	if t.agent.speaksV2() {
		text, err := os.ReadFile(path)
		return string(text), err
	}
	res, err := acpclient.Call(t.ctx, t.agent.conn, acpclient.FSReadTextFile, &acpclient.ReadTextFileRequest{SessionID: t.kept.ID, Path: path})
	if err != nil {
		return "", err
	}
	return res.Content, nil
}

// writeFile writes a file, as readFile reads one.
func (t *turn) writeFile(path, text string) error {
	if t.agent.speaksV2() {
		return os.WriteFile(path, []byte(text), 0o644)
	}
	_, err := acpclient.Call(t.ctx, t.agent.conn, acpclient.FSWriteTextFile, &acpclient.WriteTextFileRequest{SessionID: t.kept.ID, Path: path, Content: text})
	return err
}

// runOwn runs a shell command in a terminal of the tour's own, and shows what it
// prints. It returns the exit code; false if it did not run to its end.
func (t *turn) runOwn(id acpclient.ToolCallID, command string) (exit int, ok bool) {
	terminal := acpclient.TerminalID(t.nextID("terminal"))
	t.notify(&acpclient.TerminalUpdate{
		TerminalID: terminal, Command: acpclient.SetTo(command), Cwd: acpclient.SetTo(t.kept.Cwd),
	})
	t.setCall(id, acpclient.ToolInProgress, acpclient.TerminalContent(terminal))
	cmd := exec.CommandContext(t.ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env = t.kept.Cwd, os.Environ()
	if t.agent.opt.Delay == 0 {
		cmd.Env = append(cmd.Env, envSpeed+"=0")
	}
	shown := &ownTerminal{turn: t, id: terminal}
	cmd.Stdout, cmd.Stderr = shown, shown
	cmd.WaitDelay = cancelGrace
	err := cmd.Run()
	if t.cancelled() {
		return 0, false
	}
	if cmd.ProcessState == nil {
		t.failCall(id, err.Error())
		return 0, false
	}
	t.mu.Lock()
	t.kept.Outputs[id] = string(shown.printed)
	t.mu.Unlock()
	t.usage(len(shown.printed))
	exit = cmd.ProcessState.ExitCode()
	t.notify(&acpclient.TerminalUpdate{TerminalID: terminal, ExitStatus: acpclient.SetTo(acpclient.TerminalExitStatus{ExitCode: &exit})})
	if exit != 0 {
		t.setCall(id, acpclient.ToolFailed)
	} else {
		t.setCall(id, acpclient.ToolCompleted)
	}
	return exit, true
}

// ownTerminal shows what a command prints. A command writes from one goroutine.
type ownTerminal struct {
	turn    *turn
	id      acpclient.TerminalID
	printed []byte
}

// Write implements io.Writer.
func (o *ownTerminal) Write(b []byte) (int, error) {
	o.printed = append(o.printed, b...)
	o.turn.notify(&acpclient.TerminalOutputChunk{TerminalID: o.id, Data: append(acpclient.Bytes(nil), b...)})
	return len(b), nil
}

// askV2 asks the person about a call in the second version.
func (t *turn) askV2(call acpclient.ToolCallUpdate, options []acpclient.PermissionOption) (*acpclient.RequestPermissionResponse, error) {
	subject := toolCallV2(&call)
	delete(subject, "sessionUpdate")
	title := "May the tour do this?"
	t.notify(&acpclient.StateUpdate{State: acpclient.WorkRequiresAction})
	var res acpclient.RequestPermissionResponse
	err := t.agent.conn.Call(t.calls, v2.SessionRequestPermission.Name, map[string]any{
		"sessionId": t.kept.ID, "title": title, "options": options,
		"subject": map[string]any{"type": "tool_call", "toolCall": subject},
	}, &res)
	t.notify(&acpclient.StateUpdate{State: acpclient.WorkRunning})
	return &res, err
}
