package cli

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// The tour answers while its input stays open, as a client leaves it, and ends
// with it.
func TestDemoAgentSpeaksOnTheStandardStreams(t *testing.T) {
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	var complaints strings.Builder
	code := make(chan int, 1)
	go func() {
		code <- run(t.Context(), &streams{In: in, Out: out, Err: &complaints}, []string{"demo-agent"})
		_ = out.Close()
	}()
	if _, err := io.WriteString(toAgent, `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":1}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(fromAgent)
	if !lines.Scan() {
		t.Fatalf("no answer: %v", lines.Err())
	}
	if got := lines.Text(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":7,"result":{`) || !strings.Contains(got, `"protocolVersion":1`) {
		t.Errorf("answered %s", got)
	}
	if err := toAgent.Close(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		t.Errorf("said more: %s", lines.Text())
	}
	if got := <-code; got != exitOK || complaints.Len() > 0 {
		t.Errorf("exit code %d, said %q", got, complaints.String())
	}
}
