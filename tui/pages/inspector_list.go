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
}

// filter says which messages are shown.
type filter struct {
	direction inspectorDirection
	kind      kindFilter
	wrong     bool   // only those that break the schema
	method    string // only those of this method; "" is all
	words     []string
}

type inspectorDirection uint8

const (
	bothWays inspectorDirection = iota
	onlySent
	onlyReceived
)

type kindFilter uint8

const (
	allKinds kindFilter = iota
	onlyCalls
	onlyNotifications
	onlyOutput
)

// passes reports whether a message is shown.
func (f *filter) passes(m *readMessage) bool {
	switch {
	case f.direction == onlySent && !m.Sent, f.direction == onlyReceived && m.Sent,
		f.wrong && len(m.Wrong) == 0, f.method != "" && m.Method != f.method:
		return false
	}
	kind := onlyOutput
	switch m.Kind {
	case record.Request, record.Answer:
		kind = onlyCalls
	case record.Notification:
		kind = onlyNotifications
	}
	if f.kind != allKinds && f.kind != kind {
		return false
	}
	return !slices.ContainsFunc(f.words, func(word string) bool { return !strings.Contains(m.words, word) })
}

// chips describe the filter, in a few words each.
func (f *filter) chips() (out []string) {
	out = append(out, [...]string{"", "sent only", "received only"}[f.direction],
		[...]string{"", "requests and answers", "notifications", "stderr and noise"}[f.kind])
	if f.wrong {
		out = append(out, "schema violations only")
	}
	if f.method != "" {
		out = append(out, "only "+f.method)
	}
	if len(f.words) > 0 {
		out = append(out, "with “"+strings.Join(f.words, " ")+"”")
	}
	return slices.DeleteFunc(out, func(chip string) bool { return chip == "" })
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
	if !l.filter.passes(&r.readMessage) {
		return
	}
	n := len(l.shown)
	if n == 0 || !l.folded || !r.Foldable(&l.rows[l.shown[n-1]].Message) {
		l.runs = append(l.runs, int32(n))
	}
	l.shown = append(l.shown, int32(i))
}

// rebuild filters all messages again; the mark stays on its message, or near it.
func (l *inspectorList) rebuild() {
	at, any := l.number()
	l.filterAll()
	if any {
		l.put(at)
	}
	l.fit()
}

func (l *inspectorList) filterAll() {
	l.shown, l.runs = l.shown[:0], l.runs[:0]
	for i := range l.rows {
		l.show(i)
	}
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
	at, any := l.number()
	l.rows = slices.Clone(l.rows[spareRows:])
	l.filterAll()
	if any {
		l.put(at)
		l.Top = l.Mark - below
	}
	l.fit()
}

// find returns the row of a number.
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
