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

// Branch begins a log with the conversation of another session up to before a prompt,
// counted as [conversation.Conversation.Prompts] does; one more than there are means the
// whole conversation. The other log, which may be open, does not change. A log that a kill
// leaves unfinished opens as a new session below what was copied. change may change what
// the new log says of its session; it may be nil.
func (s *Store) Branch(ctx context.Context, from ID, prompt int, change func(*Meta)) (_ *Log, err error) {
	m, err := s.Meta(from)
	if err != nil {
		return nil, err
	}
	var events []conversation.Event
	c := conversation.New()
	found := false
	for r, err := range s.Records(from, 0) {
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
		if worthALog(r.Event) && len(c.Prompts()) >= prompt {
			found = true
			break
		}
		events = append(events, r.Event)
	}
	if !found && len(c.Prompts())+1 != prompt {
		return nil, fmt.Errorf("the stored session %s has no prompt %d", from, prompt)
	}
	m.Created, m.Origin, m.OriginPrompt = time.Time{}, from, prompt
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
		err = l.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(l.path))
	}
	return l, nil
}
