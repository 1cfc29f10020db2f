package pages

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/record"
	"parley/tui/list"
)

// foundMsg: words were looked for.
type foundMsg struct {
	round  int
	query  list.Query
	number uint64
	found  bool
}

// search looks for the next message, or the one before, that has the words that were
// looked for last. Those that the filter hides are passed over.
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

// found goes to what was found.
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
	switch {
	case !ok:
		v.page.Say("no matching request or response", false)
	case !v.list.has(number):
		v.page.Say("the matching message is hidden", false)
	default:
		v.list.Follow = false
		v.list.put(number)
		v.list.fit()
		return v.load()
	}
	return nil
}

// partner is the number of the answer to a request, or of the request.
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
