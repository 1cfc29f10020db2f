package acpclient

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/schema"
)

// The test binary plays the agent, when a test starts it as one.
func TestMain(m *testing.M) {
	if role := os.Getenv(agentRole); role != "" {
		playAgent(role)
		return
	}
	goleak.VerifyTestMain(m)
}

// wire is the agent's end of a connection in memory. Everything that the client
// sends is held against the schema.
type wire struct {
	t      *testing.T
	to     *io.PipeWriter
	from   *bufio.Reader
	fromW  *io.PipeReader
	schema *schema.Validator // nil when there is too much to check
}

// connect joins a new client to a wire. Both are closed when the test ends.
func connect(t *testing.T, h Handler, opt ConnOptions) (*Client, *wire) {
	t.Helper()
	agentR, clientW := io.Pipe()
	clientR, agentW := io.Pipe()
	w := &wire{
		t: t, to: agentW, from: bufio.NewReader(agentR), fromW: agentR,
		schema: schema.NewValidator(schema.V1Unstable(), "session/set_model", "x/call"),
	}
	c := NewClient(NewLines(clientR, clientW), h, opt)
	t.Cleanup(func() {
		c.Conn().Close()
		_ = agentW.Close()
		_ = agentR.Close()
		_ = clientW.Close()
		<-c.Conn().Done()
	})
	return c, w
}

// send writes lines to the client, as they are.
func (w *wire) send(lines ...string) {
	w.t.Helper()
	for _, line := range lines {
		if w.schema != nil {
			_ = w.schema.Line(schema.Agent, []byte(line)) // the agent may say what it likes
		}
		if _, err := io.WriteString(w.to, line+"\n"); err != nil {
			w.t.Errorf("send: %v", err)
			return
		}
	}
}

// receive returns the next message of the client.
func (w *wire) receive() message {
	w.t.Helper()
	line, err := w.from.ReadBytes('\n')
	if err != nil {
		w.t.Fatalf("receive: %v", err)
	}
	if w.schema != nil {
		if err := w.schema.Line(schema.Client, line); err != nil {
			w.t.Errorf("the client sent %s: %v", line, err)
		}
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		w.t.Fatalf("receive: %s: %v", line, err)
	}
	return m
}

// message is any message as the agent reads it.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *Error
}

// listener keeps what a client is told, and answers what it is asked with the
// functions that are set.
type listener struct {
	onUpdate     func(*SessionNotification)
	onPermission func(context.Context, *RequestPermissionRequest) (*RequestPermissionResponse, error)
	onRead       func(context.Context, *ReadTextFileRequest) (*ReadTextFileResponse, error)

	mu      sync.Mutex
	updates []*SessionNotification
}

func (l *listener) SessionUpdate(_ context.Context, n *SessionNotification) {
	if l.onUpdate != nil {
		l.onUpdate(n)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.updates = append(l.updates, n)
}

func (l *listener) RequestPermission(ctx context.Context, r *RequestPermissionRequest) (*RequestPermissionResponse, error) {
	if l.onPermission == nil {
		return nil, MethodNotFoundError(SessionRequestPermission.Name)
	}
	return l.onPermission(ctx, r)
}

func (l *listener) ReadTextFile(ctx context.Context, r *ReadTextFileRequest) (*ReadTextFileResponse, error) {
	if l.onRead == nil {
		return nil, MethodNotFoundError(FSReadTextFile.Name)
	}
	return l.onRead(ctx, r)
}

func (*listener) WriteTextFile(context.Context, *WriteTextFileRequest) (*WriteTextFileResponse, error) {
	return nil, MethodNotFoundError(FSWriteTextFile.Name)
}

// heard is what a client made of a stream.
type heard struct {
	updates []*SessionNotification
	noise   []string
	err     error
}

// hear has a client read a whole stream. A maxLine of 0 is the usual one.
func hear(t testing.TB, stream string, maxLine int) heard {
	t.Helper()
	l := &listener{}
	var h heard
	lines := NewLines(strings.NewReader(stream), io.Discard)
	if maxLine > 0 {
		lines.MaxLine = maxLine
	}
	c := NewClient(lines, l, ConnOptions{Noise: func(line []byte) { h.noise = append(h.noise, string(line)) }})
	<-c.Conn().Done()
	h.updates, h.err = l.updates, c.Conn().Err()
	return h
}

// texts are the texts of the message chunks among the updates.
func (h heard) texts() []string {
	var all []string
	for _, n := range h.updates {
		if c, ok := n.Update.(*ContentChunk); ok {
			all = append(all, c.Content.Text)
		}
	}
	return all
}

// chunk is a line with a message chunk.
func chunk(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + string(quoted) + `}}}}`
}

// update is a line with any update.
func update(body string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + body + `}}`
}
