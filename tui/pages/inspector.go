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
	// Ring is the traffic to show.
	Ring *record.Ring
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
// It reads the ring that the session's taps feed, and keeps nothing but its filter while it is
// closed.
type Inspector struct {
	page
	opt     InspectorOptions
	list    inspectorList
	detail  *detail // nil if it is not shown
	reading latest  // of the detail
	behind  bool    // there is more to read
	version int     // of the protocol at the end of the list; 0 if unknown

	sought  list.Query // what was looked for last
	looking context.CancelFunc

	width, height int // when it was last drawn
}

var _ dialog.Dialog = (*Inspector)(nil)

// NewInspector makes an inspector; Open begins to show it.
func NewInspector(env Env, opt InspectorOptions) *Inspector {
	v := &Inspector{opt: opt, list: inspectorList{folded: true}}
	v.page = newPage(env, config.ContextInspector, v.table)
	v.list.Follow = true
	v.after = v.load
	return v
}

// Ring returns the traffic that the view shows.
func (v *Inspector) Ring() *record.Ring { return v.opt.Ring }

// SetTheme implements dialog.Dialog. The message in full keeps its old colours until
// Recolour reads it again.
func (v *Inspector) SetTheme(th *theme.Theme) {
	v.page.SetTheme(th)
	if v.detail != nil {
		v.detail.stale = true
	}
}

// Recolour reads the message in full again if the theme has changed since.
func (v *Inspector) Recolour() tea.Cmd { return v.Host.Do(v.load) }

// Open begins to show the view.
func (v *Inspector) Open() tea.Cmd {
	return v.Host.Do(func() {
		v.opt.Ring.KeepMore()
		v.read(record.NewInspector(v.opt.Version()), 0, false)
	})
}

// Gone implements dialog.Dialog: it forgets what was read, but not the filter.
func (v *Inspector) Gone() {
	v.page.Gone()
	v.list = inspectorList{folded: v.list.folded, filter: v.list.filter}
	v.list.Follow = true
	v.detail, v.behind, v.version, v.sought = nil, false, 0, list.Query{}
}

const (
	// readAtOnce is the number of entries read per command.
	readAtOnce = 1000
	// pace is the shortest time between two readings of what comes: it is drawn then.
	pace = 50 * time.Millisecond
)

// readMessage is a message that was read.
type readMessage struct {
	record.Message
	// words are the filter's words, in lower case.
	words string
}

// read waits until there is more than the entries before one, reads and judges it, and goes on.
func (v *Inspector) read(reader *record.Inspector, from uint64, behind bool) {
	open, ring := v.open, v.opt.Ring
	v.later(func(context.Context) func() {
		ring.Wait(open, from)
		if !behind {
			select {
			case <-open.Done():
			case <-time.After(pace):
			}
		}
		if open.Err() != nil {
			return nil
		}
		entries, next := ring.Read(from, readAtOnce)
		first, end := ring.Span()
		missing := from < first && from != next
		messages := make([]readMessage, len(entries))
		for i := range entries {
			m := reader.Take(entries[i], missing && i == 0)
			words := strings.Join([]string{m.Kind.String(), m.Label(), m.Method, m.Summary}, " ")
			messages[i] = readMessage{m, strings.ToLower(words)}
		}
		version := reader.Version()
		return func() {
			v.add(messages)
			v.behind, v.version = next < end, version
			v.read(reader, next, v.behind)
			v.load()
		}
	})
}

// add adds messages to the list.
func (v *Inspector) add(messages []readMessage) {
	for i := range messages {
		v.list.add(&messages[i])
	}
	v.list.trim()
	v.list.fit()
}

// table has the commands of the inspector.
func (v *Inspector) table() rows {
	inFull := func() bool { return v.detail != nil }
	scroll := func(by int) does {
		return when(inFull, func() {
			if v.detail != nil {
				v.detail.By(by)
			} else {
				v.list.scroll(by)
			}
		}, "scroll")
	}
	find := func(by int) does {
		return when(func() bool { return !v.sought.Empty() }, func() { v.search(by) }, "next")
	}
	lists := func(change func(*inspectorList), hint string) does {
		return always(func() { v.list.rebuild(func() { change(&v.list) }) }, hint)
	}
	// turns filters by the next of words that exclude each other.
	turns := func(words ...string) func(*inspectorList) {
		return func(l *inspectorList) { l.filter = l.filter.turned(words) }
	}
	return append(rows{
		{ID: command.Expand, Do: when(func() bool { return v.detail == nil }, v.toggleDetail, "show")},
		{ID: "inspector_scroll_up", Keys: "K", Help: "Scroll the message up", Do: scroll(-1)},
		{ID: "inspector_scroll_down", Keys: "J", Help: "Scroll the message down", Do: scroll(1)},
		{ID: "inspector_pause", Keys: "space", Help: "Pause, resume", Do: either(func() bool { return v.list.paused }, v.list.togglePause, "resume", "pause")},
		{ID: command.FindNext, Do: find(1)},
		{ID: command.FindPrev, Do: find(-1)},
		{ID: command.Search, Do: when(func() bool { return v.sought.Empty() }, func() {
			v.writeLine(input{lead: "find", enter: "find", esc: "cancel", done: v.seek}, "words", "")
		}, "find")},
		{ID: "inspector_filter", Keys: "f", Help: "Filter by words", Do: always(func() {
			v.writeLine(input{lead: "filter", enter: "apply", esc: "cancel", typed: v.filterBy}, "words of a message; sent, received, calls, notifications, output, invalid", v.list.filter.text())
		}, "filter")},
		{ID: "inspector_direction", Keys: "d", Help: "Filter by direction", Do: lists(turns("sent", "received"), "direction")},
		{ID: "inspector_kind", Keys: "t", Help: "Filter by kind", Do: lists(turns("calls", "notifications", "output"), "kind")},
		{ID: "inspector_method", Keys: "m", Help: "Filter by this method", Do: lists((*inspectorList).turnMethod, "method")},
		{ID: "inspector_wrong", Keys: "w", Help: "Filter by schema violations", Words: "errors invalid", Do: lists(turns("invalid"), "violations")},
		{ID: "inspector_all", Keys: "a", Help: "Show all messages", Do: when(func() bool { return len(v.list.filter) > 0 }, func() { v.filterBy("") }, "all")},
		{ID: "inspector_pair", Keys: "p", Help: "To the answer or the request", Do: always(v.pair, "pair")},
		{ID: command.Copy, Do: always(v.copy, "copy")},
		{ID: "inspector_save", Keys: "s", Help: "Save all as a recording", Do: always(func() {
			v.writeLine(input{lead: "save to", enter: "save", esc: "cancel", done: v.save}, "a file",
				filepath.Join(v.opt.Dir, "parley-"+v.opt.Now().Format("20060102-150405")+".jsonl"))
		}, "save")},
		{ID: "inspector_fold", Keys: "z", Help: "Toggle folding of notifications", Do: lists(func(l *inspectorList) { l.folded = !l.folded }, "fold")},
		{ID: "inspector_close", Keys: "q esc", Help: "Close the message, close it", Do: always(v.back, "close")},
		{ID: command.Inspector, Do: quiet(v.close)},
		{ID: command.LineUp, Do: quiet(scroll(-1).do)},
		{ID: command.LineDown, Do: quiet(scroll(1).do)},
		{ID: "page_up", Do: quiet(func() { v.pageBy(-1) })},
		{ID: "page_down", Do: quiet(func() { v.pageBy(1) })},
	}, moving(v.list.move, func() int { return v.list.Height })...)
}

// InspectorGroup adds the commands of the inspector to a group.
func InspectorGroup(g config.Group) config.Group { return new(Inspector).table().Group(g) }

// back closes the message, or the inspector.
func (v *Inspector) back() {
	if v.detail == nil {
		v.close()
	}
	v.detail = nil
}

// toggleDetail shows or hides the marked message in full.
func (v *Inspector) toggleDetail() {
	switch {
	case v.detail != nil:
		v.detail = nil
	case v.list.selected() != nil:
		v.detail = &detail{stale: true}
	}
}

// pageBy scrolls by pages: the message in full if it is shown, else the list.
func (v *Inspector) pageBy(by int) {
	if v.detail != nil {
		v.detail.Page(by)
		return
	}
	v.list.move(by * max(1, v.list.Height-1))
}

// Mouse implements dialog.Dialog: the wheel scrolls the part below the pointer, a click
// marks a line, and a click on the marked one toggles the message in full.
func (v *Inspector) Mouse(msg tea.MouseMsg, x, y int) dialog.Action {
	p, line := v.parts(), bodyLine(y)
	return v.act(func() {
		switch m := msg.(type) {
		case tea.MouseWheelMsg:
			if v.detail != nil && (p.beside && x > p.list || !p.beside && line > p.rows) {
				v.detail.Wheel(m)
			} else {
				v.list.scroll(list.Notch(m))
			}
		case tea.MouseClickMsg:
			switch {
			case m.Button != tea.MouseLeft || x > p.list:
			case v.list.Click(line):
				v.toggleDetail()
			default:
				v.list.move(0)
			}
		}
	})
}

// seek looks for words that the user has typed.
func (v *Inspector) seek(words string) {
	v.sought = list.NewQuery(strings.ToLower(words))
	if v.detail != nil {
		v.detail.find(v.sought.String(), 0)
	}
	v.search(1)
}

// search looks for the next or the previous message with the words of the last search, and goes
// to it. It skips messages that the filter hides.
func (v *Inspector) search(by int) {
	if v.sought.Empty() || len(v.list.runs) == 0 {
		return
	}
	if v.looking != nil {
		v.looking()
	}
	ctx, cancel := context.WithCancel(v.open)
	v.looking = cancel
	numbers, ring, query := v.list.numbersFrom(by), v.opt.Ring, v.sought
	v.later(func(context.Context) func() {
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
				return func() {
					if query == v.sought {
						v.goTo(number)
						if v.detail != nil {
							v.detail.find(query.String(), 0)
						}
						v.load()
					}
				}
			}
		}
		return func() { v.say("no match for “" + query.String() + "”") }
	})
}

// goTo marks a message.
func (v *Inspector) goTo(number uint64) {
	v.list.Follow = false
	v.list.put(number)
	v.list.fit()
}

// pair goes to the answer to the marked request, or to the request that is answered.
func (v *Inspector) pair() {
	rows := v.list.selected()
	if len(rows) == 0 {
		return
	}
	number, ok := partner(&v.list.rows[rows[0]])
	i, kept := v.list.find(number)
	switch {
	case !ok:
		v.say("no matching request or response")
	case !kept || !v.list.passes(&v.list.rows[i].readMessage):
		v.say("the matching message is hidden")
	default:
		v.goTo(number)
	}
}

// filterBy shows only messages that have all words of a text.
func (v *Inspector) filterBy(text string) {
	v.list.rebuild(func() { v.list.filter = strings.Fields(strings.ToLower(text)) })
}

// mostCopied limits the bytes of messages that are copied.
const mostCopied = 16 << 20

// copy copies the messages of the marked line.
func (v *Inspector) copy() {
	rows := v.list.selected()
	if len(rows) == 0 {
		v.say("nothing to copy")
		return
	}
	numbers := make([]uint64, len(rows))
	for i, row := range rows {
		numbers[i] = v.list.rows[row].Number
	}
	what := "the message"
	if n := len(rows); n > 1 {
		what = fmt.Sprintf("%d messages", n)
	}
	v.later(func(context.Context) func() {
		all, _ := bodies(v.opt.Ring, numbers, mostCopied)
		texts := make([]string, len(all))
		for i := range all {
			texts[i] = all[i].text
		}
		return func() {
			if len(all) == 0 {
				v.fail("the message is no longer kept")
				return
			}
			v.Host.Copy(what, strings.Join(texts, "\n"))
		}
	})
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

// save saves the ring as a recording.
func (v *Inspector) save(path string) {
	path = strings.TrimSpace(path)
	if path == "" {
		return
	}
	v.later(func(context.Context) func() {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				path = filepath.Join(home, rest)
			}
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(v.opt.Dir, path)
		}
		first, _ := v.opt.Ring.Span()
		n, err := v.opt.Ring.Save(path)
		return func() {
			words := fmt.Sprintf("saved %s entries to %s", theme.Grouped(n), path)
			switch {
			case errors.Is(err, fs.ErrExist):
				v.fail(path + " already exists; choose another name")
			case err != nil:
				v.fail("not saved: " + err.Error())
			case first > 0:
				v.say(words + "; earlier ones are no longer kept")
			default:
				v.say(words)
			}
		}
	})
}
