package pictures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

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
