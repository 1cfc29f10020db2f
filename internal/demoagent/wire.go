package demoagent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// message is a request, a notification or an answer of the client.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`

	line     json.RawMessage // the whole line
	answered bool            // by the background
}

// line is a message of the agent.
type line struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

// encode encodes JSON without escaping HTML, so that a script's text is sent as it is.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null") // cannot happen: callers pass valid JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func (r *runner) send(l line) error {
	if r.turn != nil { // scenes send only notifications
		return r.turn.agent.conn.Notify(l.Method, l.Params)
	}
	l.JSONRPC = "2.0"
	return r.write(append(encode(l), '\n'))
}

func (r *runner) write(b []byte) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if _, err := r.out.Write(b); err != nil {
		return fmt.Errorf("write to the client: %w", err)
	}
	return nil
}

// read handles the client's lines until stdin ends.
func (r *runner) read(in io.Reader) {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		r.mu.Lock()
		for r.deaf && !r.over {
			r.changed.Wait()
		}
		over := r.over
		r.mu.Unlock()
		if over {
			return
		}
		raw, err := lines.ReadBytes('\n')
		if raw = bytes.TrimSpace(raw); len(raw) > 0 {
			m := &message{line: raw}
			if json.Unmarshal(raw, m) != nil {
				_, _ = fmt.Fprintf(r.err, "%s: the client sent a malformed line: %.200q\n", r.script.name, raw)
			} else {
				r.take(m)
			}
		}
		if err != nil {
			r.tellSteps(func() { r.ended = true })
			return
		}
	}
}

// take stores a message for the steps, and answers it if the background serves it.
func (r *runner) take(m *message) {
	r.mu.Lock()
	if m.Method == "" {
		r.answers[string(m.ID)] = m.line
	} else {
		r.note(m.Params)
		m.answered = r.serveAll || r.served[m.Method]
		r.inbox = append(r.inbox, m)
	}
	serve := m.answered
	if serve && r.serveAll {
		r.inbox = nil // no step is left to expect it
	}
	r.changed.Broadcast()
	r.mu.Unlock()
	if serve {
		r.serving.Lock()
		defer r.serving.Unlock()
		r.serve(m)
	}
}

// note remembers the session and the directory in a message. The caller holds mu.
func (r *runner) note(params json.RawMessage) {
	var p struct {
		SessionID string `json:"sessionId"`
		Cwd       string `json:"cwd"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	if p.SessionID != "" {
		r.session = p.SessionID
	}
	if p.Cwd != "" {
		r.cwd = p.Cwd
	}
}
