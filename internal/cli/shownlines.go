package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"parley/internal/termtext"
)

// shownLines shows what an agent prints, a line at a time and fit to be shown. A line that
// does not end, such as a question, is shown when nothing more comes of it for a while.
type shownLines struct {
	to io.Writer

	mu   sync.Mutex
	rest []byte
	late *time.Timer // shows rest, nil while nothing is left
}

const (
	// maxShown is how long a line may be before it is shown in parts, in bytes.
	maxShown = 4096
	// restTime is how long the end of a line may take to come.
	restTime = 300 * time.Millisecond
)

// Write implements io.Writer.
func (w *shownLines) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.late != nil {
		w.late.Stop()
		w.late = nil
	}
	w.rest = append(w.rest, data...)
	for {
		end := bytes.IndexByte(w.rest, '\n') + 1
		if end == 0 && len(w.rest) >= maxShown {
			end = len(w.rest)
		}
		if end == 0 {
			break
		}
		w.show(end)
	}
	if len(w.rest) > 0 {
		w.late = time.AfterFunc(restTime, w.showRest)
	}
	return len(data), nil
}

// show shows the beginning of what there is; w.mu is held.
func (w *shownLines) show(end int) {
	fmt.Fprintln(w.to, termtext.Line(strings.TrimRight(string(w.rest[:end]), "\r\n")))
	w.rest = w.rest[end:]
}

// showRest shows the line that has not ended.
func (w *shownLines) showRest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) > 0 {
		w.show(len(w.rest))
	}
}
