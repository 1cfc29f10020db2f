package pages

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/record"
)

const (
	// readAtOnce is how many entries are read in one command.
	readAtOnce = 1000
	// pace is the shortest time between two readings of what comes: it is drawn then.
	pace = 50 * time.Millisecond
	// idlePace is the same while only messages are counted.
	idlePace = 250 * time.Millisecond
)

// readMessage is a message that was read.
type readMessage struct {
	record.Message
	// words are what it is filtered by, in lower case.
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
			msg.messages = append(msg.messages, readMessage{m, wordsOf(&m)})
		}
		msg.next, msg.behind, msg.version = next, next < end, reader.Version()
		return msg
	}
}

// wordsOf are the words by which a message is filtered.
func wordsOf(m *record.Message) string {
	return strings.ToLower(strings.Join([]string{m.Kind.String(), m.Label(), m.Method, m.Summary}, " "))
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
