//go:build realagents

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the conversations to testdata")

// bound is how long an agent may take for anything.
const bound = 90 * time.Second

// message is a JSON-RPC message of either side.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// sessionUpdate is as much of an update as these tests look at.
type sessionUpdate struct {
	Kind    string `json:"sessionUpdate"`
	Content json.RawMessage
	Status  string
	Entries []json.RawMessage
}

// peer is the client's side of a conversation, with nothing between the test
// and the lines.
type peer struct {
	t       *testing.T
	agent   Agent
	project string
	stdin   io.WriteCloser
	lines   chan []byte // closed when the agent has closed its stdout
	timeout *time.Timer
	nextID  int
	session string
	options []configOption // as they were at first
	record  bytes.Buffer

	choose  string // the kind of permission option to answer with
	onChunk func() // called at the first piece of an answer

	text        strings.Builder // of the agent's messages
	updates     []sessionUpdate
	permissions []askedPermission
	methods     []string // that the agent has called
}

// askedPermission is a request for one.
type askedPermission struct {
	ToolCall struct{ Kind, Title string }
	Options  []struct{ OptionID, Name, Kind string }
}

// configOption is one that the agent offers; a select has options, maybe in
// groups.
type configOption struct {
	ID, Type     string
	CurrentValue any
	Options      []struct {
		Value   string
		Options []struct{ Value string }
	}
}

// converse starts the agent and opens a session.
func converse(t *testing.T, agent Agent) *peer {
	t.Helper()
	p := &peer{t: t, agent: agent, project: t.TempDir(), lines: make(chan []byte), timeout: time.NewTimer(bound)}
	cmd := exec.Command(agent.Cmd[0], agent.Cmd[1:]...)
	cmd.Dir, cmd.Env = p.project, append([]string{"PATH=" + os.Getenv("PATH")}, agent.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.lines)
		for r := bufio.NewReader(stdout); ; {
			line, err := r.ReadBytes('\n')
			if len(line) > 0 {
				p.lines <- bytes.TrimSpace(line)
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = p.stdin.Close()
		term := time.AfterFunc(10*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) })
		kill := time.AfterFunc(20*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		for line := range p.lines {
			p.note("agent", line)
		}
		_ = cmd.Wait()
		term.Stop()
		kill.Stop()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it has left behind
		if t.Failed() {
			t.Logf("stderr:\n%s\nconversation:\n%s", stderr.Bytes(), p.record.Bytes())
		} else if *update && !t.Skipped() {
			p.save()
		}
	})
	p.call("initialize", map[string]any{
		"protocolVersion": 1,
		"clientInfo":      map[string]any{"name": "parley", "version": "0.0.0"},
		"clientCapabilities": map[string]any{
			"fs":          map[string]any{"readTextFile": true, "writeTextFile": true},
			"terminal":    true,
			"elicitation": map[string]any{"form": map[string]any{}},
			"session":     map[string]any{"configOptions": map[string]any{"boolean": map[string]any{}}},
			"_meta":       map[string]any{"terminal_output": true},
		},
	}, nil)
	var opened struct {
		SessionID     string
		ConfigOptions []configOption
	}
	p.call("session/new", map[string]any{"cwd": p.project, "mcpServers": []any{}}, &opened)
	p.session, p.options = opened.SessionID, opened.ConfigOptions
	return p
}

// prompt runs a turn and returns its stop reason.
func (p *peer) prompt(text string) string {
	p.t.Helper()
	var done struct{ StopReason string }
	p.call("session/prompt", map[string]any{
		"sessionId": p.session, "prompt": []any{map[string]any{"type": "text", "text": text}},
	}, &done)
	return done.StopReason
}

// promptFails runs a turn that is to end with an error, and returns that.
func (p *peer) promptFails(text string) string {
	p.t.Helper()
	m := p.ask("session/prompt", map[string]any{
		"sessionId": p.session, "prompt": []any{map[string]any{"type": "text", "text": text}},
	})
	return string(m.Error)
}

// call sends a request, serves the agent until the answer is there, and takes its
// result.
func (p *peer) call(method string, params, result any) {
	p.t.Helper()
	m := p.ask(method, params)
	if m.Error != nil {
		p.t.Fatalf("%s: %s", method, m.Error)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			p.t.Fatalf("%s: result %s: %v", method, m.Result, err)
		}
	}
}

// ask sends a request, serves the agent until the answer is there, and returns it.
func (p *peer) ask(method string, params any) message {
	p.t.Helper()
	p.nextID++
	id := fmt.Sprint(p.nextID)
	p.send(message{ID: json.RawMessage(id), Method: method, Params: p.marshal(params)})
	p.timeout.Reset(bound)
	for {
		m := p.next(method)
		switch {
		case m.Method != "":
			p.serve(m)
		case string(m.ID) != id:
			p.t.Errorf("answer to a request that is not open: %s", m.ID)
		default:
			return m
		}
	}
}

// next is the agent's next message. Other lines are noise.
func (p *peer) next(waitingFor string) (m message) {
	p.t.Helper()
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				p.t.Fatalf("%s: the agent has ended", waitingFor)
			}
			p.note("agent", line)
			if json.Unmarshal(line, &m) == nil {
				return m
			}
		case <-p.timeout.C:
			p.t.Fatalf("%s: no answer within %v", waitingFor, bound)
		}
	}
}

func (p *peer) serve(m message) {
	p.t.Helper()
	if m.Method == "session/update" {
		p.take(m.Params)
		return
	}
	p.methods = append(p.methods, m.Method)
	if m.ID == nil {
		return
	}
	answer := message{ID: m.ID}
	switch m.Method {
	case "session/request_permission":
		answer.Result = p.permit(m.Params)
	case "fs/read_text_file":
		var file struct{ Path string }
		p.unmarshal(m.Params, &file)
		text, _ := os.ReadFile(file.Path) // a missing file is an empty one: see package quirks
		answer.Result = p.marshal(map[string]any{"content": string(text)})
	case "fs/write_text_file":
		var file struct{ Path, Content string }
		p.unmarshal(m.Params, &file)
		if err := os.WriteFile(file.Path, []byte(file.Content), 0o600); err != nil {
			p.t.Error(err)
		}
		answer.Result = json.RawMessage("null")
	case "elicitation/create":
		answer.Result = json.RawMessage(`{"action":"cancel"}`)
	default:
		answer.Error = json.RawMessage(`{"code":-32601,"message":"Method not found"}`)
	}
	p.send(answer)
}

func (p *peer) take(params json.RawMessage) {
	var n struct{ Update sessionUpdate }
	p.unmarshal(params, &n)
	p.updates = append(p.updates, n.Update)
	if n.Update.Kind != "agent_message_chunk" {
		return
	}
	var block struct{ Text string }
	p.unmarshal(n.Update.Content, &block)
	p.text.WriteString(block.Text)
	if p.onChunk != nil && block.Text != "" {
		p.onChunk()
		p.onChunk = nil
	}
}

// permit picks the first option of the kind that the test has chosen.
func (p *peer) permit(params json.RawMessage) json.RawMessage {
	var asked askedPermission
	p.unmarshal(params, &asked)
	p.permissions = append(p.permissions, asked)
	chosen := ""
	for _, o := range asked.Options {
		if o.Kind == p.choose && chosen == "" {
			chosen = o.OptionID
		}
	}
	if chosen == "" {
		p.t.Errorf("no option of kind %q in %s", p.choose, params)
		return json.RawMessage(`{"outcome":{"outcome":"cancelled"}}`)
	}
	return p.marshal(map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": chosen}})
}

// saw reports whether an update of the kind has come, for which ok holds.
func (p *peer) saw(kind string, ok func(sessionUpdate) bool) bool {
	for _, u := range p.updates {
		if u.Kind == kind && (ok == nil || ok(u)) {
			return true
		}
	}
	return false
}

func (p *peer) notify(method string, params any) {
	p.t.Helper()
	p.send(message{Method: method, Params: p.marshal(params)})
}

func (p *peer) send(m message) {
	p.t.Helper()
	line := p.marshal(struct {
		Version string `json:"jsonrpc"`
		message
	}{"2.0", m})
	p.note("client", line)
	if _, err := p.stdin.Write(append(line, '\n')); err != nil {
		p.t.Fatalf("write to the agent: %v", err)
	}
}

func (p *peer) marshal(v any) json.RawMessage {
	p.t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

func (p *peer) unmarshal(data []byte, v any) {
	p.t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		p.t.Errorf("cannot read %s: %v", data, err)
	}
}

// note keeps a line of the conversation: {"from":…,"message":…}, or "noise"
// for what is not JSON.
func (p *peer) note(from string, line []byte) {
	kind := "message"
	if !json.Valid(line) {
		kind, line = "noise", p.marshal(string(line))
	}
	fmt.Fprintf(&p.record, `{"from":%q,%q:%s}`+"\n", from, kind, line)
}

// Command descriptions are the agents' own pages of prose; tests need to know
// that they are there.
var longDescription = regexp.MustCompile(`("description":"(?:[^"\\]|\\.){60})(?:[^"\\]|\\.){60,}"`)

var port = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// save writes the conversation without the paths of this machine.
func (p *peer) save() {
	text := p.record.String()
	for _, path := range [][2]string{
		{p.project, "/project"},
		{strings.TrimPrefix(p.project, "/"), "project"},
		{p.agent.Home, "/home/user"},
		// Claude names its state after the path of the project.
		{strings.ReplaceAll(p.project, "/", "-"), "-project"},
	} {
		text = strings.ReplaceAll(text, path[0], path[1])
	}
	text = longDescription.ReplaceAllString(text, `$1…"`)
	text = port.ReplaceAllString(text, "127.0.0.1:8080")
	name := strings.ToLower(strings.TrimPrefix(p.t.Name(), "TestConversation/"))
	path := filepath.Join("testdata", strings.ReplaceAll(name, "/", "-")+".jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Error(err)
	}
}
