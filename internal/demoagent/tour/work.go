package tour

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"parley/acpclient"
)

// What the tour does to files and in terminals, all of it through the client.

// The answers to a permission request.
const (
	allowOnce   acpclient.PermissionOptionID = "allow"
	allowAlways acpclient.PermissionOptionID = "always"
	reject      acpclient.PermissionOptionID = "reject"
)

// choose asks the person about a tool call. It is empty if the turn was
// cancelled, or if the client could not ask.
func (t *turn) choose(call acpclient.ToolCallUpdate, options ...acpclient.PermissionOption) acpclient.PermissionOptionID {
	if t.cancelled() {
		return ""
	}
	res, err := t.mayI(call, options)
	switch {
	case err != nil:
		return ""
	case res.Outcome.Cancelled():
		t.cancelTurn()
	}
	return res.Outcome.OptionID
}

// mayI asks about a call in the version that was agreed on.
func (t *turn) mayI(call acpclient.ToolCallUpdate, options []acpclient.PermissionOption) (*acpclient.RequestPermissionResponse, error) {
	if t.agent.speaksV2() {
		return t.askV2(call, options)
	}
	return acpclient.Call(t.calls, t.agent.conn, acpclient.SessionRequestPermission, &acpclient.RequestPermissionRequest{
		SessionID: t.kept.ID, ToolCall: call, Options: options,
	})
}

// permitted reports whether a tool call may go ahead; it asks if it must.
func (t *turn) permitted(id acpclient.ToolCallID, call acpclient.ToolCall) bool {
	t.mu.Lock()
	known := t.kept.Settings.Mode == modeAuto || t.always[call.Kind]
	t.mu.Unlock()
	if known {
		return !t.cancelled()
	}
	answer := t.choose(
		acpclient.ToolCallUpdate{
			ToolCallID: id, Title: &call.Title, Kind: &call.Kind, Status: ptr(acpclient.ToolPending),
			Content: call.Content, Locations: call.Locations, RawInput: call.RawInput,
		},
		acpclient.PermissionOption{OptionID: allowOnce, Name: "Allow", Kind: acpclient.AllowOnce},
		acpclient.PermissionOption{OptionID: allowAlways, Name: "Allow until the session ends", Kind: acpclient.AllowAlways},
		acpclient.PermissionOption{OptionID: reject, Name: "Reject", Kind: acpclient.RejectOnce},
	)
	if answer == allowAlways {
		t.mu.Lock()
		t.always[call.Kind] = true
		t.mu.Unlock()
		t.notice("Remembered until the session ends", fmt.Sprintf("Nothing of the kind %q is asked about any more.", call.Kind))
	}
	return answer == allowOnce || answer == allowAlways
}

// read reads a file through the client.
func (t *turn) read(name string) (string, bool) {
	path := filepath.Join(t.kept.Cwd, name)
	id := t.begin(acpclient.ToolCall{
		Title: "Read " + name, Name: "read_file", Kind: acpclient.ToolRead, Status: acpclient.ToolInProgress,
		Locations: []acpclient.ToolCallLocation{{Path: path, Line: ptr(buggyLine)}}, RawInput: rawObject("path", path),
	})
	if !t.agent.speaksV2() && !t.agent.capabilities().FS.ReadTextFile {
		t.failCall(id, "This client does not offer fs/read_text_file.")
		return "", false
	}
	if t.cancelled() {
		return "", false
	}
	text, err := t.readFile(path)
	t.step()
	if err != nil {
		t.failCall(id, err.Error())
		return "", false
	}
	t.usage(len(text))
	t.setCall(id, acpclient.ToolCompleted, acpclient.TextContent("```"+strings.TrimPrefix(filepath.Ext(name), ".")+"\n"+text+"```"))
	return text, true
}

// change proposes a new text for a file, asks, and writes it. A nil before is a
// new file.
func (t *turn) change(title, path string, line int, before *string, after string) bool {
	call := acpclient.ToolCall{
		Title: title, Name: "edit_file", Kind: acpclient.ToolEdit, Status: acpclient.ToolPending,
		Content:   []acpclient.ToolCallContent{acpclient.DiffContent(path, before, after)},
		Locations: []acpclient.ToolCallLocation{{Path: path, Line: &line}}, RawInput: rawObject("path", path),
	}
	id := t.begin(call)
	if !t.agent.speaksV2() && !t.agent.capabilities().FS.WriteTextFile {
		t.failCall(id, "This client does not offer fs/write_text_file.")
		return false
	}
	if !t.permitted(id, call) {
		t.failCall(id, "Not allowed, so nothing was written.")
		return false
	}
	t.setCall(id, acpclient.ToolInProgress)
	if err := t.writeFile(path, after); err != nil {
		t.failCall(id, err.Error())
		return false
	}
	t.setCall(id, acpclient.ToolCompleted)
	return !t.cancelled()
}

// runCommand runs a shell command in a terminal of the client and returns its exit
// code; false if it did not run to its end.
func (t *turn) runCommand(title, command string) (exit int, ok bool) {
	call := acpclient.ToolCall{
		Title: title, Name: "shell", Kind: acpclient.ToolExecute, Status: acpclient.ToolPending,
		Content: []acpclient.ToolCallContent{acpclient.TextContent("```sh\n" + command + "\n```")}, RawInput: rawObject("command", command),
	}
	id := t.begin(call)
	if !t.agent.speaksV2() && !t.agent.capabilities().Terminal {
		t.failCall(id, "This client does not offer terminals.")
		return 0, false
	}
	if !t.permitted(id, call) {
		t.failCall(id, "Not allowed, so nothing was run.")
		return 0, false
	}
	if t.agent.speaksV2() {
		return t.runOwn(id, command)
	}
	conn, session := t.agent.conn, t.kept.ID
	limit := uint64(64 << 10)
	request := &acpclient.CreateTerminalRequest{
		SessionID: session, Command: "sh", Args: []string{"-c", command}, Cwd: t.kept.Cwd, OutputByteLimit: &limit,
	}
	if t.agent.opt.Delay == 0 {
		request.Env = []acpclient.EnvVariable{{Name: envSpeed, Value: "0"}}
	}
	// The answer is waited for even if the turn is cancelled meanwhile: the
	// terminal must be released.
	made, err := acpclient.Call(t.calls, conn, acpclient.TerminalCreate, request)
	if err != nil {
		t.failCall(id, err.Error())
		return 0, false
	}
	defer func() {
		_, _ = acpclient.Call(t.calls, conn, acpclient.TerminalRelease, &acpclient.ReleaseTerminalRequest{SessionID: session, TerminalID: made.TerminalID})
	}()
	t.setCall(id, acpclient.ToolInProgress, acpclient.TerminalContent(made.TerminalID))
	ended, err := acpclient.Call(t.ctx, conn, acpclient.TerminalWaitForExit, &acpclient.WaitForTerminalExitRequest{SessionID: session, TerminalID: made.TerminalID})
	if t.cancelled() {
		_, _ = acpclient.Call(t.calls, conn, acpclient.TerminalKill, &acpclient.KillTerminalRequest{SessionID: session, TerminalID: made.TerminalID})
		return 0, false
	}
	if err != nil {
		t.failCall(id, err.Error())
		return 0, false
	}
	if out, err := acpclient.Call(t.ctx, conn, acpclient.TerminalOutput, &acpclient.TerminalOutputRequest{SessionID: session, TerminalID: made.TerminalID}); err == nil {
		t.mu.Lock()
		t.kept.Outputs[id] = out.Output
		t.mu.Unlock()
		t.usage(len(out.Output))
	}
	if ended.ExitCode == nil || *ended.ExitCode != 0 {
		t.setCall(id, acpclient.ToolFailed)
	} else {
		t.setCall(id, acpclient.ToolCompleted)
	}
	if ended.ExitCode == nil {
		return 0, false
	}
	return *ended.ExitCode, true
}

// mayWork reports whether the mode lets the turn do more than plan. In plan mode
// it shows the plan and asks to leave the mode in the form that the protocol's
// page on session modes shows, with content blocks that are not wrapped.
func (t *turn) mayWork(plan string) bool {
	if t.settings().Mode != modePlan {
		return !t.cancelled()
	}
	t.say("I am in **plan mode**: I only plan, and ask before I begin.\n")
	t.step()
	title, kind := "Ready to begin", acpclient.ToolSwitchMode
	bare, _ := json.Marshal(acpclient.TextBlock(plan))
	id := t.begin(acpclient.ToolCall{Title: title, Kind: kind, Status: acpclient.ToolPending})
	answer := t.choose(
		acpclient.ToolCallUpdate{
			ToolCallID: id, Title: &title, Kind: &kind, Status: ptr(acpclient.ToolPending),
			Content: acpclient.ToolCallContents{{Type: "text", Raw: bare}},
		},
		acpclient.PermissionOption{OptionID: modeAuto, Name: "Yes, and do not ask again", Kind: acpclient.AllowAlways},
		acpclient.PermissionOption{OptionID: modeAsk, Name: "Yes, and ask before each step", Kind: acpclient.AllowOnce},
		acpclient.PermissionOption{OptionID: reject, Name: "No, keep planning", Kind: acpclient.RejectOnce},
	)
	if answer != modeAuto && answer != modeAsk {
		t.failCall(id, "The plan stays a plan.")
		t.say("Good, we keep planning. Tell me when to begin, or switch the mode with `shift+tab`.\n")
		return false
	}
	if _, err := t.set(optionMode, acpclient.SelectValue(acpclient.ConfigValueID(answer))); err != nil {
		t.failCall(id, err.Error())
		return false
	}
	t.notify(&acpclient.CurrentModeUpdate{CurrentModeID: acpclient.SessionModeID(answer)})
	t.notify(&acpclient.ConfigOptionUpdate{ConfigOptions: t.state().ConfigOptions})
	t.setCall(id, acpclient.ToolCompleted)
	return !t.cancelled()
}

func rawObject(key, value string) json.RawMessage {
	b, _ := json.Marshal(map[string]string{key: value})
	return b
}
