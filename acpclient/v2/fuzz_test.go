package v2

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
)

// lines are what agents send once a connection is open: good, odd and broken.
var lines = []string{
	`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"a"}}}}`,
	`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}`,
	`{"jsonrpc":"2.0","method":"session/update","params":{"update":7}}`,
	`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","title":"May I?","subject":{"type":"command","command":"ls","cwd":"/"},"options":[{"optionId":"y","name":"Yes","kind":"_x"}]}}`,
	`{"jsonrpc":"2.0","id":"2","method":"session/request_permission","params":{"sessionId":"s","title":"May I?","subject":{"type":"tool_call","toolCall":{"toolCallId":"c","content":[{"type":"diff","changes":[null]}]}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`,
	`{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{"mode":"url","message":"?","url":"x","elicitationId":"e"}}`,
	`{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e"}}`,
	`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`,
	`{"jsonrpc":"2.0","id":4,"method":"fs/read_text_file","params":{}}`,
	`{"jsonrpc":"2.0","id":99,"result":{"messageId":"nobody asked"}}`,
	`[INFO] {"jsonrpc":"2.0"`, `[]`, `null`,
}

// asked is a writer that tells of the first thing written to it.
type asked struct{ first chan struct{} }

// Write implements io.Writer.
func (a *asked) Write(b []byte) (int, error) {
	select {
	case <-a.first:
	default:
		close(a.first)
	}
	return len(b), nil
}

// Read waits for the first thing written, and is at its end then.
func (a *asked) Read([]byte) (int, error) {
	<-a.first
	return 0, io.EOF
}

// FuzzStream: any stream is read to its end, through everything that a client does with
// it, and a message behind it is heard.
func FuzzStream(f *testing.F) {
	for _, line := range lines {
		f.Add(line)
	}
	f.Add(strings.Join(lines, "\n"))
	const last = "the last message of the stream"
	f.Fuzz(func(t *testing.T, stream string) {
		if len(stream) > 1<<16 || strings.Count(stream, "\n") > 500 {
			t.Skip("hears has room for so many")
		}
		h, a := newHears(), &asked{make(chan struct{})}
		in := io.MultiReader(a, strings.NewReader(`{"jsonrpc":"2.0","id":0,"result":`+info2+"}\n"+`{"jsonrpc":"2.0","id":1,"result":`+info2+"}\n"+stream+"\n"+strings.Replace(lines[0], `"text":"a"`, `"text":"`+last+`"`, 1)))
		first := acpclient.NewClient(acpclient.NewLines(in, a), h, acpclient.ConnOptions{})
		defer first.Conn().Close()
		r := &acpclient.InitializeRequest{ClientInfo: &acpclient.Implementation{Name: "test", Version: "1"}}
		if _, _, err := Negotiate(context.Background(), first, h, r, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		<-first.Conn().Done()
		h.mu.Lock()
		defer h.mu.Unlock()
		if !slices.ContainsFunc(h.updates, func(n *acpclient.SessionNotification) bool {
			c, ok := n.Update.(*acpclient.ContentChunk)
			return ok && c.Content.Text == last
		}) {
			t.Errorf("the last message was not heard; %d were", len(h.updates))
		}
	})
}

// FuzzUpdate: whatever an agent sends, it is translated to something that can be
// stored and read back as the same.
func FuzzUpdate(f *testing.F) {
	for _, update := range []string{
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":null,"content":[{"type":"diff","changes":[{"operation":"modify","path":"/a"}],"patch":{"format":"git_patch","text":"diff --git /a /a\n@@ -1 +1 @@\n-a\n+b\n"}}]}`,
		`{"sessionUpdate":"terminal_update","terminalId":"t","output":{"data":"YQ"},"exitStatus":null}`,
		`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"a"},{"type":"odd"},7]}`,
		`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":"x"},"background":[null,{"type":"subagent","sessionId":"s"}]}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"configId":"c","name":"n","type":"select","currentValue":"a","options":[{"groupId":"g","name":"g","options":[]}]}]}`,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"terminal","terminalId":"t"}}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"x"}}`,
	} {
		f.Add(update)
	}
	f.Fuzz(func(t *testing.T, update string) {
		if strings.ContainsRune(update, '\n') || !json.Valid([]byte(update)) {
			t.Skip()
		}
		house, err := notification([]byte(`{"sessionId":"s","update":` + update + `}`))
		if err != nil {
			return
		}
		if house.Update == nil || len(house.Raw) == 0 {
			t.Fatalf("%s became %+v", update, house)
		}
		first, err := house.MarshalJSON()
		if err != nil {
			return // a raw value that cannot be encoded is stored as it came
		}
		var again acpclient.SessionNotification
		if err := acpclient.Unmarshal(house.Raw, &again); err != nil {
			t.Fatalf("%s is stored as %s: %v", update, house.Raw, err)
		}
		if _, unknown := house.Update.(*acpclient.UnknownUpdate); unknown {
			return
		}
		if back, err := again.MarshalJSON(); err != nil || !sameJSON(t, string(first), string(back)) {
			t.Fatalf("%s\nis %s\nand stored as %s (%v)", update, first, back, err)
		}
	})
}
