package acpclient_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient"
)

// endless is a line without an end, up to a number of bytes.
type endless struct{ left int }

func (e *endless) Read(b []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(b), e.left)
	for i := range b[:n] {
		b[i] = 'x'
	}
	e.left -= n
	return n, nil
}

// A line beyond the bound costs no more than one within it, for which buffers are made that double.
func TestRefusedLineIsNotKept(t *testing.T) {
	const most = 256 << 10
	lines := acpclient.NewLines(io.MultiReader(&endless{16 * most}, strings.NewReader("\nnext\n")), io.Discard)
	lines.MaxLine = most
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := lines.Read()
	runtime.ReadMemStats(&now)
	if !errors.Is(err, acpclient.ErrMessageRefused) {
		t.Fatalf("got %v", err)
	}
	if took := now.TotalAlloc - before.TotalAlloc; took > 8*most {
		t.Errorf("it took %d KB", took>>10)
	}
	if line, err := lines.Read(); string(line) != "next" {
		t.Errorf("after it: %q, %v", line, err)
	}
}

// Answers that a peer does not read cost little, however many and small they are: the next
// request waits.
func TestUnreadAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 30_000
		in, requests := io.Pipe()
		unread, out := io.Pipe()
		c := acpclient.NewClient(acpclient.NewLines(in, out), nil, acpclient.ConnOptions{})
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		sent, long := 0, strings.Repeat("x", 1000) // of the id, which each answer repeats
		go func() {
			for ; sent < most; sent++ {
				if _, err := fmt.Fprintf(requests, `{"jsonrpc":"2.0","id":"%d%s","method":"fs/read_text_file","params":{"sessionId":"s","path":"/x"}}`+"\n", sent, long); err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		runtime.GC()
		runtime.ReadMemStats(&after)
		if sent == most {
			t.Error("all requests were taken")
		}
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 24<<20 {
			t.Errorf("%d unread answers take %d MB", sent, grown>>20)
		}
		_, _ = unread.Close(), requests.Close()
		<-c.Conn().Done()
	})
}
