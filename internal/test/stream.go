package test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// message holds the fields that decide where a message goes.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string `json:"sessionId"`
	} `json:"params"`
}

// routes are the streams of a connection over HTTP, and the destinations of answers.
type routes struct {
	mu      sync.Mutex
	changed *sync.Cond
	streams map[string][][]byte // queued messages by session id; "" is the connection's own stream
	known   map[string]bool     // the known sessions
	answers map[string]string   // the session of a client's request, by its id
	ended   bool
}

func newRoutes() *routes {
	r := &routes{streams: map[string][][]byte{}, known: map[string]bool{"": true}, answers: map[string]string{}}
	r.changed = sync.NewCond(&r.mu)
	return r
}

// asked records the destination of the answer to a client's message.
func (r *routes) asked(m message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Params.SessionID != "" {
		r.known[m.Params.SessionID] = true
	}
	if m.Method != "" && len(m.ID) > 0 && m.Method != "session/load" {
		r.answers[string(m.ID)] = m.Params.SessionID
	}
}

// put sends a message of the agent to its stream.
func (r *routes) put(line []byte) {
	var m message
	var opened struct {
		Result struct {
			SessionID string `json:"sessionId"`
		} `json:"result"`
	}
	_ = json.Unmarshal(line, &m)
	_ = json.Unmarshal(line, &opened)
	r.mu.Lock()
	defer r.mu.Unlock()
	to := m.Params.SessionID
	if m.Method == "" {
		to = r.answers[string(m.ID)]
		delete(r.answers, string(m.ID))
	}
	if id := opened.Result.SessionID; id != "" {
		r.known[id] = true
	}
	r.streams[to] = append(r.streams[to], bytes.Clone(line))
	r.changed.Broadcast()
}

// take waits for the next message of a stream; false at its end.
func (r *routes) take(ctx context.Context, session string) ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.streams[session]) == 0 && !r.ended && ctx.Err() == nil {
		r.changed.Wait()
	}
	if len(r.streams[session]) == 0 || ctx.Err() != nil {
		return nil, false
	}
	line := r.streams[session][0]
	r.streams[session] = r.streams[session][1:]
	return line, true
}

func (r *routes) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.changed.Broadcast()
}

// servePost handles a message of the client.
func (s *Server) servePost(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "Unsupported Media Type", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(r.Body)
	var m message
	if err != nil || json.Unmarshal(body, &m) != nil {
		http.Error(w, "Invalid JSON", http.StatusBadRequest)
		return
	}
	id := r.Header.Get("Acp-Connection-Id")
	if id == "" && m.Method == "initialize" {
		s.serveInitialize(w, body)
		return
	}
	l := s.find(id)
	switch session := r.Header.Get("Acp-Session-Id"); {
	case id == "":
		http.Error(w, "Missing Acp-Connection-Id", http.StatusBadRequest)
	case l == nil || l.routes == nil:
		http.Error(w, "Unknown Acp-Connection-Id", http.StatusNotFound)
	case m.Params.SessionID != "" && session != m.Params.SessionID:
		http.Error(w, "Missing or wrong Acp-Session-Id", http.StatusBadRequest)
	default:
		l.routes.asked(m)
		if _, err := l.in.Write(append(bytes.TrimSpace(body), '\n')); err != nil {
			http.Error(w, "The agent is gone", http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	}
}

// serveInitialize begins a connection. Its answer is the agent's.
func (s *Server) serveInitialize(w http.ResponseWriter, body []byte) {
	l := s.begin()
	l.routes = newRoutes()
	out := bufio.NewReader(l.out)
	_, err := l.in.Write(append(bytes.TrimSpace(body), '\n'))
	var answer []byte
	if err == nil {
		answer, err = out.ReadBytes('\n')
	}
	if err != nil {
		s.end(l)
		http.Error(w, "Initialize failed", http.StatusInternalServerError)
		return
	}
	s.work.Go(func() {
		lines(out, func(line []byte) error { l.routes.put(line); return nil })
		l.routes.end()
		s.end(l)
	})
	w.Header().Set("Acp-Connection-Id", l.id)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(bytes.TrimSpace(answer))
}

// serveStream sends the messages of a stream until its end.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request) {
	session := r.Header.Get("Acp-Session-Id")
	l := s.find(r.Header.Get("Acp-Connection-Id"))
	known := false
	if l != nil && l.routes != nil {
		l.routes.mu.Lock()
		known = l.routes.known[session]
		l.routes.mu.Unlock()
	}
	if !known {
		http.Error(w, "Unknown Acp-Connection-Id or Acp-Session-Id", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	_, _ = io.WriteString(w, ":\n\n")
	_ = flush.Flush()
	stop := context.AfterFunc(r.Context(), func() { // a client that leaves ends the wait
		l.routes.mu.Lock()
		defer l.routes.mu.Unlock()
		l.routes.changed.Broadcast()
	})
	defer stop()
	for {
		line, ok := l.routes.take(r.Context(), session)
		if !ok {
			return
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", line); err != nil || flush.Flush() != nil {
			return
		}
	}
}

// serveDelete ends a connection.
func (s *Server) serveDelete(w http.ResponseWriter, r *http.Request) {
	l := s.find(r.Header.Get("Acp-Connection-Id"))
	if l == nil {
		http.Error(w, "Unknown Acp-Connection-Id", http.StatusNotFound)
		return
	}
	if l.routes != nil {
		l.routes.end()
	}
	s.end(l)
	w.WriteHeader(http.StatusAccepted)
}

// lines calls f with every line of r, without its end.
func lines(r io.Reader, f func(line []byte) error) {
	br := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := br.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 && f(line) != nil {
			return
		}
		if err != nil {
			return
		}
	}
}
