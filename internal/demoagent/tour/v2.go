package tour

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/aymanbagabas/go-udiff"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
)

// The tour is written in the words of the protocol's first version. To a client that
// offers the second it says the same in that one's: what differs is in this file, and
// in work_v2.go what it then does itself.

// speaksV2 reports whether the second version was agreed on.
func (a *agent) speaksV2() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.v2
}

// initializeV2 opens the connection in the second version.
func (a *agent) initializeV2(ctx context.Context, r *v2.InitializeRequest) (*v2.InitializeResponse, error) {
	yes := &acpclient.Supported{}
	client := acpclient.ClientCapabilities{
		Elicitation: r.Capabilities.Elicitation,
		Session: &acpclient.ClientSessionCapabilities{
			Notices: yes, Compaction: yes, ConfigOptions: &acpclient.SessionConfigOptionsCapabilities{Boolean: yes},
		},
	}
	client.Auth.Terminal = r.Capabilities.Auth != nil && r.Capabilities.Auth.Terminal != nil
	first, err := a.initialize(ctx, &acpclient.InitializeRequest{ClientCapabilities: client})
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.v2 = true
	a.mu.Unlock()
	res := &v2.InitializeResponse{ProtocolVersion: v2.Version, Info: *first.AgentInfo}
	res.Capabilities.Session = &v2.SessionCapabilities{
		Prompt: &v2.PromptCapabilities{Image: yes, Audio: yes, EmbeddedContext: yes},
		MCP:    &v2.MCPCapabilities{Stdio: yes}, Delete: yes, AdditionalDirectories: yes,
	}
	for _, m := range first.AuthMethods {
		kind := m.Type
		if kind == "" {
			kind = acpclient.AuthMethodAgent
		}
		res.AuthMethods = append(res.AuthMethods, v2.AuthMethod{Type: kind, MethodID: m.ID, Name: m.Name, Description: m.Description, Args: m.Args})
	}
	return res, nil
}

// openConnection opens the connection in the version that the client offers.
func (a *agent) openConnection(ctx context.Context, params json.RawMessage) (any, error) {
	var offered struct {
		ProtocolVersion uint16 `json:"protocolVersion"`
	}
	_ = acpclient.Unmarshal(params, &offered) // what is wrong with it, is told below
	if offered.ProtocolVersion >= v2.Version {
		return serve(ctx, params, a.initializeV2)
	}
	return serve(ctx, params, a.initialize)
}

// handleV2 answers a request of the second version.
func (a *agent) handleV2(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case v2.AuthLogin.Name:
		return serve(ctx, params, a.authenticate)
	case v2.AuthLogout.Name:
		return serve(ctx, params, a.logout)
	case v2.SessionClose.Name:
		return serve(ctx, params, a.closeSession)
	case v2.SessionDelete.Name:
		return serve(ctx, params, a.deleteSession)
	case v2.SessionSetConfigOption.Name:
		r, err := serve(ctx, params, a.setConfigOption)
		if err != nil {
			return nil, err
		}
		return map[string]any{"configOptions": optionsV2(r.(*acpclient.SetSessionConfigOptionResponse).ConfigOptions)}, nil
	}
	if err := a.signedIn(); err != nil {
		return nil, err
	}
	switch method {
	case v2.SessionNew.Name:
		r, err := serve(ctx, params, a.newSession)
		if err != nil {
			return nil, err
		}
		made := r.(*acpclient.NewSessionResponse)
		return map[string]any{"sessionId": made.SessionID, "configOptions": optionsV2(made.ConfigOptions)}, nil
	case v2.SessionResume.Name:
		return serve(ctx, params, a.resumeV2)
	case v2.SessionList.Name:
		return serve(ctx, params, a.listSessions)
	case v2.SessionPrompt.Name:
		return serve(ctx, params, a.promptV2)
	}
	return nil, &acpclient.Error{Code: acpclient.CodeMethodNotFound, Message: "Method not found"}
}

// resumeV2 opens a session that was kept, and replays it if that is asked for. Then it
// says whether it is at work.
func (a *agent) resumeV2(_ context.Context, r *v2.ResumeSessionRequest) (*map[string]any, error) {
	if r.ReplayFrom != nil && r.ReplayFrom.Type != v2.ReplayStart {
		return nil, invalid("there is no place %q to replay from", r.ReplayFrom.Type)
	}
	s, err := a.reopen(r.SessionID, r.Cwd)
	if err != nil {
		return nil, err
	}
	if r.ReplayFrom != nil {
		s.replay()
	}
	s.mu.Lock()
	state := acpclient.WorkIdle
	if s.cancel != nil {
		state = acpclient.WorkRunning
	}
	s.mu.Unlock()
	s.notify(&acpclient.StateUpdate{State: state})
	return &map[string]any{"configOptions": optionsV2(s.state().ConfigOptions)}, nil
}

// promptV2 accepts a prompt, and works on it once the client has heard that.
func (a *agent) promptV2(ctx context.Context, r *v2.PromptRequest) (*v2.PromptResponse, error) {
	s, err := a.openSession(r.SessionID)
	if err != nil {
		return nil, err
	}
	t, err := s.beginTurn(a.life)
	if err != nil {
		return nil, err
	}
	asked := acpclient.MessageID(s.nextID("message"))
	content := []acpclient.ContentBlock(r.Prompt)
	s.notify(&acpclient.MessageUpdate{Chunk: acpclient.UserMessageChunk, MessageID: asked, Content: acpclient.SetTo(content)})
	if !a.begin() {
		t.end()
		return nil, acpclient.ErrClosed
	}
	acpclient.OnAnswered(ctx, func() {
		go func() {
			defer a.requests.Done()
			s.notify(&acpclient.StateUpdate{State: acpclient.WorkRunning})
			reason := t.work(asked, content)
			t.end()
			s.notify(&acpclient.StateUpdate{State: acpclient.WorkIdle, StopReason: reason})
		}()
	})
	return &v2.PromptResponse{MessageID: asked}, nil
}

// updateV2 says an update in the second version, nil if there is nothing to say.
func updateV2(u acpclient.SessionUpdate) any {
	switch u := u.(type) {
	case *acpclient.ContentChunk:
		if u.MessageID == "" {
			own := *u
			own.MessageID = "banner"
			return &own
		}
	case *acpclient.ToolCall:
		update := &acpclient.ToolCallUpdate{
			ToolCallID: u.ToolCallID, Title: &u.Title, Kind: &u.Kind, Locations: u.Locations, Content: u.Content, RawInput: u.RawInput,
		}
		if u.Name != "" {
			update.Name = &u.Name
		}
		if u.Status != "" {
			update.Status = &u.Status
		}
		return toolCallV2(update)
	case *acpclient.ToolCallUpdate:
		return toolCallV2(u)
	case *acpclient.Plan:
		return &acpclient.PlanUpdate{Plan: acpclient.PlanUpdateContent{Type: acpclient.PlanItems, PlanID: "plan", Entries: u.Entries}}
	case *acpclient.CurrentModeUpdate:
		return nil
	case *acpclient.ConfigOptionUpdate:
		return map[string]any{"sessionUpdate": u.UpdateKind(), "configOptions": optionsV2(u.ConfigOptions)}
	case *acpclient.AvailableCommandsUpdate:
		return map[string]any{"sessionUpdate": u.UpdateKind(), "availableCommands": commandsV2(u.AvailableCommands)}
	}
	return u
}

// toolCallV2 is an update of a call, whose changes the second version spells otherwise.
func toolCallV2(u *acpclient.ToolCallUpdate) map[string]any {
	out := fields(u)
	out["sessionUpdate"] = u.UpdateKind()
	if u.Content == nil {
		return out
	}
	items := []any{}
	for _, c := range u.Content {
		switch c.Type {
		case acpclient.ToolContentDiff:
			items = append(items, diffV2(c.Path, c.OldText, c.NewText))
		case acpclient.ToolContentBlock, acpclient.ToolContentTerminal:
			items = append(items, c)
		default: // a block that the first version does not wrap
			items = append(items, map[string]any{"type": acpclient.ToolContentBlock, "content": c.Raw})
		}
	}
	out["content"] = items
	return out
}

// diffV2 is the change of a file with its patch.
func diffV2(path string, before *string, after string) map[string]any {
	operation, from, text := acpclient.FileModify, path, ""
	if before == nil {
		operation, from = acpclient.FileAdd, "/dev/null"
	} else {
		text = *before
	}
	return map[string]any{
		"type":    acpclient.ToolContentDiff,
		"changes": []v2.DiffChange{{Operation: operation, Path: path, FileType: "text"}},
		"patch":   v2.DiffPatch{Format: v2.GitPatch, Text: "diff --git " + path + " " + path + "\n" + udiff.Unified(from, path, text, after)},
	}
}

func optionsV2(all []acpclient.SessionConfigOption) []map[string]any {
	out := []map[string]any{}
	for _, o := range all {
		option := fields(o)
		option["configId"] = o.ID
		delete(option, "id")
		if grouped := slices.ContainsFunc(o.Options, func(g acpclient.ConfigSelectGroup) bool { return g.Group != "" }); grouped {
			var groups []map[string]any
			for _, g := range o.Options {
				group := fields(g)
				group["groupId"] = g.Group
				delete(group, "group")
				groups = append(groups, group)
			}
			option["options"] = groups
		}
		out = append(out, option)
	}
	return out
}

func commandsV2(all []acpclient.AvailableCommand) []map[string]any {
	out := []map[string]any{}
	for _, c := range all {
		command := fields(c)
		command["type"] = "command"
		if c.Input != nil {
			command["input"] = map[string]string{"type": "text", "hint": c.Input.Hint}
		}
		out = append(out, command)
	}
	return out
}

// fields are the members of something that is an object in JSON.
func fields(v any) map[string]any {
	raw, err := json.Marshal(v)
	var out map[string]any
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil { // only of what the tour itself has made
		panic(err)
	}
	return out
}
