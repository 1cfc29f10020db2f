package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// stream writes server-sent events, each at once.
type stream struct {
	w   http.ResponseWriter
	ctx context.Context
	err error // the first; nothing is written after it
}

func newStream(w http.ResponseWriter, r *http.Request) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return &stream{w: w, ctx: r.Context()}
}

// event sends one event; an empty name sends the data alone.
func (s *stream) event(name string, data any) {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err != nil {
		return
	}
	var text []byte
	if raw, ok := data.(string); ok {
		text = []byte(raw)
	} else if text, s.err = json.Marshal(data); s.err != nil {
		return
	}
	if name != "" {
		_, s.err = fmt.Fprintf(s.w, "event: %s\n", name)
	}
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, "data: %s\n\n", text)
	}
	if s.err == nil {
		s.err = http.NewResponseController(s.w).Flush()
	}
}

// each sends the pieces of a reply one by one: at once, or slowly, until the
// client goes away.
func (s *stream) each(r reply, send func(piece string)) {
	if r.slow == 0 {
		for _, piece := range r.chunks() {
			send(piece)
		}
		return
	}
	pace := time.NewTicker(slowPace)
	defer pace.Stop()
	for i := 1; i <= r.slow && s.err == nil; i++ {
		send(slowChunk(i))
		select {
		case <-pace.C:
		case <-s.ctx.Done():
			s.err = s.ctx.Err()
		}
	}
}

// wholeText is a reply's text for clients that do not stream.
func (r reply) wholeText() string {
	text := r.text
	for i := 1; i <= r.slow; i++ {
		text += slowChunk(i)
	}
	return text
}
