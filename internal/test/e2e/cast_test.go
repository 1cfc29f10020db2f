//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/test/ptytest"
)

// TestTour records the tour that the README offers: "make pictures".
func TestTour(t *testing.T) {
	if *into == "" {
		t.Skip("no folder for the recording was given: make pictures")
	}
	const calm = 700 * time.Millisecond
	at := newStage(t, map[string]string{"wren": atAPace(works + edits + runs)})
	at.cols, at.rows = 100, 34
	at.output = NewCast(at.cols, at.rows, "A tour of parley", calm)
	p := tourist{at.start(), at.output}
	p.look("Wren", "Claude Code").press("enter")
	p.look(ready).types("Somebody says that Ada never gets a greeting. Can you look into it?").press("enter")
	p.look("No, leave it as it is", "enter: select Allow once")
	p.press("y").look("enter or y: Allow once").press("y")
	p.look("Everybody is greeted now").term.WaitGone("working ")
	p.press("f5").look("Session changes").press("enter").look("change 1 of").press("q").gone("change 1 of").press("q").gone("Session changes")
	p.press("f2").look("Reads and plans").press("esc").gone("Reads and plans")
	p.press("ctrl+p").look("type to filter").types("session").look("session").press("esc").look("type to filter").press("esc").gone("Command palette")
	p.press("ctrl+d")
	if code := p.term.WaitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	recording := at.output.Bytes()
	if bytes.Contains(recording, []byte(at.home)) {
		t.Errorf("a path of this machine is in the recording: %s", at.home)
	}
	must(t, os.WriteFile(filepath.Join(*into, "tour.cast"), recording, 0o644))
}

// atAPace is a script that takes its time, so that a user can follow.
func atAPace(script string) string {
	for _, step := range []string{"update", "think", "say"} {
		script = strings.ReplaceAll(script, "\n"+step+" ", "\nsleep 500ms\n"+step+" ")
	}
	return script
}

// tourist plays what is recorded, at the speed of a user.
type tourist struct {
	term *ptytest.Terminal
	cast *Cast
}

// look waits until something is there, and looks at it.
func (p tourist) look(texts ...string) tourist {
	p.term.WaitFor(texts...)
	p.cast.Pause(1500 * time.Millisecond)
	return p
}

// gone waits until something is not there any more.
func (p tourist) gone(text string) tourist {
	p.term.WaitGone(text)
	return p
}

func (p tourist) press(keys ...string) tourist {
	for _, key := range keys {
		p.cast.Pause(300 * time.Millisecond)
		p.term.Press(key)
	}
	return p
}

// types types text, each letter once the one before it is on the screen.
func (p tourist) types(text string) tourist {
	for i, r := range text {
		p.term.Press(string(r)).WaitFor(strings.TrimRight(text[:i+len(string(r))], " "))
		p.cast.Pause(40 * time.Millisecond)
	}
	return p
}

// A recording is lines of JSON, whose texts are what was written, and whose times never
// go back nor wait for long.
func TestCast(t *testing.T) {
	t.Parallel()
	c := NewCast(80, 24, "A <title>", time.Nanosecond)
	want := "plain \x1b[1mbold\x1b[m — 世界 🦊"
	for _, b := range []byte(want) { // also in the middle of a character
		if n, err := c.Write([]byte{b}); n != 1 || err != nil {
			t.Fatalf("wrote %d: %v", n, err)
		}
	}
	c.Pause(2 * time.Second)
	_, _ = c.Write([]byte("end"))
	lines := bytes.Split(bytes.TrimSpace(c.Bytes()), []byte("\n"))
	var head struct {
		Version, Width, Height int
		Title                  string
	}
	if err := json.Unmarshal(lines[0], &head); err != nil || head.Version != 2 || head.Width != 80 || head.Height != 24 || head.Title != "A <title>" {
		t.Errorf("head %s: %v", lines[0], err)
	}
	got, last := "", 0.0
	for _, line := range lines[1:] {
		var event []any
		if err := json.Unmarshal(line, &event); err != nil || len(event) != 3 || event[1] != "o" || event[0].(float64) < last {
			t.Fatalf("%s: %v", line, err)
		}
		last = event[0].(float64)
		got += event[2].(string)
	}
	if got != want+"end" || last < 2 || last > 2.1 {
		t.Errorf("recorded %q, until %v", got, last)
	}
}

// Cast records what a terminal is written, in the format asciicast v2:
// https://docs.asciinema.org/manual/asciicast/v2/. It may be used from several
// goroutines at once.
type Cast struct {
	longest time.Duration

	mu   sync.Mutex
	last time.Time
	at   time.Duration
	out  bytes.Buffer
	rest []byte // the beginning of a character whose end has not been written yet
}

// NewCast begins a recording. Silences are shortened to the longest, so that it does
// not depend on how fast the machine was; Pause makes longer ones.
func NewCast(cols, rows int, title string, longest time.Duration) *Cast {
	c := &Cast{longest: longest, last: time.Now()}
	head, _ := json.Marshal(struct { // of these types it does not fail
		Version int               `json:"version"`
		Width   int               `json:"width"`
		Height  int               `json:"height"`
		Title   string            `json:"title"`
		Env     map[string]string `json:"env"`
	}{2, cols, rows, title, map[string]string{"TERM": "xterm-256color"}})
	c.out.Write(head)
	c.out.WriteByte('\n')
	return c
}

// Pause lets time pass in the recording.
func (c *Cast) Pause(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at += d
}

// Write records a piece of output. It never fails.
func (c *Cast) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.at += min(now.Sub(c.last), c.longest)
	c.last = now
	text := append(c.rest, p...)
	whole := wholeCharacters(text)
	c.rest = bytes.Clone(text[whole:])
	if whole == 0 {
		return len(p), nil
	}
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	_ = e.Encode(string(text[:whole])) // of a string it does not fail
	fmt.Fprintf(&c.out, "[%.3f, \"o\", %s]\n", c.at.Seconds(), bytes.TrimSpace(quoted.Bytes()))
	return len(p), nil
}

// Bytes is the recording so far.
func (c *Cast) Bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.out.Bytes())
}

// wholeCharacters is how much of a text ends with a whole character of UTF-8.
func wholeCharacters(p []byte) int {
	for n := 1; n <= min(len(p), 3); n++ {
		c := p[len(p)-n]
		if c < 0x80 {
			break
		}
		if c >= 0xc0 { // a character begins here: is it all there?
			size := 2
			for _, first := range []byte{0xe0, 0xf0} {
				if c >= first {
					size++
				}
			}
			if size > n {
				return len(p) - n
			}
			break
		}
	}
	return len(p)
}
