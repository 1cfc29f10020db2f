package v2

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/acpclient"
	"parley/internal/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is an agent in this process, of which the test writes every message. What the
// client sends is held against the schema.
type peer struct {
	t      *testing.T
	valid  *schema.Validator
	to     *acpclient.Lines
	got    chan message
	client *acpclient.Client
}

type message struct {
	ID     json.RawMessage  `json:"id"`
	Method string           `json:"method"`
	Params json.RawMessage  `json:"params"`
	Result json.RawMessage  `json:"result"`
	Error  *acpclient.Error `json:"error"`
}

const patience = 2 * time.Minute

func newPeer(t *testing.T, h acpclient.Handler) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t: t, valid: schema.NewValidator(schema.V2Unstable()), to: acpclient.NewLines(inR, outW), got: make(chan message, 100)}
	go func() {
		for {
			line, err := p.to.Read()
			if err != nil {
				close(p.got)
				return
			}
			if err := p.valid.Line(schema.Client, line); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			var m message
			if err := json.Unmarshal(line, &m); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			p.got <- m
		}
	}()
	p.client = acpclient.NewClient(acpclient.NewLines(outR, inW), h, acpclient.ConnOptions{})
	t.Cleanup(func() {
		_ = inW.Close()
		_ = outW.Close()
		p.client.Conn().Close()
		_ = outR.Close()
		_ = inR.Close()
	})
	return p
}

// says sends a line as it is.
func (p *peer) says(line string) {
	p.t.Helper()
	if line[0] == '{' {
		if err := p.valid.Line(schema.Agent, []byte(line)); err != nil {
			p.t.Errorf("the test's own agent: %s: %v", line, err)
		}
	}
	if err := p.to.Write([]byte(line)); err != nil {
		p.t.Error(err)
	}
}

// misuses sends what no agent of this version may, and what wants an answer all the same.
func (p *peer) misuses(line string) {
	p.t.Helper()
	_ = p.valid.Line(schema.Agent, []byte(line))
	if err := p.to.Write([]byte(line)); err != nil {
		p.t.Error(err)
	}
}

func (p *peer) update(u string) {
	p.t.Helper()
	p.says(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + u + `}}`)
}

// gets waits for the next message of the client, which must be of that method.
func (p *peer) gets(method string) message {
	p.t.Helper()
	select {
	case m, ok := <-p.got:
		if !ok || m.Method != method {
			p.t.Fatalf("got %q, want %q (open: %v)", m.Method, method, ok)
		}
		return m
	case <-time.After(patience):
		p.t.Fatalf("no %q came", method)
	}
	return message{}
}

func (p *peer) answers(m message, result string) {
	p.t.Helper()
	p.says(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`)
}

// hears is a handler that notes what it is told.
type hears struct {
	mu      sync.Mutex
	updates []*acpclient.SessionNotification
	asked   []*acpclient.RequestPermissionRequest
	told    chan struct{}
}

func newHears() *hears { return &hears{told: make(chan struct{}, 4000)} }

func (h *hears) SessionUpdate(_ context.Context, n *acpclient.SessionNotification) {
	h.mu.Lock()
	h.updates = append(h.updates, n)
	h.mu.Unlock()
	h.told <- struct{}{}
}

func (h *hears) RequestPermission(_ context.Context, r *acpclient.RequestPermissionRequest) (*acpclient.RequestPermissionResponse, error) {
	h.mu.Lock()
	h.asked = append(h.asked, r)
	h.mu.Unlock()
	h.told <- struct{}{}
	return &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionSelected(r.Options[0].OptionID)}, nil
}

// wait waits until n things were told in all.
func (h *hears) wait(t *testing.T, n int) {
	t.Helper()
	for range n {
		select {
		case <-h.told:
		case <-time.After(patience):
			t.Fatalf("not %d things were told", n)
		}
	}
}

const info2 = `{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{"prompt":{"image":{}},"mcp":{"http":{}},"delete":{},"fork":{}}},"authMethods":[{"type":"agent","methodId":"in","name":"Sign in"},{"type":"terminal","methodId":"tty","name":"T","env":[{"name":"A","value":"b"}]}]}`

// agreed is a client and its peer that have agreed on the second version.
func agreed(t *testing.T, h acpclient.Handler) (*peer, *Client, *acpclient.InitializeResponse) {
	t.Helper()
	p := newPeer(t, h)
	c, info, err := negotiated(p, h, info2)
	if err != nil {
		t.Fatal(err)
	}
	return p, c.(*Client), info
}

func negotiated(p *peer, h acpclient.Handler, answer string) (acpclient.Requester, *acpclient.InitializeResponse, error) {
	p.t.Helper()
	go func() {
		m := <-p.got
		_ = p.to.Write([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + answer + `}`))
	}()
	r := &acpclient.InitializeRequest{ClientInfo: &acpclient.Implementation{Name: "test", Version: "1"}}
	r.ClientCapabilities.FS.ReadTextFile, r.ClientCapabilities.Auth.Terminal = true, true
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	return Negotiate(ctx, p.client, h, r, slog.New(slog.DiscardHandler))
}
