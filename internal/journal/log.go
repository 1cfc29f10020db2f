package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// kind is the kind of a record.
type kind string

// The kinds of records. A change is written before its file changes, and done or failed
// afterwards.
const (
	kindOpen    kind = "open"    // a journal begins: Dir, At
	kindSession kind = "session" // the agent's session: Session
	kindTurn    kind = "turn"    // a turn begins: Turn, At, Prompt
	kindChange  kind = "change"  // a file is about to change, or has changed
	kindDone    kind = "done"    // the change ID has happened
	kindFailed  kind = "failed"  // the change ID has not happened
	kindKept    kind = "kept"    // the user accepts a change of Path from Before to After
	kindOpened  kind = "opened"  // the user withdraws the acceptance of Path's changes
)

// record is a line of the log.
type record struct {
	Kind kind `json:"kind"`
	ID   int  `json:"id,omitzero"`

	Dir     string    `json:"dir,omitzero"`
	Session string    `json:"session,omitzero"`
	At      time.Time `json:"at,omitzero"`
	Prompt  string    `json:"prompt,omitzero"`

	Turn   int    `json:"turn,omitzero"`
	Path   string `json:"path,omitzero"`
	Before *Image `json:"before,omitzero"`
	After  *Image `json:"after,omitzero"`
	Source Source `json:"source,omitzero"`
	// Happened marks a change that was recorded after it happened.
	Happened bool `json:"happened,omitzero"`
	// Act is the number of the user's action, Reverts the changes that it undid.
	Act     int   `json:"act,omitzero"`
	Reverts []int `json:"reverts,omitzero"`
	// Whole means that the user accepts everything so far.
	Whole bool `json:"whole,omitzero"`
}

// log is an append-only file of records. It is safe for concurrent use.
type log struct {
	mu   sync.Mutex
	file *os.File
	torn bool // the last line is incomplete because the disk was full
}

// maxRecord bounds a record, in bytes.
const maxRecord = 1 << 20

// openLog opens the log at path and passes each record to take. It skips damaged
// records, as the last one may be after a crash.
func openLog(path string, take func(record)) (*log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if !lock(f) {
		return nil, errors.Join(errInUse, f.Close())
	}
	l := &log{file: f}
	if err := l.replay(take); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// replay reads the log, and ends its last line if that is incomplete.
func (l *log) replay(take func(record)) error {
	r := bufio.NewReaderSize(l.file, maxRecord)
	for {
		line, err := r.ReadSlice('\n')
		if len(line) > 0 {
			var rec record
			if json.Unmarshal(line, &rec) == nil {
				take(rec)
			}
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			if len(line) > 0 && !bytes.HasSuffix(line, []byte("\n")) {
				_, err = l.file.WriteString("\n")
				return err
			}
			return nil
		case err != nil:
			return err
		}
	}
}

// add appends a record. With sync it survives a crash of the machine.
func (l *log) add(r record, sync bool) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.torn {
		line = slices.Insert(line, 0, '\n')
	}
	n, err := l.file.Write(line)
	l.torn = err != nil && (n > 0 || l.torn)
	if err != nil {
		return err
	}
	if sync {
		return l.file.Sync()
	}
	return nil
}

func (l *log) close() error {
	unlock(l.file)
	return l.file.Close()
}
