package session

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

func says(text string) conversation.Text {
	return conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: text}
}

func TestStreamKeepsOrderAndMerges(t *testing.T) {
	s := NewStream()
	s.post(says("a"))
	s.post(says("b"))
	s.post(conversation.Text{Chunk: acpclient.AgentThoughtChunk, Text: "c"})
	s.post(conversation.Text{Chunk: acpclient.AgentThoughtChunk, MessageID: "1", Text: "d"})
	s.post(conversation.TerminalOutput{ID: "x", Data: []byte("1")})
	s.post(conversation.TerminalOutput{ID: "x", Data: []byte("2")})
	s.post(conversation.TerminalOutput{ID: "y", Data: []byte("3")})
	s.post(conversation.NoticeAdded{Title: "f"})
	s.post(says("e"))
	var got []string
	for _, e := range s.Take() {
		got = append(got, fmt.Sprintf("%v", e))
	}
	want := []string{
		"{agent_message_chunk  ab}", "{agent_thought_chunk  c}", "{agent_thought_chunk 1 d}",
		"{x [49 50]}", "{y [51]}", "{ f   false}", "{agent_message_chunk  e}",
	}
	if !slices.Equal(got, want) {
		t.Errorf("took %q", got)
	}
	if len(s.Take()) != 0 {
		t.Error("took something twice")
	}
	s.post(says("f")) // is not merged with what was taken
	if got := s.Take(); len(got) != 1 || got[0] != says("f") {
		t.Errorf("took %v", got)
	}
}

// steadyPipe gets another line of 10 bytes at equal times, until there are enough.
type steadyPipe struct {
	began       time.Time
	each        time.Duration
	lines       int
	reads, took int
}

func (p *steadyPipe) Read(b []byte) (int, error) {
	p.reads++
	next := p.took/10 + 1
	if next > p.lines {
		return 0, io.EOF
	}
	time.Sleep(time.Until(p.began.Add(time.Duration(next) * p.each)))
	came := min(int(time.Since(p.began)/p.each), p.lines)
	n := copy(b, make([]byte, 10*came-p.took))
	p.took += n
	return n, nil
}

// While text streams, the agent's pipe is read once a frame, however often the agent
// writes.
func TestThePipeIsReadAtThePaceOfBatches(t *testing.T) {
	for pace, most := range map[time.Duration]int{0: 101, 40 * time.Millisecond: 30} {
		synctest.Test(t, func(t *testing.T) {
			s := NewStream()
			s.Pace(pace)
			pipe := &steadyPipe{began: time.Now(), each: 10 * time.Millisecond, lines: 100}
			p := &pacedReader{r: pipe, stream: s}
			batches := 0
			for b := make([]byte, 1000); ; {
				n, err := p.Read(b)
				if err != nil {
					break
				}
				s.post(says(string(b[:n])))
				select {
				case <-s.Ready():
					batches++
					time.AfterFunc(time.Millisecond, func() { s.Take() })
				default:
				}
			}
			if pipe.reads > most || pipe.took < 1000 {
				t.Errorf("pace %v: %d reads for %d bytes, want at most %d reads for 1000", pace, pipe.reads, pipe.took, most)
			}
			if batches < min(most-3, 25) {
				t.Errorf("pace %v: %d batches", pace, batches)
			}
			time.Sleep(time.Second)
		})
	}
}

// A flood is read at the agent's speed, in however small pieces it comes: at the beginning,
// after a pause, and once it is known as one after a trickle.
func TestAFloodIsReadAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		begin func(*pacedReader)
		most  time.Duration
	}{
		"at the beginning":  {func(*pacedReader) {}, 0},
		"after a pause":     {func(p *pacedReader) { trickle(p); p.stream.Take(); time.Sleep(time.Second) }, 0},
		"right after a few": {trickle, mostRest + time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := NewStream()
			s.Pace(40 * time.Millisecond)
			p := &pacedReader{stream: s}
			c.begin(p)
			p.r = &steadyPipe{began: time.Now(), each: 20 * time.Microsecond, lines: 10_000}
			began := time.Now()
			for b := make([]byte, 4096); ; {
				n, err := p.Read(b)
				if err != nil {
					break
				}
				s.post(says(string(b[:n])))
			}
			if rested := time.Since(began) - 200*time.Millisecond; rested > c.most {
				t.Errorf("%s: rested %v, want at most %v", name, rested, c.most)
			}
			s.Close()
		})
	}
}

// trickle reads a line each 10 ms for some frames.
func trickle(p *pacedReader) {
	p.r = &steadyPipe{began: time.Now(), each: 10 * time.Millisecond, lines: 100}
	for b, began := make([]byte, 1000), time.Now(); time.Since(began) < 3*mostRest; {
		n, _ := p.Read(b)
		p.stream.post(says(string(b[:n])))
	}
}

// Nothing waits in the pipe unless it comes after text that trickles in.
func TestThePipeIsReadAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		after func(*Stream)
		rests bool
	}{
		"after text":     {func(s *Stream) { s.post(says("a")) }, true},
		"after a notice": {func(s *Stream) { s.post(conversation.NoticeAdded{Title: "notice"}) }, false},
		"after a tool call": {func(s *Stream) {
			s.post(says("a"))
			s.post(conversation.Update{Update: &acpclient.ToolCall{}})
		}, false},
		"after taken text":    {func(s *Stream) { s.post(says("a")); s.Take() }, false},
		"after text, unpaced": {func(s *Stream) { s.Pace(0); s.post(says("a")) }, false},
		"after the end":       {func(s *Stream) { s.post(says("a")); s.Close() }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := NewStream()
			s.Pace(40 * time.Millisecond)
			p := &pacedReader{stream: s}
			trickle(p)
			c.after(s)
			p.r = strings.NewReader("next")
			began := time.Now()
			_, _ = p.Read(make([]byte, 10))
			if waited := time.Since(began); waited > 0 != c.rests {
				t.Errorf("%s: read after %v", name, waited)
			}
			s.Close()
		})
	}
}

// Text that comes within a frame wakes nobody: the next text after it does, anything else
// that happens, or a timer.
func TestStreamIsPaced(t *testing.T) {
	const frame = 35 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		s := NewStream()
		s.Pace(frame)
		woken := func() bool {
			synctest.Wait()
			select {
			case <-s.Ready():
				return true
			default:
				return false
			}
		}
		take := func(events int) {
			t.Helper()
			if got := s.Take(); len(got) != events {
				t.Errorf("took %v, want %d events", got, events)
			}
		}
		s.post(says("after a pause"))
		if !woken() {
			t.Error("the first text does not wake")
		}
		take(1)
		for range 3 {
			time.Sleep(10 * time.Millisecond)
			if s.post(says("too soon")); woken() {
				t.Error("text within the frame wakes")
			}
		}
		time.Sleep(10 * time.Millisecond)
		if s.post(says("after the frame")); !woken() {
			t.Error("text after the frame does not wake")
		}
		take(1)
		if s.post(says("the last")); woken() {
			t.Error("text within the next frame wakes")
		}
		time.Sleep(frame + lateness)
		if !woken() {
			t.Error("the timer does not wake for the last text")
		}
		take(1)
		s.post(says("before a notice"))
		if s.post(conversation.NoticeAdded{Title: "notice"}); !woken() {
			t.Error("a notice has to wait")
		}
		take(2)
		s.post(says("before the tab is shown"))
		if s.Pace(time.Millisecond); !woken() {
			t.Error("another pace leaves events where they are")
		}
		take(1)
		s.post(says("before a flood"))
		if s.post(says(strings.Repeat("x", pendingBound))); !woken() {
			t.Error("a flood has to wait")
		}
		take(1)
		s.post(says("at the end"))
		if s.Close(); !woken() {
			t.Error("the end does not wake")
		}
		take(1)
		time.Sleep(time.Second) // the timer is stopped, or it would send on a closed channel
	})
}

// The bytes of an event are its own: what was pushed may be written over.
func TestStreamKeepsItsOwnBytes(t *testing.T) {
	s := NewStream()
	buf := []byte("first")
	s.post(conversation.TerminalOutput{ID: "x", Data: buf})
	first := s.Take()
	copy(buf, "XXXXX")
	s.post(conversation.TerminalOutput{ID: "x", Data: buf})
	if got := string(first[0].(conversation.TerminalOutput).Data); got != "first" {
		t.Errorf("output became %q", got)
	}
}

func TestStreamHoldsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStream()
		var pushed atomic.Int64
		go func() {
			for range 100 {
				s.Push(context.Background(), says(strings.Repeat("x", 1<<20)))
				pushed.Add(1)
			}
			s.Close()
		}()
		total := 0
		for !s.Closed() {
			synctest.Wait()
			if n := pushed.Load(); n < 100 && n-int64(total>>20) > pendingBound>>20+1 {
				t.Fatalf("%d MB wait", n-int64(total>>20))
			}
			<-s.Ready()
			for _, e := range s.Take() {
				total += len(e.(conversation.Text).Text)
			}
		}
		if total != 100<<20 {
			t.Errorf("%d bytes arrived", total)
		}
	})
}

func TestStreamLetsGo(t *testing.T) {
	for name, release := range map[string]func(*Stream, context.CancelFunc){
		"by Close":                   func(s *Stream, _ context.CancelFunc) { s.Close() },
		"by the end of the context":  func(_ *Stream, cancel context.CancelFunc) { cancel() },
		"by taking what was waiting": func(s *Stream, _ context.CancelFunc) { s.Take() },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := NewStream()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s.post(says(strings.Repeat("x", pendingBound)))
			var done atomic.Int64
			for range 3 {
				go func() { s.Push(ctx, conversation.NoticeAdded{Title: "f"}); done.Add(1) }()
			}
			go func() { s.room(ctx); done.Add(1) }()
			synctest.Wait()
			if done.Load() != 0 {
				t.Fatalf("%s: nobody waits", name)
			}
			release(s, cancel)
			synctest.Wait()
			if n := done.Load(); n != 4 {
				t.Errorf("%s: %d went on", name, n)
			}
		})
	}
}

func TestStreamCloses(t *testing.T) {
	s := NewStream()
	s.post(says("last"))
	s.Close()
	s.Close()
	s.post(says("too late"))
	s.Push(t.Context(), says("too late"))
	<-s.Ready()
	if s.Closed() {
		t.Error("closed before everything was taken")
	}
	if got := s.Take(); len(got) != 1 || got[0] != says("last") {
		t.Errorf("took %v", got)
	}
	<-s.Ready() // always, so that whoever waits learns of the end
	<-s.Ready()
	if !s.Closed() {
		t.Error("not closed")
	}
}

// Text that waits costs its bytes, in however many chunks it came.
func TestStreamMemoryIsFlatInChunks(t *testing.T) {
	s := NewStream()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 100_000 {
		s.post(says("0123456789"))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 3<<20 {
		t.Errorf("a megabyte of text takes %d bytes", grown)
	}
	if batch := s.Take(); len(batch) != 1 || len(batch[0].(conversation.Text).Text) != 1_000_000 {
		t.Errorf("%d events", len(batch))
	}
}

// Every event says how much it holds on to, so that the bound means something.
func TestSizes(t *testing.T) {
	const big = 1000
	long := strings.Repeat("x", big)
	for _, u := range []string{
		test.AgentSays(long, ""), `{"sessionUpdate":"odd","x":"` + long + `"}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"m","data":"` + long + `"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"u","text":"` + long + `"}}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"u","blob":"` + long + `"}}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"t","title":"","rawInput":"` + long + `"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"` + long + `"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"diff","path":"p","oldText":"` + long + `","newText":""}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"` + long + `"}}]}`,
		`{"sessionUpdate":"plan","entries":[{"content":"` + long + `"}]}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"` + long + `"}}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"n","description":"` + long + `"}]}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"id":"m","name":"M","description":"` + long + `","type":"boolean","currentValue":true}]}`,
		`{"sessionUpdate":"notice","title":"t","description":"` + long + `"}`,
		`{"sessionUpdate":"compaction_update","compactionId":"c","summary":[{"type":"text","text":"` + long + `"}]}`,
		`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"` + long + `"}}`,
	} {
		e := test.Up(t, u)
		if u, ok := e.(conversation.Update); ok { // it also holds the line of the wire
			raw := len(u.Raw)
			whole := conversation.SizeOf(u)
			u.Raw = nil
			if e = u; whole-conversation.SizeOf(u) != raw || raw < big {
				t.Errorf("%d bytes as they were received make the size %d of %d", raw, whole, conversation.SizeOf(u))
			}
		}
		if n := conversation.SizeOf(e); n < big || n > 2*big {
			t.Errorf("%.100s… has the size %d", u, n)
		}
	}
	permission := test.Permission(1, `{"toolCallId":"t","title":"`+long+`"}`)
	permission.Request.Raw = nil
	for _, e := range []conversation.Event{
		conversation.AgentLost{Stderr: long},
		test.Sent(long), permission,
		conversation.FileWritten{Path: long},
		conversation.TerminalOutput{Data: []byte(long)},
	} {
		if n := conversation.SizeOf(e); n < big || n > 2*big {
			t.Errorf("%T has the size %d", e, n)
		}
	}
}
