package screen

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// output writes to the terminal on a goroutine of its own, so that a slow terminal
// holds up nothing else.
type output struct {
	to      io.Writer
	painted func()      // an awaited frame was painted
	failed  func(error) // writing has failed
	post    func(tea.Msg)

	// turn is the lock for the fields below.
	turn chan struct{}
	term *terminal
	on   bool // the terminal is taken
	out  bytes.Buffer

	mu     sync.Mutex
	words  []byte // to write before the frame
	frame  *picture
	above  []string // from frames that were not painted yet
	busy   bool     // painting the previous frame
	waited bool     // a caller waits for the previous frame
	wake   chan struct{}
	done   chan struct{}
	taken  chan struct{} // receives when the terminal has taken more output
}

// piece is how much is written at a time, in bytes: no more than a terminal's buffer,
// so that the progress of a slow terminal shows.
const piece = 4 << 10

// picture is a frame for a terminal of some size.
type picture struct {
	frame         Frame
	width, height int
}

func newOutput(to io.Writer, t *terminal) *output {
	return &output{
		to: to, term: t, turn: make(chan struct{}, 1),
		wake: make(chan struct{}, 1), done: make(chan struct{}), taken: make(chan struct{}, 1),
	}
}

// ready reports whether the last frame is painted. If not, painted is called as soon as
// it is.
func (o *output) ready() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waited = o.busy
	return !o.busy
}

// show paints a frame. The output must be ready.
func (o *output) show(f Frame, width, height int) {
	o.mu.Lock()
	o.above = append(o.above, f.Above...)
	o.frame, o.busy = &picture{f, width, height}, true
	o.mu.Unlock()
	o.start()
}

// say writes a control sequence as soon as the terminal is taken.
func (o *output) say(seq string) {
	o.mu.Lock()
	o.words = append(o.words, seq...)
	o.mu.Unlock()
	o.start()
}

func (o *output) start() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// paintNow paints what is pending before it returns.
func (o *output) paintNow() {
	o.turn <- struct{}{}
	o.paint()
	<-o.turn
	o.finished()
}

// run paints until the output is closed.
func (o *output) run() {
	for {
		select {
		case <-o.done:
			return
		case <-o.wake:
		}
		o.turn <- struct{}{}
		o.paint()
		<-o.turn
		if o.finished() {
			o.painted()
		}
	}
}

// finished ends a frame. It reports whether a caller waited for it.
func (o *output) finished() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy = o.frame != nil // one that has arrived meanwhile
	if o.busy || !o.waited {
		return false
	}
	o.waited = false
	return true
}

// paint writes what is pending. It drops frames while the terminal is not taken: there
// will be another when it is.
func (o *output) paint() {
	o.mu.Lock()
	picture := o.frame
	o.frame = nil
	o.out.Reset()
	if o.on {
		o.out.Write(o.words)
		o.words = nil
	}
	var above []string
	if o.on && picture != nil && !picture.frame.Whole { // lines above would not be visible
		above, o.above = o.above, nil
	}
	o.mu.Unlock()
	if !o.on {
		return
	}
	if picture != nil {
		picture.frame.Above = above
		o.out.Write(o.term.frame(picture.frame, picture.width, picture.height))
	}
	o.write(o.out.Bytes())
	if picture != nil && o.on {
		o.post(picture.frame.Shown)
	}
}

func (o *output) write(p []byte) {
	for part := range slices.Chunk(p, piece) {
		if _, err := o.to.Write(part); err != nil {
			o.on = false
			o.failed(fmt.Errorf("write to the terminal: %w", err))
			return
		}
		select {
		case o.taken <- struct{}{}:
		default:
		}
	}
}

// enter takes the terminal. The next frame is drawn in full.
func (o *output) enter() {
	o.turn <- struct{}{}
	o.on = true
	o.write(o.term.enter())
	<-o.turn
	o.start() // something may be pending
}

// leave releases the terminal, after the current output was taken.
func (o *output) leave() {
	o.turn <- struct{}{}
	if o.on {
		o.mu.Lock()
		above := o.above
		o.above = nil
		o.mu.Unlock()
		o.write(o.term.leave(above))
		o.on = false
	}
	<-o.turn
}

// leaveFor is leave for a terminal that may be blocked. It waits while the terminal
// takes something within the bound, and reports whether it has taken everything.
func (o *output) leaveFor(bound time.Duration) bool {
	left := make(chan struct{})
	go func() { o.leave(); close(left) }()
	for {
		select {
		case <-left:
			return true
		case <-o.taken:
		case <-time.After(bound):
			return false
		}
	}
}

// stay sets lines to leave on the screen when the terminal is released.
func (o *output) stay(lines []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.above = append(o.above, lines...)
}

// reported handles the terminal's answer about a mode.
func (o *output) reported(m tea.ModeReportMsg) {
	o.turn <- struct{}{}
	send := o.term.reported(m)
	if o.on {
		o.write([]byte(send))
	}
	<-o.turn
}

// useProfile changes the colours that the terminal supports. If they are others, the
// next frame draws everything.
func (o *output) useProfile(p colorprofile.Profile) {
	o.turn <- struct{}{}
	o.term.useProfile(p)
	<-o.turn
}
