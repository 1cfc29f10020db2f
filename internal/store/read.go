package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// AmbiguousError means that several sessions match a prefix.
type AmbiguousError struct {
	Prefix string
	One    ID // one of them
	Count  int
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d stored sessions have ids that begin with %q", e.Count, e.Prefix)
}

// Resolve finds a session by a prefix of its id. The error wraps ErrNotStored if no id
// matches, and is an *AmbiguousError if several do.
func (s *Store) Resolve(prefix string) (ID, error) {
	if !ID(prefix).valid() {
		return "", fmt.Errorf("%q: %w", prefix, ErrNotStored)
	}
	files, err := s.logs()
	if err != nil {
		return "", err
	}
	fit := Named(files, prefix, func(f logFile) []string { return []string{string(f.id)} })
	switch len(fit) {
	case 0:
		return "", fmt.Errorf("%q: %w", prefix, ErrNotStored)
	case 1:
		return fit[0].id, nil
	}
	return "", &AmbiguousError{prefix, fit[0].id, len(fit)}
}

// Named returns what a name means among things that have ids: the one with this id, or all with an
// id that begins with it.
func Named[T any](all []T, name string, ids func(T) []string) (found []T) {
	for _, t := range all {
		switch of := ids(t); {
		case name == "":
		case slices.Contains(of, name):
			return []T{t}
		case slices.ContainsFunc(of, func(id string) bool { return strings.HasPrefix(id, name) }):
			found = append(found, t)
		}
	}
	return found
}

// metaWithin limits the records at the start of a log in which to look for the session
// record, because the first one may be damaged.
const metaWithin = 8

// Meta returns the metadata of a session from the beginning of its log.
func (s *Store) Meta(id ID) (Meta, error) {
	looked := 0
	for r, err := range s.Records(id) {
		if err != nil {
			return Meta{}, err
		}
		if r.Meta != nil {
			m := *r.Meta
			m.ID = id
			return m, nil
		}
		if looked++; looked == metaWithin {
			break
		}
	}
	return Meta{}, fmt.Errorf("the stored session %s: the beginning of its log is damaged", id)
}

// Transcript is a stored session, folded for display.
type Transcript struct {
	Meta Meta
	// Title is the user's title for the session, or "".
	Title        string
	Conversation *conversation.Conversation
	// Ending are events that complete what the log leaves open, since its writer may
	// have stopped at any moment. The conversation already includes them; to continue the
	// log, write them first.
	Ending []conversation.Event
	// Damaged counts the lines of the log that could not be read.
	Damaged int

	// sent are the prompts that may still be in the queue, as no line that could be read says that they have left it.
	sent [][]acpclient.ContentBlock
}

// errEnded is the reason why the agent of a stored session is gone.
var errEnded = errors.New("parley has ended")

// Read folds a stored session. It reads the whole log.
func (s *Store) Read(ctx context.Context, id ID) (*Transcript, error) {
	t := &Transcript{Meta: Meta{ID: id}, Conversation: conversation.New()}
	here := 0          // damaged lines since the last intact one
	queueLost := false // there was one since the last one with a queue
	for r, err := range s.Records(id) {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if r.Damaged {
			t.Damaged++
			here++
			queueLost = true
			continue
		}
		if here > 0 {
			t.Conversation.Apply(damage(here, damagedHere)) // not stored
		}
		here = 0
		switch {
		case r.Meta != nil:
			t.Meta = *r.Meta
			t.Meta.ID = id
			t.Conversation.Cwd = r.Meta.Cwd
		case r.Title != nil:
			t.Title = *r.Title
		case r.Event != nil:
			if _, is := r.Event.(conversation.QueueChanged); is || !queueLost {
				t.sent, queueLost = nil, false
			}
			if sent, is := r.Event.(conversation.PromptSent); is {
				t.sent = append(t.sent, sent.Prompt)
			}
			t.Conversation.Apply(r.Event)
		}
	}
	t.end()
	return t, nil
}

// The notices about lines that cannot be read.
const (
	damagedHere    = "Damaged: cannot read %s of the stored session here"
	damagedInTotal = "Damaged: cannot read %s of the stored session in total"
)

func damage(lines int, words string) conversation.NoticeAdded {
	return conversation.NoticeAdded{
		Severity: acpclient.NoticeWarning, Title: fmt.Sprintf(words, termtext.Count(lines, "line")),
	}
}

// end completes what is open. Queued prompts stay queued, except those that were sent: the
// removal from the queue is logged after the sending, and the writer may have stopped
// in between, or its line may be damaged.
func (t *Transcript) end() {
	c := t.Conversation
	if total := damage(t.Damaged, damagedInTotal); t.Damaged > 0 && !c.Noted(total.Title) {
		total.Subject = total.Title
		t.Ending = append(t.Ending, total)
	}
	if c.Turn.Running {
		t.Ending = append(t.Ending, conversation.NoticeAdded{
			// parley was killed, runs still, or could not store the rest.
			Severity: acpclient.NoticeWarning, Title: "What is stored ends in the middle of this turn",
		})
	}
	for _, r := range c.Running() { // no command outlives the process that ran it
		t.Ending = append(t.Ending, conversation.TerminalExited{ID: r.ID})
	}
	t.Ending = append(t.Ending, conversation.AgentLost{Err: errEnded})
	waits := conversation.Unclaimed(c.Queue)
	// A prompt that was sent begins with the text of the queued one; the contents of files
	// follow.
	for _, sent := range t.sent {
		if len(waits) > 0 && len(sent) > 0 && len(waits[0].Prompt) > 0 && sent[0].Text == waits[0].Prompt[0].Text {
			waits = waits[1:]
		}
	}
	if len(waits) < len(c.Queue) || len(waits) > 0 && !c.QueuePaused {
		t.Ending = append(t.Ending, conversation.QueueChanged{Queue: waits, Paused: len(waits) > 0})
	}
	for _, e := range t.Ending {
		c.Apply(e)
	}
}
