package remote_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/internal/remote"
)

// piece is a piece of an answer, as nearly everything that an agent says.
const piece = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"a few words of an answer, about fifty bytes long"}}}}`

// BenchmarkPiece measures a piece of an answer from its bytes at the agent's end to the
// handler: over a pipe and over WebSocket, in both versions of the protocol. "paced" is
// one after the other, each waited for, as a model writes; "rush" is as many as there is
// room for.
func BenchmarkPiece(b *testing.B) {
	for _, way := range []struct {
		name string
		open func(*testing.B) wireTo
	}{{"pipe", overPipe}, {"websocket", overSocket}} {
		for version := 1; version <= 2; version++ {
			b.Run(fmt.Sprintf("paced/%s/v%d", way.name, version), func(b *testing.B) {
				w, taken := way.open(b), make(chan struct{})
				negotiate(b, w, version, func() { taken <- struct{}{} })
				message := w.framed(piece)
				b.ReportAllocs()
				b.SetBytes(int64(len(piece)))
				for b.Loop() {
					send(b, w, message)
					<-taken
				}
			})
			b.Run(fmt.Sprintf("rush/%s/v%d", way.name, version), func(b *testing.B) {
				w, done, n := way.open(b), make(chan struct{}), 0
				negotiate(b, w, version, func() {
					if n++; n == b.N {
						close(done)
					}
				})
				const batch = 100
				message := w.framed(piece)
				batched := []byte(strings.Repeat(string(message), batch))
				b.ReportAllocs()
				b.SetBytes(int64(len(piece)))
				b.ResetTimer()
				for left := b.N; left > 0; left -= batch {
					send(b, w, batched[:min(left, batch)*len(message)])
				}
				<-done
			})
		}
	}
}

// wireTo is a way from an agent to parley.
type wireTo struct {
	transport acpclient.Transport // parley's end
	agent     io.Writer           // the agent's end, raw
	framed    func(message string) []byte
}

func send(b *testing.B, w wireTo, bytes []byte) {
	if _, err := w.agent.Write(bytes); err != nil {
		b.Fatal(err)
	}
}

// negotiate agrees on a version. told is called with each piece.
func negotiate(b *testing.B, w wireTo, version int, told func()) {
	b.Helper()
	h := &listener{told: told}
	first := acpclient.NewClient(w.transport, h, acpclient.ConnOptions{})
	b.Cleanup(first.Conn().Close)
	r := &acpclient.InitializeRequest{ClientInfo: &acpclient.Implementation{Name: "bench", Version: "1"}}
	var err error
	if version == 1 {
		_, err = first.Initialize(b.Context(), r)
	} else {
		_, _, err = v2.Negotiate(b.Context(), first, h, r, slog.New(slog.DiscardHandler))
	}
	if err != nil {
		b.Fatal(err)
	}
}

// listener is a client that is told of pieces.
type listener struct {
	told func()
}

// SessionUpdate implements acpclient.Handler.
func (l *listener) SessionUpdate(context.Context, *acpclient.SessionNotification) { l.told() }

// hello answers an initialize in the version that it offers.
func hello(initialize []byte) string {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Params struct {
			ProtocolVersion int `json:"protocolVersion"`
		} `json:"params"`
	}
	_ = json.Unmarshal(initialize, &m) // the benchmark fails if nobody understands the answer
	result := `{"protocolVersion":1,"agentCapabilities":{}}`
	if m.Params.ProtocolVersion == 2 {
		result = `{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// overPipe is the way of an agent that parley has started.
func overPipe(b *testing.B) wireTo {
	b.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		for _, f := range []*os.File{inR, inW, outR, outW} {
			_ = f.Close()
		}
	})
	go func() {
		line, _ := bufio.NewReader(inR).ReadBytes('\n')
		_, _ = io.WriteString(outW, hello(line)+"\n")
	}()
	return wireTo{acpclient.NewLines(outR, inW), outW, func(m string) []byte { return []byte(m + "\n") }}
}

// overSocket is the way of an agent that listens. Once it has answered, frames are
// written past the server, so that what it costs is not measured.
func overSocket(b *testing.B) wireTo {
	b.Helper()
	gone := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		if _, first, err := c.Read(r.Context()); err == nil {
			_ = c.Write(r.Context(), websocket.MessageText, []byte(hello(first)))
		}
		<-gone
	}))
	accepted := &remembers{Listener: server.Listener, last: make(chan net.Conn, 1)}
	server.Listener = accepted
	server.Start()
	far, err := remote.New(remote.Options{URL: strings.Replace(server.URL, "http", "ws", 1)})
	if err != nil {
		b.Fatal(err)
	}
	conn := far.Connect()
	agent := <-accepted.last
	b.Cleanup(func() {
		close(gone)
		_ = agent.Close()
		conn.Stop(context.Background())
		server.Close()
	})
	return wireTo{conn, agent, func(m string) []byte {
		const text, long = 0x81, 126 // a whole text message, whose length takes two bytes
		return append(binary.BigEndian.AppendUint16([]byte{text, long}, uint16(len(m))), m...)
	}}
}

// remembers is a listener that remembers who has connected.
type remembers struct {
	net.Listener
	last chan net.Conn
}

// Accept implements net.Listener.
func (r *remembers) Accept() (net.Conn, error) {
	c, err := r.Listener.Accept()
	if err == nil {
		r.last <- c
	}
	return c, err
}
