package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Branch begins a log with the part of another session's conversation that comes before a
// prompt. Prompts count as in [conversation.Conversation.Prompts]; the number after the
// last one copies the whole conversation. The other log, which may be open, does not
// change. If a kill interrupts the copying, the new log opens as a session with what was
// copied. change, if not nil, edits the metadata of the new log.
func (s *Store) Branch(ctx context.Context, from ID, prompt int, change func(*Meta)) (_ *Log, err error) {
	m, err := s.Meta(from)
	if err != nil {
		return nil, err
	}
	var events []conversation.Event
	c := conversation.New()
	found := false
	for r, err := range s.Records(from) {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if r.Event == nil {
			continue
		}
		if _, queued := r.Event.(conversation.QueueChanged); queued {
			continue // the queue stays where it is
		}
		c.Apply(r.Event)
		if conversation.Says(r.Event) && len(c.Prompts()) >= prompt {
			found = true
			break
		}
		events = append(events, r.Event)
	}
	if !found && len(c.Prompts())+1 != prompt {
		return nil, fmt.Errorf("the stored session %s has no prompt %d", from, prompt)
	}
	m.ID, m.Created, m.Origin, m.OriginPrompt = "", time.Time{}, from, prompt
	if change != nil {
		change(&m)
	}
	l, err := s.Create(m)
	if err != nil {
		return nil, err
	}
	err = l.Append(append(events,
		conversation.SessionOpening{How: conversation.OpenNew}, // the agent's session is not this one
		conversation.NoticeAdded{
			Severity: acpclient.NoticeInfo, Title: "Continues an earlier session from here", Detail: "Session " + string(from),
		}))
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(l.path))
	}
	return l, nil
}
