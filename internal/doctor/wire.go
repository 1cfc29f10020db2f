package doctor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"parley/acpclient"
	"parley/internal/schema"
	"parley/internal/termtext"
)

// maxLine limits how much of a line is kept, in bytes.
const maxLine = 64 << 20

// rawLine is a line of the agent without its line end, or a message of one that listens.
type rawLine struct {
	data    []byte
	at      time.Time
	unended bool // no newline
	cut     bool // longer than maxLine
}

// readLines sends the agent's lines to a channel until the end or until quit is closed,
// and closes the channel.
func readLines(next func() (rawLine, error), to chan<- rawLine, quit <-chan struct{}) {
	defer close(to)
	for {
		line, err := next()
		if line.at = time.Now(); len(line.data) > 0 || err == nil {
			line.unended = err != nil
			select {
			case to <- line:
			case <-quit:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// messagesOf reads the messages of an agent that listens. It tells of refused ones on stderr.
func messagesOf(t acpclient.Transport, stderr io.Writer) func() (rawLine, error) {
	return func() (rawLine, error) {
		message, err := t.Read()
		for errors.Is(err, acpclient.ErrMessageRefused) {
			fmt.Fprintln(stderr, err) // for the report
			message, err = t.Read()
		}
		return rawLine{data: bytes.Clone(message)}, err
	}
}

// linesOf reads lines.
func linesOf(from io.Reader) func() (rawLine, error) {
	r := bufio.NewReaderSize(from, 64<<10)
	return func() (line rawLine, err error) {
		for {
			part, err := r.ReadSlice('\n')
			if room := maxLine - len(line.data); len(part) > room {
				part, line.cut = part[:room], true
			}
			line.data = append(line.data, part...)
			if err != bufio.ErrBufferFull {
				line.data = bytes.TrimRight(line.data, "\r\n")
				return line, err
			}
		}
	}
}

// writeLines writes lines to the agent: an agent that does not read blocks only this
// goroutine. When the channel is closed, it closes the agent's stdin.
func writeLines(to *acpclient.Peer, lines <-chan []byte) {
	t := to.Transport
	if t == nil {
		t = acpclient.NewLines(nil, to.Out)
	}
	broken := false
	for line := range lines {
		if !broken {
			broken = t.Write(bytes.Clone(line)) != nil // the reader notices that the agent is gone
		}
	}
	if stdin, ok := to.Out.(io.Closer); ok {
		_ = stdin.Close()
	}
}

// wireLine is a line of Options.Wire.
type wireLine struct {
	Line int `json:"line"`
	// Run is the run of the agent, from 1, and Ms the time since its start.
	Run  int         `json:"run"`
	From schema.Side `json:"from"`
	Ms   int64       `json:"ms"`
	// Message is the line if it is JSON, Text if it is not.
	Message json.RawMessage `json:"message,omitempty"`
	Text    string          `json:"text,omitempty"`
}

// note counts a line, and writes it to Options.Wire. It keeps the first error.
func (e *exam) note(from schema.Side, line []byte, at time.Time) {
	e.line++
	if e.opt.Wire == nil || e.wireErr != nil {
		return
	}
	line = []byte(e.opt.Clean(string(line)))
	w := wireLine{Line: e.line, Run: e.run, From: from, Ms: at.Sub(e.began).Milliseconds()}
	if json.Valid(line) && utf8.Valid(line) {
		w.Message = line
	} else {
		w.Text = string(line)
	}
	b, err := termtext.EncodeJSON(w, "") // it may be printed on a terminal
	if err == nil {
		_, err = e.opt.Wire.Write(b)
	}
	e.wireErr = err
}

// message is a line of the agent that is a JSON object.
type message struct {
	number int // of the line
	raw    []byte
	at     time.Time
	fields map[string]json.RawMessage
	id     json.RawMessage // nil if there is none
	method string
	call   bool // it has a method
}

// parse decodes a line into a message; nil if the line is not a JSON object.
func parse(number int, line rawLine) *message {
	m := &message{number: number, raw: line.data, at: line.at}
	if json.Unmarshal(line.data, &m.fields) != nil || m.fields == nil {
		return nil
	}
	m.id = m.fields["id"]
	if method, ok := m.fields["method"]; ok {
		m.call = json.Unmarshal(method, &m.method) == nil
	}
	return m
}

// params decodes the params into v. It ignores errors, which the schema check reports.
func (m *message) params(v any) { _ = json.Unmarshal(m.fields["params"], v) }

// key returns the canonical form of an id. The string "7" is not the number 7.
func key(id json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, id) != nil {
		return string(id)
	}
	var text string
	if json.Unmarshal(id, &text) == nil {
		quoted, _ := json.Marshal(text) // normalises the escapes
		return string(quoted)
	}
	return b.String()
}

// words returns the beginning of the agent's text, sanitised.
func words(text string) string { return short(text, 120) }

func short(text string, runes int) string {
	cut := false
	if most := 4 * runes; len(text) > most {
		text, cut = strings.ToValidUTF8(text[:most], ""), true
	}
	if r := []rune(text); len(r) > runes {
		text, cut = string(r[:runes]), true
	}
	if cut {
		text += "…"
	}
	return termtext.VisibleLine(text)
}

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu    sync.Mutex
	data  []byte
	asked int // how much of it is from before the last request
}

// maxStderr is how much of an agent's stderr is kept, in bytes.
const maxStderr = 8 << 10

// Write implements io.Writer. It never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if over := len(t.data) - maxStderr; over > 0 {
		for over < len(t.data) && !utf8.RuneStart(t.data[over]) {
			over++ // a whole character
		}
		t.data, t.asked = bytes.Clone(t.data[over:]), max(0, t.asked-over)
	}
	return len(p), nil
}

// String returns all that is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}

// begin marks where a request begins.
func (t *tail) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = len(t.data)
}

// since returns what was written since the last request, as far as it is kept.
func (t *tail) since() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data[t.asked:])
}
