package pages

import (
	"slices"
	"sort"
	"strings"

	"parley/internal/record"
	"parley/tui/list"
)

const (
	// mostRows is the maximum number of messages in the list, the same as in the ring.
	mostRows = 100_000
	// spareRows is how many more it may have, so that it rarely drops the oldest.
	spareRows = 25_000
)

// row is a message in the list.
type row struct {
	readMessage
	answeredBy uint64 // the number of the answer to it
	answered   bool
}

// inspectorList is the filtered list of messages. While it is folded, a run of messages
// that continue each other is one line.
type inspectorList struct {
	list.Window // on the lines; it follows what comes while the last is marked
	rows        []row
	shown       []int32 // which of the rows pass the filter
	runs        []int32 // where in shown each line begins
	filter      filter
	folded      bool
	wrong       int // the rows that break the schema
	// paused shows no messages from a number on.
	paused bool
	until  uint64
}

// filter is words of which a message that is shown has all.
type filter []string

// special are the words that stand for more than text, with what the head says of them.
var special = map[string]struct {
	chip string
	fits func(*readMessage) bool
}{
	"sent":          {"sent only", func(m *readMessage) bool { return m.Sent }},
	"received":      {"received only", func(m *readMessage) bool { return !m.Sent }},
	"calls":         {"requests and answers", func(m *readMessage) bool { return m.Kind == record.Request || m.Kind == record.Answer }},
	"notifications": {"notifications", func(m *readMessage) bool { return m.Kind == record.Notification }},
	"output":        {"stderr and noise", func(m *readMessage) bool { return m.Kind >= record.NoiseMessage }},
	"invalid":       {"schema violations only", func(m *readMessage) bool { return len(m.Wrong) > 0 }},
}

// thisMethod begins a word that stands for the messages of one method.
const thisMethod = "="

func (f filter) text() string { return strings.Join(f, " ") }

// passes reports whether a message has all words.
func (f filter) passes(m *readMessage) bool {
	for _, word := range f {
		s, is := special[word]
		method, of := strings.CutPrefix(word, thisMethod)
		if is && !s.fits(m) || of && strings.ToLower(m.Method) != method || !is && !of && !strings.Contains(m.words, word) {
			return false
		}
	}
	return true
}

// turned returns the filter with the next of words that exclude each other, or without them
// after the last one.
func (f filter) turned(words []string) filter {
	at := slices.IndexFunc(words, func(word string) bool { return slices.Contains(f, word) })
	f = slices.DeleteFunc(slices.Clone(f), func(word string) bool { return slices.Contains(words, word) })
	if at+1 < len(words) {
		f = append(f, words[at+1])
	}
	return f
}

// chips describe the filter, in a few words each.
func (f filter) chips() (out []string) {
	var plain []string
	for _, word := range f {
		method, of := strings.CutPrefix(word, thisMethod)
		if s, is := special[word]; is {
			out = append(out, s.chip)
		} else if of {
			out = append(out, "only "+method)
		} else {
			plain = append(plain, word)
		}
	}
	if plain != nil {
		out = append(out, "with “"+strings.Join(plain, " ")+"”")
	}
	return out
}

// turnMethod shows only messages with the marked one's method, or those with any.
func (l *inspectorList) turnMethod() {
	word := thisMethod
	if rows := l.selected(); len(rows) > 0 {
		word += strings.ToLower(l.rows[rows[0]].Method)
	}
	if at := slices.IndexFunc(l.filter, func(word string) bool { return strings.HasPrefix(word, thisMethod) }); at >= 0 {
		word = l.filter[at]
	}
	if word != thisMethod {
		l.filter = l.filter.turned([]string{word})
	}
}

// passes reports whether a message is shown.
func (l *inspectorList) passes(m *readMessage) bool {
	return (!l.paused || m.Number < l.until) && l.filter.passes(m)
}

// add adds a message.
func (l *inspectorList) add(m *readMessage) {
	if len(m.Wrong) > 0 {
		l.wrong++
	}
	l.rows = append(l.rows, row{readMessage: *m})
	if m.Kind == record.Answer && m.Method != "" {
		if i, ok := l.find(m.Answers); ok {
			l.rows[i].answered, l.rows[i].answeredBy, l.rows[i].Took = true, m.Number, m.Took
		}
	}
	l.show(len(l.rows) - 1)
}

// show adds a row to what is shown, if it passes the filter.
func (l *inspectorList) show(i int) {
	r := &l.rows[i]
	if !l.passes(&r.readMessage) {
		return
	}
	n := len(l.shown)
	if n == 0 || !l.folded || !r.Foldable(&l.rows[l.shown[n-1]].Message) {
		l.runs = append(l.runs, int32(n))
	}
	l.shown = append(l.shown, int32(i))
}

// togglePause pauses or resumes the list.
func (l *inspectorList) togglePause() {
	if l.paused = !l.paused; l.paused {
		l.until = 0
		if n := len(l.rows); n > 0 {
			l.until = l.rows[n-1].Number + 1
		}
		return
	}
	l.Follow = true
	l.rebuild(func() {})
}

// later is how many messages a paused list does not show.
func (l *inspectorList) later() int {
	if !l.paused {
		return 0
	}
	i, _ := l.find(l.until)
	return len(l.rows) - i
}

// rebuild filters all messages again after a change; the mark stays on its message, or near it.
func (l *inspectorList) rebuild(change func()) {
	at, any := l.number()
	change()
	l.shown, l.runs = l.shown[:0], l.runs[:0]
	for i := range l.rows {
		l.show(i)
	}
	if any {
		l.put(at)
	}
	l.fit()
}

// trim drops the oldest messages if there are too many.
func (l *inspectorList) trim() {
	if len(l.rows) < mostRows+spareRows {
		return
	}
	for i := range l.rows[:spareRows] {
		if len(l.rows[i].Wrong) > 0 {
			l.wrong--
		}
	}
	below := l.Mark - l.Top
	l.rebuild(func() { l.rows = slices.Clone(l.rows[spareRows:]) })
	l.Top = l.Mark - below
	l.fit()
}

// find returns the row of a number, or where it would be.
func (l *inspectorList) find(number uint64) (int, bool) {
	i := sort.Search(len(l.rows), func(i int) bool { return l.rows[i].Number >= number })
	return i, i < len(l.rows) && l.rows[i].Number == number
}

// run returns the rows of a line.
func (l *inspectorList) run(line int) []int32 {
	from, to := l.runs[line], len(l.shown)
	if line+1 < len(l.runs) {
		to = int(l.runs[line+1])
	}
	return l.shown[from:to]
}

// first returns the first row of a line.
func (l *inspectorList) first(line int) *row { return &l.rows[l.shown[l.runs[line]]] }

// selected returns the rows of the marked line, nil without one.
func (l *inspectorList) selected() []int32 {
	if l.Mark < 0 || l.Mark >= len(l.runs) {
		return nil
	}
	return l.run(l.Mark)
}

// number returns the number of the first message of the marked line.
func (l *inspectorList) number() (uint64, bool) {
	if rows := l.selected(); len(rows) > 0 {
		return l.rows[rows[0]].Number, true
	}
	return 0, false
}

// numbersFrom returns the numbers of all messages shown in the order of a search: from the line
// after the marked one, or before it, around to that one.
func (l *inspectorList) numbersFrom(by int) []uint64 {
	n := len(l.shown)
	at := int(l.runs[l.Mark])
	if by > 0 {
		at += len(l.selected()) - 1
	}
	numbers := make([]uint64, 0, n)
	for i := 1; i <= n; i++ {
		numbers = append(numbers, l.rows[l.shown[((at+by*i)%n+n)%n]].Number)
	}
	return numbers
}

// partner returns the number of the answer to a request, or of the request to an answer.
func partner(r *row) (uint64, bool) {
	if r.Kind == record.Request {
		return r.answeredBy, r.answered
	}
	return r.Answers, r.Kind == record.Answer && r.Method != ""
}

// put marks the line with a message, or the one before it.
func (l *inspectorList) put(number uint64) {
	line := sort.Search(len(l.runs), func(i int) bool { return l.first(i).Number > number }) - 1
	l.Mark = max(0, line)
}

// move moves the mark down by lines.
func (l *inspectorList) move(by int) {
	l.Move(by)
	l.Follow = by >= 0 && l.AtLast()
}

// scroll scrolls by lines. The mark stays in view.
func (l *inspectorList) scroll(by int) {
	l.By(by)
	l.Follow = by >= 0 && l.AtLast()
}

// fit tells the window how many lines there are.
func (l *inspectorList) fit() { l.Fit(len(l.runs), l.Height) }
