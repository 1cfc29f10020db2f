package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// slowPace is the time between two chunks of SLOW.
const slowPace = 50 * time.Millisecond

// fakeModel is a model server on loopback for tests with real agents. It speaks
// OpenAI Chat Completions and Responses, Anthropic Messages and Gemini's generateContent,
// streaming and not. Instead of thinking it obeys the last prompt, line by line: a line
// that calls a tool is done when the result arrives.
//
//	SAY text           answers with the text
//	WRITE path text    makes the agent write the text to the file
//	RUN command        makes the agent run the command
//	PLAN               makes the agent create a to-do list
//	CALL tool json     calls the tool with that name and JSON object
//	SLOW n             answers with n chunks, slowly, until the client goes away
//	FAIL [status] text answers with an error that says the text, of HTTP status 400 or the one given
//
// For WRITE, RUN and PLAN it calls the agent's own tool, with arguments that fit the
// tool's JSON schema, and says DONE when the result arrives. Requests without tools
// (titles, summaries) get a short text.
//
// It is safe for concurrent use.
type fakeModel struct {
	// URL is the address without a path: http://127.0.0.1:PORT.
	URL string

	mu       sync.Mutex
	requests []Request
	calls    int
}

// Request is one request that an agent has sent.
type Request struct {
	Path   string
	Header http.Header
	Body   json.RawMessage
}

// startModel serves on a free port of 127.0.0.1 until the test ends.
func startModel(t testing.TB) *fakeModel {
	t.Helper()
	s := &fakeModel{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("POST /v1/chat/completions", s.chatCompletions)
	mux.HandleFunc("POST /v1/responses", s.responses)
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", s.countTokens)
	mux.HandleFunc("POST /v1beta/models/{call}", s.generate)
	server := httptest.NewServer(s.record(mux))
	t.Cleanup(func() {
		server.CloseClientConnections() // an agent may still be listening to SLOW
		server.Close()
	})
	s.URL = server.URL
	return s
}

// Requests returns what has been asked so far, in the order of arrival.
func (s *fakeModel) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// record keeps every request, and gives its body back to the handler.
func (s *fakeModel) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// nextCall numbers answers and tool calls.
func (s *fakeModel) nextCall() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return s.calls
}

// models answers both protocols: each reads its own fields.
func (s *fakeModel) models(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]any{
		"object": "list", "has_more": false, "first_id": "fake-model", "last_id": "fake-model",
		"data": []any{map[string]any{
			"id": "fake-model", "object": "model", "owned_by": "fake", "created": 0,
			"type": "model", "display_name": "Fake Model", "created_at": "2026-01-01T00:00:00Z",
		}},
	})
}

// writeError answers a request with an error, in a form that every protocol can read.
func writeError(w http.ResponseWriter, r reply) {
	kind, status := "invalid_request_error", "INVALID_ARGUMENT"
	if r.code == http.StatusTooManyRequests {
		kind, status = "rate_limit_error", "RESOURCE_EXHAUSTED"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.code)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{ // the client may have gone
		"type": kind, "code": r.code, "status": status, "message": r.fail,
	}})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may have gone
}
