package pages

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/internal/record"
	"parley/tui/dialog"
	"parley/tui/list"
	"parley/tui/theme"
)

// InspectorOptions configure an Inspector.
type InspectorOptions struct {
	// Context ends with the program.
	Context context.Context
	// Ring is the traffic to show.
	Ring  *record.Ring
	Host  Host
	Theme *theme.Theme
	Keys  config.Keys
	// Version is the version of the protocol that the session speaks, 0 if
	// unknown. It counts where the ring has dropped the beginning of the connection.
	Version func() int
	// Dir is the absolute directory in which recordings are saved by default.
	Dir string
	// Now is the clock.
	Now func() time.Time
}

// Inspector shows the protocol as it flows: every message between parley and an agent,
// its answer and how long that took, stderr, and what breaks the protocol's schema.
//
// It reads the ring that the session's taps feed, and keeps nothing while it is closed. It
// never waits: commands read, judge, search and write, and Update takes their results.
// Drawing costs only what is in sight. Not safe for concurrent use.
type Inspector struct {
	opt    InspectorOptions
	page   list.Page
	list   inspectorList
	detail *detail // nil if it is not shown
	line   purpose // what the user writes a line for

	round   int // counts the openings: results of earlier ones are dropped
	stop    context.CancelFunc
	ctx     context.Context // ends when the view is closed
	next    uint64          // the number of the entry to read next
	reading bool            // a command reads, or waits for more
	behind  bool            // there is more to read
	version int             // of the protocol at the end of the list; 0 if unknown
	paused  *pause          // nil while the list follows what happens

	sought  list.Query // what was looked for last
	looking context.CancelFunc

	width, height int // when it was last drawn
}

// pause is the state of a paused list.
type pause struct {
	since int            // the number of messages at that time
	held  []readMessage  // messages that were being read
	known inspectionDone // where to go on
}

var _ dialog.Dialog = (*Inspector)(nil)

// NewInspector makes an inspector; Open begins to show it.
func NewInspector(opt InspectorOptions) *Inspector {
	v := &Inspector{opt: opt, page: list.Page{Theme: opt.Theme}, list: inspectorList{folded: true}}
	v.list.Follow = true
	return v
}

// Ring returns the traffic that the view shows.
func (v *Inspector) Ring() *record.Ring { return v.opt.Ring }

// Covers marks a view that takes the whole screen.
func (v *Inspector) Covers() {}

// SetTheme implements dialog.Dialog. The message in full keeps its old colours until
// Recolour reads it again.
func (v *Inspector) SetTheme(th *theme.Theme) {
	v.opt.Theme, v.page.Theme = th, th
	if v.detail != nil {
		v.detail.stale = true
	}
}

// Recolour reads the message in full again if the theme has changed since.
func (v *Inspector) Recolour() tea.Cmd {
	if v.detail == nil || !v.detail.stale {
		return nil
	}
	return v.load()
}

// InspectorMsg is the result of a command of an Inspector.
type InspectorMsg interface{ inspector() }

type (
	// readMsg: entries were read and judged.
	readMsg struct {
		round    int
		messages []readMessage
		inspectionDone
	}
	// waitedMsg: there is more to count while the list stands still.
	waitedMsg struct{ round int }
)

// inspectionDone says how far the ring was read.
type inspectionDone struct {
	next    uint64
	behind  bool
	version int
	reader  *record.Inspector
}

func (readMsg) inspector()   {}
func (waitedMsg) inspector() {}
func (loadedMsg) inspector() {}
func (foundMsg) inspector()  {}
func (copyMsg) inspector()   {}
func (savedMsg) inspector()  {}

// Open begins to show the view.
func (v *Inspector) Open() tea.Cmd {
	if v.ctx != nil && v.ctx.Err() == nil {
		return nil
	}
	v.Close()
	v.opt.Ring.KeepMore()
	v.round++
	v.ctx, v.stop = context.WithCancel(v.opt.Context)
	return v.read(record.NewInspector(v.opt.Version()))
}

// Stop ends the command that waits for more. It is safe for concurrent use.
func (v *Inspector) Stop() {
	if v.stop != nil {
		v.stop()
	}
}

// Close forgets what was read, but not the filter.
func (v *Inspector) Close() {
	v.Stop()
	v.list = inspectorList{folded: v.list.folded, filter: v.list.filter}
	v.list.Follow = true
	v.detail, v.line, v.next, v.reading, v.behind, v.version, v.paused = nil, noPurpose, 0, false, false, 0, nil
	v.sought = list.Query{}
	v.page.Written()
	v.page.Hush()
	v.ctx = nil
}

// Update handles the result of a command. open says whether the view is open.
func (v *Inspector) Update(msg InspectorMsg, open bool) tea.Cmd {
	if !open {
		if v.ctx != nil {
			v.Close()
		}
		return nil
	}
	switch msg := msg.(type) {
	case readMsg:
		return v.took(msg)
	case waitedMsg:
		if msg.round == v.round {
			v.reading = false
			return v.wait()
		}
	case loadedMsg:
		return v.loaded(msg)
	case foundMsg:
		return v.found(msg)
	case copyMsg:
		if msg.text == "" {
			v.page.Say("the message is no longer kept", true)
			return nil
		}
		return v.opt.Host.Copy(msg.what, msg.text)
	case savedMsg:
		words := fmt.Sprintf("saved %s entries to %s", theme.Grouped(msg.entries), msg.path)
		switch {
		case errors.Is(msg.err, fs.ErrExist):
			words = msg.path + " already exists; choose another name"
		case msg.err != nil:
			words = "not saved: " + msg.err.Error()
		case msg.gone:
			words += "; earlier ones are no longer kept"
		}
		v.page.Say(words, msg.err != nil)
	}
	return nil
}

// took handles what was read, and reads on.
func (v *Inspector) took(msg readMsg) tea.Cmd {
	if msg.round != v.round {
		return nil
	}
	v.reading = false
	if v.paused != nil {
		v.paused.held, v.paused.known = msg.messages, msg.inspectionDone
		return v.wait()
	}
	v.add(msg.messages, msg.inspectionDone)
	return tea.Batch(v.read(msg.reader), v.load())
}

// add adds messages to the list.
func (v *Inspector) add(messages []readMessage, done inspectionDone) {
	for i := range messages {
		v.list.add(&messages[i])
	}
	v.list.trim()
	v.list.fit()
	v.next, v.behind, v.version = done.next, done.behind, done.version
}

// togglePause pauses or resumes the list.
func (v *Inspector) togglePause() tea.Cmd {
	if v.paused == nil {
		v.paused = &pause{since: v.opt.Ring.Total()}
		return nil
	}
	p := v.paused
	v.paused = nil
	v.list.Follow = true
	if p.known.reader == nil { // a command is still reading
		return nil
	}
	v.add(p.held, p.known)
	// The command that waits is outdated.
	v.round++
	v.reading = false
	return tea.Batch(v.read(p.known.reader), v.load())
}

// purpose is the purpose of the input in the foot.
type purpose uint8

const (
	noPurpose purpose = iota
	filtering
	searching
	saving
)

// purposes are the label and the placeholder of the input.
var purposes = [...]struct{ lead, hint string }{
	filtering: {"filter", "text in a message"}, searching: {"find", "words"}, saving: {"save to", "a file"},
}

// Key implements dialog.Dialog.
func (v *Inspector) Key(k tea.KeyPressMsg) dialog.Action {
	if v.page.Writes() {
		return stay(v.writingKey(k))
	}
	v.page.Hush()
	name := k.String()
	if row := inspectorRows().Pressed(v.opt.Keys, name, config.ContextInspector, config.ContextTranscript, config.ContextPrompt); row != nil {
		return row.Do(v)
	}
	return nil
}

// inspectorRows are the commands of the inspector.
func inspectorRows() command.Rows[pageFunc[*Inspector]] {
	const farthest = 1 << 30
	move := func(by int) pageFunc[*Inspector] { return runs(func(v *Inspector) tea.Cmd { return v.move(by) }) }
	page := func(by int) pageFunc[*Inspector] { return runs(func(v *Inspector) tea.Cmd { return v.pageBy(by) }) }
	scroll := func(by int) pageFunc[*Inspector] { return runs(func(v *Inspector) tea.Cmd { return v.scroll(by) }) }
	find := func(by int) pageFunc[*Inspector] { return runs(func(v *Inspector) tea.Cmd { return v.search(by) }) }
	lists := func(change func(*inspectorList)) pageFunc[*Inspector] {
		return runs(func(v *Inspector) tea.Cmd {
			change(&v.list)
			v.list.rebuild()
			return v.load()
		})
	}
	return command.Rows[pageFunc[*Inspector]]{
		{ID: command.InspectorClose, Keys: "q esc", Help: "Close the message, close it", Do: (*Inspector).back},
		{ID: command.InspectorUp, Keys: "K", Help: "Scroll the message up", Do: scroll(-1)},
		{ID: command.InspectorDown, Keys: "J", Help: "Scroll the message down", Do: scroll(1)},
		{ID: command.InspectorPair, Keys: "p", Help: "To the answer or the request", Do: runs((*Inspector).pair)},
		{ID: command.InspectorFilter, Keys: "f", Help: "Filter by words", Do: just(func(v *Inspector) { v.write(filtering, ""); v.filterBy("") })},
		{ID: command.InspectorDirection, Keys: "d", Help: "Filter by direction", Do: lists(func(l *inspectorList) { l.filter.direction = (l.filter.direction + 1) % 3 })},
		{ID: command.InspectorKind, Keys: "t", Help: "Filter by kind", Do: lists(func(l *inspectorList) { l.filter.kind = (l.filter.kind + 1) % 4 })},
		{ID: command.InspectorMethod, Keys: "m", Help: "Filter by this method", Do: lists((*inspectorList).toggleMethod)},
		{ID: command.InspectorWrong, Keys: "w", Help: "Filter by schema violations", Words: "errors invalid", Do: lists(func(l *inspectorList) { l.filter.wrong = !l.filter.wrong })},
		{ID: command.InspectorAll, Keys: "a", Help: "Show all messages", Do: lists(func(l *inspectorList) { l.filter = filter{} })},
		{ID: command.InspectorFold, Keys: "z", Help: "Toggle folding of notifications", Do: lists(func(l *inspectorList) { l.folded = !l.folded })},
		{ID: command.InspectorPause, Keys: "space", Help: "Pause, resume", Do: runs((*Inspector).togglePause)},
		{ID: command.InspectorSave, Keys: "s", Help: "Save all as a recording", Do: just(func(v *Inspector) {
			v.write(saving, filepath.Join(v.opt.Dir, "parley-"+v.opt.Now().Format("20060102-150405")+".jsonl"))
		})},

		{ID: command.Expand, Do: runs((*Inspector).toggleDetail)},
		{ID: command.Next, Do: move(1)},
		{ID: command.Previous, Do: move(-1)},
		{ID: "first", Do: move(-farthest)},
		{ID: "last", Do: move(farthest)},
		{ID: command.Search, Do: just(func(v *Inspector) { v.write(searching, "") })},
		{ID: command.FindNext, Do: find(1)},
		{ID: command.FindPrev, Do: find(-1)},
		{ID: command.Copy, Do: runs((*Inspector).copy)},
		{ID: command.Inspector, Do: (*Inspector).close},
		{ID: "page_up", Do: page(-1)},
		{ID: "page_down", Do: page(1)},
		{ID: command.LineUp, Do: scroll(-1)},
		{ID: command.LineDown, Do: scroll(1)},
	}
}

// InspectorGroup adds the commands of the inspector to a group.
func InspectorGroup(g config.Group) config.Group { return inspectorRows().Group(g) }

func (v *Inspector) close() dialog.Action {
	v.Close()
	return dialog.Close{}
}

// back closes the message, or the inspector.
func (v *Inspector) back() dialog.Action {
	if v.detail == nil {
		return v.close()
	}
	v.detail = nil
	return nil
}

// toggleMethod shows only messages with the marked one's method, or those with any.
func (l *inspectorList) toggleMethod() {
	if l.filter.method != "" {
		l.filter.method = ""
	} else if rows := l.selected(); len(rows) > 0 {
		l.filter.method = l.rows[rows[0]].Method
	}
}

// toggleDetail shows or hides the marked message in full.
func (v *Inspector) toggleDetail() tea.Cmd {
	if v.detail != nil {
		v.detail = nil
		return nil
	}
	if v.list.selected() == nil {
		return nil
	}
	v.detail = &detail{stale: true}
	return v.load()
}

// move moves the mark.
func (v *Inspector) move(by int) tea.Cmd {
	v.list.move(by)
	return v.load()
}

// scroll scrolls the message in full if it is shown, else the list.
func (v *Inspector) scroll(by int) tea.Cmd {
	if v.detail != nil {
		v.detail.By(by)
		return nil
	}
	v.list.scroll(by)
	return nil
}

// pageBy scrolls by pages.
func (v *Inspector) pageBy(by int) tea.Cmd {
	if v.detail != nil {
		v.detail.By(by * max(1, v.detail.Height-1))
		return nil
	}
	return v.move(by * max(1, v.list.Height-1))
}

// write shows the input.
func (v *Inspector) write(p purpose, text string) {
	v.line = p
	v.page.Write(purposes[p].lead, purposes[p].hint, text)
}

// writingKey handles a key for the input.
func (v *Inspector) writingKey(k tea.KeyPressMsg) tea.Cmd {
	switch name := k.String(); {
	case v.opt.Keys.Match(command.Cancel, name):
		if v.page.Written(); v.line == filtering {
			v.filterBy("")
		}
		return v.load()
	case name == "enter":
		return v.written()
	case v.page.Line.Key(k) && v.line == filtering:
		v.filterBy(v.page.Line.Text())
		return v.load()
	}
	return nil
}

// written handles the finished input.
func (v *Inspector) written() tea.Cmd {
	text := v.page.Written()
	switch v.line {
	case searching:
		v.sought = list.NewQuery(strings.ToLower(text))
		if v.detail != nil {
			v.detail.forget()
		}
		return v.search(1)
	case saving:
		return v.save(text)
	}
	return v.load()
}

// Paste implements dialog.Dialog: it writes into the line.
func (v *Inspector) Paste(text string) dialog.Action {
	if !v.page.Writes() {
		return nil
	}
	v.page.Line.Paste(text)
	if v.line == filtering {
		v.filterBy(v.page.Line.Text())
	}
	return stay(v.load())
}

// Mouse implements dialog.Dialog: the wheel scrolls the part below the pointer, a click
// marks a line, and a click on the marked one toggles the message in full.
func (v *Inspector) Mouse(msg tea.MouseMsg, x, y int) dialog.Action {
	p, line := v.layout(), list.BodyLine(y)
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if v.detail != nil && (p.beside && x > p.list || !p.beside && line > p.rows) {
			v.detail.By(list.Notch(m))
			return nil
		}
		v.list.scroll(list.Notch(m))
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft || x > p.list {
			return nil
		}
		if v.list.Click(line) {
			return stay(v.toggleDetail())
		}
		v.list.move(0)
	}
	return stay(v.load())
}

const (
	// readAtOnce is the number of entries read per command.
	readAtOnce = 1000
	// pace is the shortest time between two readings of what comes: it is drawn then.
	pace = 50 * time.Millisecond
	// idlePace is the same while only messages are counted.
	idlePace = 250 * time.Millisecond
)

// readMessage is a message that was read.
type readMessage struct {
	record.Message
	// words are the filter's words, in lower case.
	words string
}

// read waits until there is more, and reads and judges it.
func (v *Inspector) read(reader *record.Inspector) tea.Cmd {
	if v.reading {
		return nil
	}
	v.reading = true
	ctx, ring, from, round, waits := v.ctx, v.opt.Ring, v.next, v.round, !v.behind
	return func() tea.Msg {
		ring.Wait(ctx, from)
		if waits {
			select {
			case <-ctx.Done():
			case <-time.After(pace):
			}
		}
		msg := readMsg{round: round}
		msg.reader, msg.next = reader, from
		if ctx.Err() != nil {
			return nil
		}
		entries, next := ring.Read(from, readAtOnce)
		first, end := ring.Span()
		missing := from < first && from != next
		for i := range entries {
			m := reader.Take(entries[i], missing && i == 0)
			words := strings.Join([]string{m.Kind.String(), m.Label(), m.Method, m.Summary}, " ")
			msg.messages = append(msg.messages, readMessage{m, strings.ToLower(words)})
		}
		msg.next, msg.behind, msg.version = next, next < end, reader.Version()
		return msg
	}
}

// wait waits until there is more to count.
func (v *Inspector) wait() tea.Cmd {
	if v.reading {
		return nil
	}
	v.reading = true
	ctx, ring, round := v.ctx, v.opt.Ring, v.round
	_, end := ring.Span()
	return func() tea.Msg {
		ring.Wait(ctx, end)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(idlePace):
		}
		return waitedMsg{round}
	}
}

// body is the text of a message, and its index among those read with it.
type body struct {
	at   int
	text string
}

// bodies returns messages by their numbers, and how many are left out because the ring has
// dropped them or they exceed the bound.
func bodies(ring *record.Ring, numbers []uint64, most int) (all []body, left int) {
	size := 0
	for i, number := range numbers {
		if size > most {
			return all, left + len(numbers) - i
		}
		e, kept := ring.At(number)
		if !kept {
			left++
			continue
		}
		text := record.PrettyJSON(e.Data)
		size += len(text)
		all = append(all, body{i, text})
	}
	return all, left
}

// foundMsg: words were looked for.
type foundMsg struct {
	round  int
	query  list.Query
	number uint64
	found  bool
}

// search looks for the next or the previous message with the words of the last search.
// It skips messages that the filter hides.
func (v *Inspector) search(by int) tea.Cmd {
	if v.sought.Empty() || len(v.list.runs) == 0 {
		return nil
	}
	if v.looking != nil {
		v.looking()
	}
	ctx, cancel := context.WithCancel(v.ctx)
	v.looking = cancel
	numbers := v.numbersFrom(by)
	ring, round, query := v.opt.Ring, v.round, v.sought
	return func() tea.Msg {
		defer cancel()
		for _, number := range numbers {
			if ctx.Err() != nil {
				return nil
			}
			e, kept := ring.At(number)
			if !kept {
				continue
			}
			if _, _, found := query.Next(record.PrettyJSON(e.Data), 0); found {
				return foundMsg{round, query, number, true}
			}
		}
		return foundMsg{round: round, query: query}
	}
}

// numbersFrom returns the numbers of all messages in the list in the order of the search:
// from the line after the marked one, or before it, around to that one.
func (v *Inspector) numbersFrom(by int) []uint64 {
	l := &v.list
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

// found goes to the match.
func (v *Inspector) found(msg foundMsg) tea.Cmd {
	if msg.round != v.round || msg.query != v.sought {
		return nil
	}
	if !msg.found {
		v.page.Say("no match for “"+msg.query.String()+"”", false)
		return nil
	}
	v.list.Follow = false
	v.list.put(msg.number)
	v.list.fit()
	if v.detail != nil {
		v.detail.seek = true
		v.detail.forget()
	}
	return v.load()
}

// pair goes to the answer to the marked request, or to the request that is answered.
func (v *Inspector) pair() tea.Cmd {
	rows := v.list.selected()
	if len(rows) == 0 {
		return nil
	}
	number, ok := partner(&v.list.rows[rows[0]])
	i, kept := v.list.find(number)
	switch {
	case !ok:
		v.page.Say("no matching request or response", false)
	case !kept || !v.list.filter.passes(&v.list.rows[i].readMessage):
		v.page.Say("the matching message is hidden", false)
	default:
		v.list.Follow = false
		v.list.put(number)
		v.list.fit()
		return v.load()
	}
	return nil
}

// partner returns the number of the answer to a request, or of the request to an answer.
func partner(r *row) (uint64, bool) {
	if r.Kind == record.Request {
		return r.answeredBy, r.answered
	}
	return r.Answers, r.Kind == record.Answer && r.Method != ""
}

// filterBy shows only messages that have all words of a text.
func (v *Inspector) filterBy(text string) {
	v.list.filter.words = strings.Fields(strings.ToLower(text))
	v.list.rebuild()
}

// copyMsg: messages were read, to be copied.
type copyMsg struct{ what, text string }

// mostCopied limits the bytes of messages that are copied.
const mostCopied = 16 << 20

// copy copies the messages of the marked line.
func (v *Inspector) copy() tea.Cmd {
	rows := v.list.selected()
	if len(rows) == 0 {
		v.page.Say("nothing to copy", false)
		return nil
	}
	numbers := make([]uint64, len(rows))
	for i, row := range rows {
		numbers[i] = v.list.rows[row].Number
	}
	what := "the message"
	if n := len(rows); n > 1 {
		what = fmt.Sprintf("%d messages", n)
	}
	ring := v.opt.Ring
	return func() tea.Msg {
		all, _ := bodies(ring, numbers, mostCopied)
		texts := make([]string, len(all))
		for i := range all {
			texts[i] = all[i].text
		}
		return copyMsg{what, strings.Join(texts, "\n")}
	}
}

// savedMsg: a recording was saved, or could not be.
type savedMsg struct {
	path    string
	entries int
	gone    bool // the ring has dropped older entries
	err     error
}

// save saves the ring as a recording.
func (v *Inspector) save(path string) tea.Cmd {
	path = strings.TrimSpace(path)
	if path == "" {
		return nil
	}
	ring, dir := v.opt.Ring, v.opt.Dir
	return func() tea.Msg {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				path = filepath.Join(home, rest)
			}
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		first, _ := ring.Span()
		n, err := ring.Save(path)
		return savedMsg{path, n, first > 0, err}
	}
}
