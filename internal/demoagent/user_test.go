package demoagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley/acpclient"
	"parley/internal/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	supported = &acpclient.Supported{}

	// able is a client that can do everything.
	able = acpclient.ClientCapabilities{
		FS:       acpclient.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true},
		Terminal: true,
		Auth:     acpclient.AuthCapabilities{Terminal: true},
		Session: &acpclient.ClientSessionCapabilities{
			Compaction: supported, Notices: supported,
			ConfigOptions: &acpclient.SessionConfigOptionsCapabilities{Boolean: supported},
		},
		Elicitation: &acpclient.ElicitationCapabilities{Form: supported, URL: supported},
	}
	// unable is one that can do nothing.
	unable = acpclient.ClientCapabilities{}
)

// user is a client and whoever sits in front of it.
type user struct {
	*acpclient.Client
	client acpclient.Requester // of either version
	t      *testing.T
	dir    string
	stderr bytes.Buffer // to be read when the agent has ended
	ended  chan int     // the agent's exit code

	// decide answers permissions, with "" for cancelled; it allows once if it
	// is nil.
	decide func(*acpclient.RequestPermissionRequest) acpclient.PermissionOptionID
	// seen, if set, is called with every update; it must not block.
	seen func(acpclient.SessionUpdate)
	// fill answers forms and URLs.
	fill acpclient.CreateElicitationResponse

	mu        sync.Mutex
	updates   []acpclient.SessionUpdate
	asked     []*acpclient.RequestPermissionRequest
	elicited  []*acpclient.CreateElicitationRequest
	completed []acpclient.ElicitationID
	files     []string // read or written
	terminals map[acpclient.TerminalID]*shell
	released  int
}

type shell struct {
	cmd    *exec.Cmd
	output bytes.Buffer
	done   chan struct{}
}

// meet starts an agent with a delay, and a client that says it has caps.
func meet(t *testing.T, delay float64, caps acpclient.ClientCapabilities) *user {
	t.Helper()
	p := startTour(t, delay, schema.V1())
	if _, err := p.Initialize(t.Context(), &acpclient.InitializeRequest{ClientCapabilities: caps}); err != nil {
		t.Fatal(err)
	}
	return p
}

// startTour is meet before a word was said. All that is said is held against the schema.
func startTour(t *testing.T, delay float64, s *schema.Schema) *user {
	t.Helper()
	p := &user{t: t, ended: make(chan int, 1), terminals: map[acpclient.TerminalID]*shell{}}
	toAgentR, toAgentW := io.Pipe()
	toClientR, toClientW := io.Pipe()
	go func() {
		code := Run(context.WithoutCancel(t.Context()), toAgentR, toClientW, &p.stderr, delay)
		_ = errors.Join(toClientW.Close(), toAgentR.Close())
		p.ended <- code
	}()
	validator := schema.NewValidator(s)
	p.Client = acpclient.NewClient(acpclient.NewLines(toClientR, toAgentW), p, acpclient.ConnOptions{
		Tap: func(sent bool, line []byte) {
			from := schema.Agent
			if sent {
				from = schema.Client
			}
			if err := validator.Line(from, line); err != nil && !bareOnPurpose(err, line) {
				t.Errorf("%v\nin %s", err, line)
			}
		},
	})
	p.client = p.Conn()
	t.Cleanup(func() {
		_ = toAgentW.Close()
		<-p.Conn().Done()
	})
	return p
}

// bareOnPurpose: the protocol's page on session modes shows bare content blocks
// in the permission to leave a plan mode, where the schema wants wrapped ones.
// The tour sends what the page shows.
func bareOnPurpose(err error, line []byte) bool {
	var v *schema.Violation
	return errors.As(err, &v) && v.Method == "session/request_permission" && strings.HasPrefix(v.Path, "/toolCall/content") &&
		bytes.Contains(line, []byte(`"kind":"switch_mode"`))
}

// newSession opens a session in a sample project, or in another directory.
func (p *user) newSession(sample bool) *acpclient.NewSessionResponse {
	p.t.Helper()
	p.dir = p.t.TempDir()
	if sample {
		if err := WriteSample(p.dir); err != nil {
			p.t.Fatal(err)
		}
	}
	return calls(p, acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: p.dir})
}

// calls makes a call that must succeed.
func calls[P, R any](p *user, m acpclient.Method[P, R], params *P) *R {
	p.t.Helper()
	done := make(chan error, 1)
	result := new(R)
	p.client.Request(m.Name, params, result, func(err error) { done <- err })
	if err := <-done; err != nil {
		p.t.Fatalf("%s: %v", m.Name, err)
	}
	return result
}

func (p *user) prompt(id acpclient.SessionID, text string) acpclient.StopReason {
	p.t.Helper()
	return calls(p, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: id, Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}}).StopReason
}

func (p *user) SessionUpdate(_ context.Context, n *acpclient.SessionNotification) {
	p.mu.Lock()
	p.updates = append(p.updates, n.Update)
	p.mu.Unlock()
	if p.seen != nil {
		p.seen(n.Update)
	}
}

func (p *user) RequestPermission(ctx context.Context, r *acpclient.RequestPermissionRequest) (*acpclient.RequestPermissionResponse, error) {
	p.mu.Lock()
	p.asked = append(p.asked, r)
	p.mu.Unlock()
	acpclient.Async(ctx)
	choice := allowOnce
	if p.decide != nil {
		choice = p.decide(r)
	}
	if choice == "" {
		return &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionCancelled}, nil
	}
	return &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionSelected(choice)}, nil
}

func (p *user) ReadTextFile(_ context.Context, r *acpclient.ReadTextFileRequest) (*acpclient.ReadTextFileResponse, error) {
	p.touched(r.Path)
	b, err := os.ReadFile(r.Path)
	if err != nil {
		return nil, acpclient.NotFoundError(r.Path)
	}
	return &acpclient.ReadTextFileResponse{Content: string(b)}, nil
}

func (p *user) WriteTextFile(_ context.Context, r *acpclient.WriteTextFileRequest) (*acpclient.WriteTextFileResponse, error) {
	p.touched(r.Path)
	return nil, os.WriteFile(r.Path, []byte(r.Content), 0o600)
}

func (p *user) touched(path string) {
	p.mu.Lock()
	p.files = append(p.files, path)
	p.mu.Unlock()
}

func (p *user) CreateTerminal(_ context.Context, r *acpclient.CreateTerminalRequest) (*acpclient.CreateTerminalResponse, error) {
	s := &shell{cmd: exec.Command(r.Command, r.Args...), done: make(chan struct{})}
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = r.Cwd, &s.output, &s.output
	s.cmd.Env = os.Environ()
	for _, e := range r.Env {
		s.cmd.Env = append(s.cmd.Env, e.Name+"="+e.Value)
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.done)
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	id := acpclient.TerminalID(fmt.Sprintf("terminal-%d", len(p.terminals)))
	p.terminals[id] = s
	return &acpclient.CreateTerminalResponse{TerminalID: id}, nil
}

func (p *user) shell(id acpclient.TerminalID) *shell {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.terminals[id]
}

func (s *shell) status() acpclient.TerminalExitStatus {
	if code := s.cmd.ProcessState.ExitCode(); code >= 0 {
		return acpclient.TerminalExitStatus{ExitCode: &code}
	}
	return acpclient.TerminalExitStatus{Signal: "SIGKILL"}
}

func (p *user) WaitForTerminalExit(ctx context.Context, r *acpclient.WaitForTerminalExitRequest) (*acpclient.WaitForTerminalExitResponse, error) {
	acpclient.Async(ctx)
	s := p.shell(r.TerminalID)
	select {
	case <-s.done:
		return &acpclient.WaitForTerminalExitResponse{TerminalExitStatus: s.status()}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *user) TerminalOutput(_ context.Context, r *acpclient.TerminalOutputRequest) (*acpclient.TerminalOutputResponse, error) {
	s := p.shell(r.TerminalID)
	<-s.done
	status := s.status()
	return &acpclient.TerminalOutputResponse{Output: s.output.String(), ExitStatus: &status}, nil
}

func (p *user) KillTerminal(_ context.Context, r *acpclient.KillTerminalRequest) (*acpclient.KillTerminalResponse, error) {
	return nil, p.shell(r.TerminalID).cmd.Process.Kill()
}

func (p *user) ReleaseTerminal(_ context.Context, r *acpclient.ReleaseTerminalRequest) (*acpclient.ReleaseTerminalResponse, error) {
	<-p.shell(r.TerminalID).done
	p.mu.Lock()
	p.released++
	p.mu.Unlock()
	return nil, nil
}

func (p *user) CreateElicitation(_ context.Context, r *acpclient.CreateElicitationRequest) (*acpclient.CreateElicitationResponse, error) {
	p.mu.Lock()
	p.elicited = append(p.elicited, r)
	p.mu.Unlock()
	if p.fill.Action == "" {
		return &acpclient.CreateElicitationResponse{Action: acpclient.ElicitDecline}, nil
	}
	return &p.fill, nil
}

func (p *user) CompleteElicitation(_ context.Context, n *acpclient.CompleteElicitationNotification) {
	p.mu.Lock()
	p.completed = append(p.completed, n.ElicitationID)
	p.mu.Unlock()
}

// all returns the updates of one kind so far.
func all[U acpclient.SessionUpdate](p *user) (out []U) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, u := range p.updates {
		if u, ok := u.(U); ok {
			out = append(out, u)
		}
	}
	return out
}

// said is the text of all chunks of a kind.
func (p *user) said(kind acpclient.ChunkKind) string {
	var b strings.Builder
	for _, c := range all[*acpclient.ContentChunk](p) {
		if c.Chunk == kind {
			b.WriteString(c.Content.Text)
		}
	}
	return b.String()
}

// tool is a tool call as it ended.
type tool struct {
	kind    acpclient.ToolKind
	status  acpclient.ToolCallStatus
	content []acpclient.ToolCallContent
}

// tools folds the tool calls, in order.
func (p *user) tools() (out []*tool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	byID := map[acpclient.ToolCallID]*tool{}
	for _, u := range p.updates {
		switch u := u.(type) {
		case *acpclient.ToolCall:
			byID[u.ToolCallID] = &tool{u.Kind, u.Status, u.Content}
			out = append(out, byID[u.ToolCallID])
		case *acpclient.ToolCallUpdate:
			c := byID[u.ToolCallID]
			switch {
			case c == nil && u.Kind == nil: // in the second version an update creates a call
				p.t.Errorf("an update of the unknown tool call %s", u.ToolCallID)
				continue
			case c == nil:
				c = &tool{kind: *u.Kind}
				byID[u.ToolCallID] = c
				out = append(out, c)
			}
			if u.Status != nil {
				c.status = *u.Status
			}
			if u.Content != nil {
				c.content = u.Content
			}
		}
	}
	return out
}

// outcome says in one line what became of the tool calls.
func (p *user) outcome() string {
	var words []string
	for _, c := range p.tools() {
		words = append(words, fmt.Sprintf("%s:%s", c.kind, c.status))
	}
	return strings.Join(words, " ")
}

func (p *user) want(what, got, want string) {
	p.t.Helper()
	if got != want {
		p.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func (p *user) wantSaid(parts ...string) {
	p.t.Helper()
	said := p.said(acpclient.AgentMessageChunk)
	for _, part := range parts {
		if !strings.Contains(said, part) {
			p.t.Errorf("nothing like %q was said in\n%s", part, said)
		}
	}
}

func (p *user) file(name string) string {
	p.t.Helper()
	b, err := os.ReadFile(p.dir + "/" + name)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
