package screen

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Times that decide what bytes mean. Everything else waits for its rest: a character, a
// sequence, an answer of the terminal.
const (
	// escTime is how soon after esc another byte must come to belong to one key. Terminals
	// send the bytes of a key at once; a user who presses esc and then a key takes 30 ms
	// or more.
	escTime = 20 * time.Millisecond
	// altTime is how soon the rest must come of what is a key with alt otherwise. It is longer,
	// because a rest that comes later is typed.
	altTime = 100 * time.Millisecond
	// slowTime takes their place where an ESC is more likely to begin a sequence in pieces
	// than to be a key.
	slowTime = 500 * time.Millisecond
	// together is the most time between characters that are not typed.
	together = 5 * time.Millisecond
	// lineTime is how long an enter waits for text where a paste may come without marks: a
	// slow line takes 10 ms for a character, and the fastest typists 30 ms. linesTime is the
	// pause that closes such a paste.
	lineTime  = 25 * time.Millisecond
	linesTime = 75 * time.Millisecond
	// pasteTime is the pause that closes a paste without an end.
	pasteTime = 2 * time.Second
	// answerTime is how long an answer is likely, also from a terminal that gives none.
	answerTime = 5 * time.Second
)

// questions are those that the terminal has not answered. The last one in a row asks what
// kind of terminal it is, which all of them answer, in order: see [terminal.enter].
type questions struct {
	mu    sync.Mutex
	count int
	last  time.Time
}

func (q *questions) ask() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count, q.last = q.count+1, time.Now()
}

func (q *questions) answered() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count = max(0, q.count-1)
}

// forget gives up the answers: another program may have got them.
func (q *questions) forget() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count = 0
}

func (q *questions) open() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count > 0
}

// lately reports whether an answer is likely.
func (q *questions) lately() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count > 0 && time.Since(q.last) < answerTime
}

// decoder turns the bytes of a terminal into messages, however they are cut. It decides
// where a key, a character, a sequence or a paste ends; what it means is Ultraviolet's to
// say. It is not safe for concurrent use.
type decoder struct {
	post  func(tea.Msg)
	asked *questions

	library *uv.TerminalReader // decodes the sequence in source
	source  bytes.Reader
	events  chan uv.Event

	held    []byte        // what has begun and not ended
	came    time.Time     // when its last bytes came
	gap     time.Duration // between the pieces of the last sequence, 0 if it came whole
	kitty   bool          // esc is a sequence, too
	escaped bool          // held begins with an ESC that was posted as the key
	marks   bool          // the terminal has said that it marks pastes

	pasting bool // held is a paste
	scanned int  // so much of it has no end
	paused  bool // the last paste was closed by a pause, and its rest may come

	enters []byte // keys, or the end of a line of a paste
	lines  []byte // a paste without marks
}

func newDecoder(term string, asked *questions, post func(tea.Msg)) *decoder {
	d := &decoder{post: post, asked: asked, events: make(chan uv.Event, 64)}
	d.library = uv.NewTerminalReader(&d.source, term)
	d.library.EscTimeout = time.Hour // it gets nothing but whole sequences
	return d
}

// run decodes until there are no more pieces.
func (d *decoder) run(pieces <-chan []byte) {
	timer := time.NewTimer(time.Hour)
	for {
		if wait := d.patience(); wait > 0 {
			timer.Reset(wait)
		} else {
			timer.Stop()
		}
		select {
		case b, ok := <-pieces:
			if !ok {
				return
			}
			d.decode(b, time.Now())
		case <-timer.C:
			select {
			case b, ok := <-pieces: // it was there in time
				if !ok {
					return
				}
				d.decode(b, time.Now())
			default:
				d.expire()
			}
		}
	}
}

// patience returns how long to wait for more bytes before [decoder.expire]; 0 is forever.
func (d *decoder) patience() time.Duration {
	switch {
	case d.pasting:
		return pasteTime
	case len(d.lines) > 0:
		return linesTime
	case len(d.enters) > 0:
		return lineTime
	case d.escaped && len(d.held) > 1:
		return slowTime
	case d.escaped || !endsInESC(d.held) && (d.kitty || d.paused || !isAlt(d.held)):
		return 0
	case d.kitty || d.asked.lately():
		return slowTime
	case isAlt(d.held):
		return max(altTime, min(3*d.gap, slowTime))
	}
	return max(escTime, min(3*d.gap, slowTime))
}

// endsInESC reports whether what has begun is an ESC, or ESC ESC: the same key twice, or
// the begin of a key with alt.
func endsInESC(b []byte) bool { return string(b) == esc || string(b) == esc+esc }

// isAlt reports whether what has begun may be a whole key with alt, perhaps behind the key
// esc.
func isAlt(b []byte) bool {
	n := len(b)
	return n >= 2 && endsInESC(b[:n-1]) && strings.IndexByte("[]OP_", b[n-1]) >= 0
}

// decode takes more bytes.
func (d *decoder) decode(b []byte, now time.Time) {
	gap := now.Sub(d.came)
	d.came = now
	if d.escaped && len(d.held) == 1 && (gap > slowTime && !d.paused || b[0] != '[' && (b[0] != ']' || !d.asked.open())) {
		d.held, d.escaped = nil, false // it was the key
	}
	torn := len(d.held) > 0 && !d.pasting
	if torn {
		d.gap = gap
	}
	if gap > together && frame(b) == len(b) {
		d.paused = false // that is a key
	}
	d.held = append(d.held, b...)
	for len(d.held) > 0 {
		if d.pasting {
			if !d.endPaste() {
				return
			}
			continue
		}
		if n := textLength(d.held); n > 0 {
			d.text(d.take(n))
			continue
		}
		n := frame(d.held)
		if n == 0 && d.held[0] >= utf8.RuneSelf {
			return // a character, which may belong to the lines
		}
		d.endLines()
		if n == 0 {
			return
		}
		if n > 1 && !torn {
			d.gap = 0
		}
		torn = false
		d.whole(d.take(n))
	}
}

// take removes the next bytes from those that wait.
func (d *decoder) take(n int) []byte {
	b := d.held[:n:n]
	d.held = d.held[n:]
	return b
}

// expire decides what the bytes mean that have waited long enough.
func (d *decoder) expire() {
	switch {
	case d.pasting:
		end := len(d.held)
		if d.scanned < end && strings.HasPrefix(ansi.BracketedPasteEnd, string(d.held[d.scanned:])) {
			end = d.scanned // perhaps its end
		} else {
			end -= len(unfinished(d.held))
		}
		d.pasting, d.paused = false, true
		d.paste(d.take(end))
		d.escaped = string(d.held) == esc
	case len(d.lines) > 0 || len(d.enters) > 0:
		d.endLines()
	case d.escaped:
		d.escaped = false
		tail := d.held[1:]
		d.held = nil
		d.keys(tail)
	case isAlt(d.held):
		if len(d.held) > 2 {
			d.post(uv.KeyPressEvent{Code: uv.KeyEscape})
		}
		d.deliver(d.sequence(d.held[len(d.held)-2:]))
		d.held = nil
	default:
		for range d.held {
			d.post(uv.KeyPressEvent{Code: uv.KeyEscape})
		}
		d.held, d.escaped = d.held[:1], true
	}
}

// whole decodes one sequence, control character or byte.
func (d *decoder) whole(b []byte) {
	escaped := d.escaped
	d.escaped = false
	switch string(b) {
	case ansi.BracketedPasteStart:
		d.pasting, d.scanned = true, 0
		return
	case ansi.BracketedPasteEnd:
		d.paused = false
		return
	}
	events := d.sequence(b)
	switch {
	case !unknown(events) && !(escaped && len(b) == 2):
		d.deliver(events)
	case escaped:
		d.keys(b[1:])
	case len(b) == 3: // no terminal sends it: alt+[ or alt+O, and another key
		d.deliver(d.sequence(b[:2]))
		d.keys(b[2:])
	}
}

// sequence returns what the library makes of a whole sequence.
func (d *decoder) sequence(b []byte) []uv.Event {
	if b[0] != ansi.ESC {
		_, e := d.library.Decode(b)
		return []uv.Event{e}
	}
	d.source.Reset(b)
	_ = d.library.StreamEvents(context.Background(), d.events)
	var list []uv.Event
	for len(d.events) > 0 {
		e := <-d.events
		if k, ok := e.(uv.KeyPressEvent); ok {
			e = uv.KeyPressEvent(onLatin(uv.Key(k), b))
		}
		list = append(list, e)
	}
	return list
}

func unknown(events []uv.Event) bool {
	for _, e := range events {
		switch e.(type) {
		case uv.UnknownEvent, uv.UnknownCsiEvent, uv.UnknownSs3Event:
		default:
			return false
		}
	}
	return true
}

// deliver posts what a sequence means.
func (d *decoder) deliver(events []uv.Event) {
	for _, e := range events {
		switch e := e.(type) {
		case uv.PrimaryDeviceAttributesEvent: // see questions
			d.asked.answered()
			continue
		case uv.KeyboardEnhancementsEvent:
			d.kitty = e.Flags&ansi.KittyDisambiguateEscapeCodes != 0
		case uv.ModeReportEvent:
			if e.Mode == ansi.ModeBracketedPaste {
				d.marks = e.Value.IsSet()
				continue
			}
		}
		d.post(e)
	}
}

// keys posts text as keys.
func (d *decoder) keys(text []byte) {
	for len(text) > 0 {
		n, e := d.library.Decode(text)
		if _, ok := e.(uv.UnknownEvent); !ok {
			d.post(e)
		}
		text = text[max(1, n):]
	}
}

// text takes characters, tabs and enters. Lines that come faster than anyone types are a
// paste, so that no line of it is sent: where pastes come without marks, each enter with
// text right behind it is part of one.
func (d *decoder) text(b []byte) {
	if len(d.lines) > 0 {
		d.lines = append(d.lines, b...)
		return
	}
	b = append(d.enters, b...)
	d.enters = nil
	if d.marks && !d.paused {
		words := bytes.TrimLeft(b, "\t\r\n")
		d.keys(b[:len(b)-len(words)])
		b = words
	}
	words, last := bytes.IndexAny(b, "\r\n"), len(bytes.TrimRight(b, "\r\n"))
	switch {
	case words < 0:
		d.keys(b)
	case words < last || d.paused:
		d.lines = bytes.Clone(b)
	case d.marks:
		d.keys(b)
	default:
		d.keys(b[:words])
		d.enters = bytes.Clone(b[words:])
	}
}

// endLines decides that no more lines come. Enters at once are one: the second of two keys may
// answer a question.
func (d *decoder) endLines() {
	if len(d.lines) > 0 {
		d.paste(d.lines)
	}
	if bytes.HasPrefix(d.enters, []byte("\r")) {
		d.enters = d.enters[:1]
	}
	d.keys(d.enters)
	d.lines, d.enters = nil, nil
}

// endPaste looks for the end of the paste. If that is lost, ctrl+c is one.
func (d *decoder) endPaste() bool {
	for {
		i := bytes.IndexAny(d.held[d.scanned:], "\x1b\x03")
		if i < 0 {
			d.scanned = len(d.held)
			return false
		}
		d.scanned += i
		rest := d.held[d.scanned:]
		n := 1
		if len(rest) == 1 && rest[0] == ansi.ESC {
			return false
		}
		if rest[0] == ansi.ESC && rest[1] == '[' {
			if n = frame(rest); n == 0 {
				return false
			}
		}
		if string(rest[:n]) == ansi.BracketedPasteEnd || isInterrupt(d.sequence(rest[:n])) {
			d.pasting = false
			text := d.take(d.scanned)
			d.take(n)
			d.paste(text)
			return true
		}
		d.scanned += n
	}
}

func isInterrupt(events []uv.Event) bool {
	if len(events) != 1 {
		return false
	}
	k, ok := events[0].(uv.KeyPressEvent)
	return ok && k.Keystroke() == "ctrl+c"
}

// paste posts a paste. What is not UTF-8 is left out.
func (d *decoder) paste(text []byte) {
	if len(text) > 0 {
		d.post(uv.PasteEvent{Content: string(bytes.ToValidUTF8(text, nil))})
	}
}

// unfinished returns the bytes of a character at the end that misses some.
func unfinished(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if tail := b[len(b)-i:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return nil
			}
			return tail
		}
	}
	return nil
}

// textLength returns how many of the bytes are text at their beginning: whole characters,
// tabs and enters. A key with a name of its own, such as tab, is text only among text.
func textLength(b []byte) int {
	n := 0
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size <= 1 || unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) {
			break
		}
		n += size
	}
	return n
}

// frame returns the length of what the bytes begin with: a character, a control character
// or a sequence. It is 0 as long as the rest is missing.
func frame(b []byte) int {
	switch {
	case len(b) == 0 || !utf8.FullRune(b):
		return 0
	case b[0] != ansi.ESC:
		_, n := utf8.DecodeRune(b)
		return n
	case len(b) == 1:
		return 0
	}
	switch b[1] {
	case '[':
		return csiFrame(b)
	case 'O':
		i := 2
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return endsAt(b, i, 0x21)
	case ']', 'P', '_':
		return stringFrame(b)
	}
	n := frame(b[1:])
	if n == 0 {
		return 0
	}
	return 1 + n
}

// endsAt returns the length of a sequence whose last byte is at i. If that byte is none
// that ends one, the sequence ends before it.
func endsAt(b []byte, i int, least byte) int {
	switch {
	case i >= len(b):
		return 0
	case b[i] < least || b[i] > 0x7e:
		return i
	}
	return i + 1
}

func csiFrame(b []byte) int {
	const x10 = 3 // bytes of a mouse event without SGR
	i := 2
	for i < len(b) && b[i] >= 0x30 && b[i] <= 0x3f {
		i++
	}
	params := i
	for i < len(b) && b[i] >= 0x20 && b[i] <= 0x2f {
		i++
	}
	switch {
	case i == params+1 && b[params] == '$' && params > 2 && bytes.Trim(b[2:params], "0123456789") == nil:
		return i // a key with shift, of rxvt
	case i == 2 && i < len(b) && b[i] == '[': // a function key of the Linux console
		return endsAt(b, i+1, 0x40)
	case i == 2 && i < len(b) && b[i] == 'M':
		event := b[i+1 : min(len(b), i+1+x10)]
		for n, c := range event {
			if c < ' ' {
				return i + 1 + n
			}
		}
		if len(event) < x10 {
			return 0
		}
		return i + 1 + x10
	}
	return endsAt(b, i, 0x40)
}

// stringFrame is for sequences that end with ST. What no terminal would answer is a key
// with alt: 2 bytes.
func stringFrame(b []byte) int {
	const key = 2
	body := b[key:]
	for i, c := range body {
		switch {
		case c == ansi.BEL && b[1] == ']':
			return key + i + 1
		case c == ansi.ESC && i+1 == len(body):
			return 0
		case c == ansi.ESC && body[i+1] == '\\':
			return key + i + 2
		case c < ' ' || c == ansi.DEL:
			if b[1] == ']' && !bytes.ContainsRune(body[:i], ';') {
				return key
			}
			return key + i // its end is lost
		case i == 0 && !begins(b[1], c):
			return key
		}
	}
	return 0
}

// begins reports whether an answer of a kind begins with a byte.
func begins(kind, c byte) bool {
	digit := c >= '0' && c <= '9'
	switch kind {
	case ']':
		return digit
	case 'P':
		return digit || c == '>' || c == '!'
	}
	return c == 'G'
}

// onLatin returns the key that shortcuts are about. With ctrl or alt, a key without a
// Latin letter is the one at its place on a keyboard that has one, and shift counts by
// the character that it makes: ctrl+shift+- is ctrl+_, as terminals without the protocol
// send it. seq is what the terminal has sent: the code of a key, of the same key with
// shift, and of that at its place, in kitty's protocol.
func onLatin(k uv.Key, seq []byte) uv.Key {
	k.BaseCode = 0
	if string(seq) == esc+"\b" { // where backspace sends ^H
		return uv.Key{Code: uv.KeyBackspace, Mod: uv.ModAlt}
	}
	if k.Mod&(uv.ModCtrl|uv.ModAlt) == 0 {
		return k
	}
	codes, ok := bytes.CutPrefix(seq, []byte(csi))
	if !ok || seq[len(seq)-1] != 'u' && !bytes.HasPrefix(codes, []byte("27;")) {
		return k
	}
	var parts [3]rune
	for i, part := range strings.SplitN(strings.TrimRight(strings.SplitN(string(codes), ";", 2)[0], "u"), ":", len(parts)) {
		n, _ := strconv.Atoi(part)
		parts[i] = rune(n)
	}
	shifted, base := parts[1], parts[2]
	if k.Code > unicode.MaxASCII && unicode.IsLetter(k.Code) && base > ' ' && base < unicode.MaxASCII {
		k.Code, shifted = base, 0
	}
	if k.Mod&uv.ModShift == 0 || k.Code <= ' ' || k.Code >= unicode.MaxASCII || unicode.IsLetter(k.Code) {
		return k
	}
	if shifted == 0 {
		shifted = onUS[k.Code]
	}
	if shifted > ' ' && shifted < unicode.MaxASCII {
		k.Code, k.Mod = shifted, k.Mod&^uv.ModShift
	}
	return k
}

// onUS are the characters that shift makes on a US keyboard, of those that are part of a
// key.
var onUS = map[rune]rune{'-': '_', '/': '?', ',': '<', '.': '>', '2': '@', '6': '^'}
