package demoagent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"parley/acpclient"
	"parley/internal/script"
)

// This file reads and writes files and runs commands. In version 1 the client does so
// for the agent; in version 2 agents do it themselves and report it.

// The answers to a permission request.
const (
	allowOnce   acpclient.PermissionOptionID = "allow"
	allowAlways acpclient.PermissionOptionID = "always"
	reject      acpclient.PermissionOptionID = "reject"
)

// choose asks the user about a tool call. It returns "" if the turn was cancelled or the
// client could not ask.
func (t *turn) choose(id acpclient.ToolCallID, call acpclient.ToolCall, options ...acpclient.PermissionOption) acpclient.PermissionOptionID {
	if t.cancelled() {
		return ""
	}
	call.ToolCallID, call.Status = id, acpclient.ToolPending
	var res acpclient.RequestPermissionResponse
	params := map[string]any{"sessionId": t.id, "toolCall": call, "options": options}
	if t.agent.conn.Call(t.calls, acpclient.SessionRequestPermission.Name, params, &res) != nil {
		return ""
	}
	if res.Outcome.Cancelled() {
		t.cancelTurn()
	}
	return res.Outcome.OptionID
}

// permitted reports whether a tool call is allowed. It asks the user if necessary.
func (t *turn) permitted(id acpclient.ToolCallID, call acpclient.ToolCall) bool {
	t.mu.Lock()
	known := t.settings[optionMode].ID == modeAuto || t.always[call.Kind]
	t.mu.Unlock()
	if known {
		return !t.cancelled()
	}
	answer := t.choose(
		id, call,
		acpclient.PermissionOption{OptionID: allowOnce, Name: "Allow", Kind: acpclient.AllowOnce},
		acpclient.PermissionOption{OptionID: allowAlways, Name: "Allow until the session ends", Kind: acpclient.AllowAlways},
		acpclient.PermissionOption{OptionID: reject, Name: "Reject", Kind: acpclient.RejectOnce},
	)
	if answer == allowAlways {
		t.mu.Lock()
		t.always[call.Kind] = true
		t.mu.Unlock()
		t.notice("Remembered until the session ends", fmt.Sprintf("The tour no longer asks for permission for calls of kind %q.", call.Kind))
	}
	return answer == allowOnce || answer == allowAlways
}

// act makes a tool call and reports whether it succeeded. It asks for permission unless
// refused, the text for a rejection, is "". In version 1 the client must offer the capability
// that the call takes.
func (t *turn) act(call acpclient.ToolCall, takes string, offered bool, refused string, do func(acpclient.ToolCallID) error) bool {
	id := t.begin(call)
	switch {
	case !offered && !t.agent.conn.SpeaksV2():
		t.failCall(id, "This client does not offer "+takes+".")
		return false
	case refused != "" && !t.permitted(id, call):
		t.failCall(id, refused)
		return false
	case t.cancelled():
		return false
	}
	if err := do(id); err != nil {
		t.failCall(id, err.Error())
		return false
	}
	return !t.cancelled()
}

// read reads a file, at a line unless that is 0.
func (t *turn) read(name string, line int) (text string, ok bool) {
	path := filepath.Join(t.cwd, name)
	location := acpclient.ToolCallLocation{Path: path}
	if line > 0 {
		location.Line = &line
	}
	call := acpclient.ToolCall{
		Title: "Read " + name, Name: "read_file", Kind: acpclient.ToolRead, Status: acpclient.ToolInProgress,
		Locations: []acpclient.ToolCallLocation{location}, RawInput: script.Encode(map[string]any{"path": path}),
	}
	ok = t.act(call, acpclient.FSReadTextFile.Name, t.agent.capabilities().FS.ReadTextFile, "", func(id acpclient.ToolCallID) (err error) {
		text, err = t.readFile(path)
		t.step()
		if err != nil {
			return err
		}
		t.usage(len(text))
		t.setCall(id, acpclient.ToolCompleted, acpclient.TextContent("```"+strings.TrimPrefix(filepath.Ext(name), ".")+"\n"+text+"```"))
		t.files[name] = text
		return nil
	})
	return text, ok
}

func (t *turn) readFile(path string) (string, error) {
	if t.agent.conn.SpeaksV2() {
		text, err := os.ReadFile(path)
		return string(text), err
	}
	res, err := acpclient.Call(t.Context, t.agent.conn, acpclient.FSReadTextFile, &acpclient.ReadTextFileRequest{SessionID: t.id, Path: path})
	if err != nil {
		return "", err
	}
	return res.Content, nil
}

// change asks to write a new text to a file, and writes it. A file that was not read counts
// as new.
func (t *turn) change(title, name, after string) bool {
	path := filepath.Join(t.cwd, name)
	var old *string
	before, had := t.files[name]
	if had {
		old = &before
	}
	same := 0
	for same < min(len(before), len(after)) && before[same] == after[same] {
		same++
	}
	line := strings.Count(before[:same], "\n") + 1
	call := acpclient.ToolCall{
		Title: title, Name: "edit_file", Kind: acpclient.ToolEdit, Status: acpclient.ToolPending,
		Content:   []acpclient.ToolCallContent{acpclient.DiffContent(path, old, after)},
		Locations: []acpclient.ToolCallLocation{{Path: path, Line: &line}}, RawInput: script.Encode(map[string]any{"path": path}),
	}
	const refused = "Denied: nothing was written."
	return t.act(call, acpclient.FSWriteTextFile.Name, t.agent.capabilities().FS.WriteTextFile, refused, func(id acpclient.ToolCallID) (err error) {
		t.setCall(id, acpclient.ToolInProgress)
		if t.agent.conn.SpeaksV2() {
			err = os.WriteFile(path, []byte(after), 0o644)
		} else {
			_, err = acpclient.Call(t.Context, t.agent.conn, acpclient.FSWriteTextFile, &acpclient.WriteTextFileRequest{SessionID: t.id, Path: path, Content: after})
		}
		if err == nil {
			t.setCall(id, acpclient.ToolCompleted)
		}
		return err
	})
}

// runCommand runs a shell command in a terminal and returns its exit code. ok is false
// if the command did not finish.
func (t *turn) runCommand(title, command string) (exit int, ok bool) {
	call := acpclient.ToolCall{
		Title: title, Name: "shell", Kind: acpclient.ToolExecute, Status: acpclient.ToolPending,
		Content: []acpclient.ToolCallContent{acpclient.TextContent("```sh\n" + command + "\n```")}, RawInput: script.Encode(map[string]any{"command": command}),
	}
	run := t.runInClient
	if t.agent.conn.SpeaksV2() {
		run = t.runHere
	}
	exit = -1
	ok = t.act(call, "terminals", t.agent.capabilities().Terminal, "Denied: nothing was run.", func(id acpclient.ToolCallID) error {
		printed, code, err := run(id, command)
		if err != nil || t.cancelled() {
			return err
		}
		t.usage(printed)
		status := acpclient.ToolFailed
		if code != nil {
			exit = *code
		}
		if exit == 0 {
			status = acpclient.ToolCompleted
		}
		t.setCall(id, status)
		return nil
	})
	return exit, ok && exit >= 0
}

// runInClient runs a command in a terminal of the client. The exit code is nil if a signal
// ended it.
func (t *turn) runInClient(id acpclient.ToolCallID, command string) (printed int, exit *int, err error) {
	conn, session := t.agent.conn, t.id
	limit := uint64(64 << 10)
	request := &acpclient.CreateTerminalRequest{
		SessionID: session, Command: "sh", Args: []string{"-c", command}, Cwd: t.cwd, OutputByteLimit: &limit,
	}
	if t.agent.delay == 0 {
		request.Env = []acpclient.EnvVariable{{Name: envSpeed, Value: "0"}}
	}
	// Wait for the answer even if the turn is cancelled meanwhile: the terminal must be
	// released.
	made, err := acpclient.Call(t.calls, conn, acpclient.TerminalCreate, request)
	if err != nil {
		return 0, nil, err
	}
	defer func() {
		_, _ = acpclient.Call(t.calls, conn, acpclient.TerminalRelease, &acpclient.ReleaseTerminalRequest{SessionID: session, TerminalID: made.TerminalID})
	}()
	t.setCall(id, acpclient.ToolInProgress, acpclient.TerminalContent(made.TerminalID))
	ended, err := acpclient.Call(t.Context, conn, acpclient.TerminalWaitForExit, &acpclient.WaitForTerminalExitRequest{SessionID: session, TerminalID: made.TerminalID})
	if t.cancelled() {
		_, _ = acpclient.Call(t.calls, conn, acpclient.TerminalKill, &acpclient.KillTerminalRequest{SessionID: session, TerminalID: made.TerminalID})
	}
	if err != nil {
		return 0, nil, err
	}
	if out, err := acpclient.Call(t.Context, conn, acpclient.TerminalOutput, &acpclient.TerminalOutputRequest{SessionID: session, TerminalID: made.TerminalID}); err == nil {
		printed = len(out.Output)
	}
	return printed, ended.ExitCode, nil
}

// runHere runs a command without the client, and shows its output in a terminal.
func (t *turn) runHere(id acpclient.ToolCallID, command string) (printed int, exit *int, err error) {
	terminal := acpclient.TerminalID(t.nextID("terminal"))
	t.notify(&acpclient.TerminalUpdate{
		TerminalID: terminal, Command: acpclient.SetTo(command), Cwd: acpclient.SetTo(t.cwd),
	})
	t.setCall(id, acpclient.ToolInProgress, acpclient.TerminalContent(terminal))
	cmd := exec.CommandContext(t.Context, "sh", "-c", command)
	cmd.Dir, cmd.Env = t.cwd, os.Environ()
	if t.agent.delay == 0 {
		cmd.Env = append(cmd.Env, envSpeed+"=0")
	}
	shown := &ownTerminal{turn: t, id: terminal}
	cmd.Stdout, cmd.Stderr = shown, shown
	cmd.WaitDelay = cancelGrace
	if err := cmd.Run(); cmd.ProcessState == nil {
		return 0, nil, errors.Join(err, t.Context.Err())
	}
	code := cmd.ProcessState.ExitCode()
	if !t.cancelled() {
		t.notify(&acpclient.TerminalUpdate{TerminalID: terminal, ExitStatus: acpclient.SetTo(acpclient.TerminalExitStatus{ExitCode: &code})})
	}
	return shown.printed, &code, nil
}

// ownTerminal sends the output of a command to the client. A command writes from one
// goroutine.
type ownTerminal struct {
	turn    *turn
	id      acpclient.TerminalID
	printed int
}

// Write implements io.Writer.
func (o *ownTerminal) Write(b []byte) (int, error) {
	o.printed += len(b)
	o.turn.notify(&acpclient.TerminalOutputChunk{TerminalID: o.id, Data: append(acpclient.Bytes(nil), b...)})
	return len(b), nil
}

// mayWork reports whether the mode lets the turn act. In plan mode it shows the plan and asks
// to leave the mode, with content blocks that are not wrapped, as on the protocol's page
// about session modes.
func (t *turn) mayWork(plan string) bool {
	if t.current()[optionMode].ID != modePlan {
		return !t.cancelled()
	}
	t.say("I am in **plan mode**: I only plan, and ask before I start.\n")
	t.step()
	bare, _ := json.Marshal(acpclient.TextBlock(plan))
	call := acpclient.ToolCall{Title: "Ready to start", Kind: acpclient.ToolSwitchMode, Status: acpclient.ToolPending}
	id := t.begin(call)
	call.Content = acpclient.ToolCallContents{{Type: "text", Raw: bare}}
	answer := t.choose(
		id, call,
		acpclient.PermissionOption{OptionID: modeAuto, Name: "Yes, and do not ask again", Kind: acpclient.AllowAlways},
		acpclient.PermissionOption{OptionID: modeAsk, Name: "Yes, and ask before each step", Kind: acpclient.AllowOnce},
		acpclient.PermissionOption{OptionID: reject, Name: "No, keep planning", Kind: acpclient.RejectOnce},
	)
	if answer != modeAuto && answer != modeAsk {
		t.failCall(id, "The plan was not started.")
		t.say("Good, we keep planning. Tell me when to start, or switch the mode with `shift+tab`.\n")
		return false
	}
	if err := t.set(optionMode, acpclient.SelectValue(acpclient.ConfigValueID(answer))); err != nil {
		t.failCall(id, err.Error())
		return false
	}
	t.notify(&acpclient.CurrentModeUpdate{CurrentModeID: acpclient.SessionModeID(answer)})
	t.notify(&acpclient.ConfigOptionUpdate{ConfigOptions: t.configOptions()})
	t.setCall(id, acpclient.ToolCompleted)
	return !t.cancelled()
}
