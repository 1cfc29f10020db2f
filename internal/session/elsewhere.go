package session

import (
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
)

// elsewhere finds in what an agent replays of a session the turns that its transcript lacks, since
// the user went on in another program. Its zero value finds none.
type elsewhere struct {
	told []string // the user's messages of the transcript, those that the replay has passed left out
	all  int      // how many there were

	message []*acpclient.SessionNotification // the user's message that is being replayed
	seen    int                              // how many were
	more    []*acpclient.SessionNotification // all since the first message behind those of the transcript
}

// take takes an update of the replay of an agent with quirks.
func (e *elsewhere) take(n *acpclient.SessionNotification, q conversation.Quirks) {
	c, isChunk := n.Update.(*acpclient.ContentChunk)
	isUser := isChunk && c.Chunk == acpclient.UserMessageChunk && !conversation.Nested(c.Meta) && !q.Interrupted(c)
	if !isUser || len(e.message) > 0 && e.message[0].Update.(*acpclient.ContentChunk).MessageID != c.MessageID {
		e.end()
	}
	switch {
	case e.all == 0:
	case isUser:
		e.message = append(e.message, n)
	case e.more != nil:
		e.more = append(e.more, n)
	}
}

// end compares a message of the user, once it is whole, with those of the transcript.
func (e *elsewhere) end() {
	if e.message == nil {
		return
	}
	var text strings.Builder
	for _, n := range e.message {
		text.WriteString(n.Update.(*acpclient.ContentChunk).Content.Text)
	}
	e.seen++
	if i := slices.IndexFunc(e.told, func(told string) bool { return strings.Contains(text.String(), told) }); i >= 0 {
		e.told, e.more = e.told[i+1:], nil
	} else {
		e.more = append(e.more, e.message...)
	}
	e.message = nil
}

// showElsewhere adds the turns that were found. Where the replay has nothing of the transcript, such
// as after a summary, it only says that there are more. s.mu must be held.
func (s *Session) showElsewhere() {
	e := &s.agent.elsewhere
	e.end()
	switch more := e.more; {
	case more == nil:
	case len(e.told) < e.all:
		s.warnOnce(wentOn, "The session went on in another program", "The turns from there follow.")
		for _, n := range more {
			s.post(s.agent.event(n))
		}
		s.agent.quiet = len(e.told) > 0 // what follows is new, too
	case e.seen > e.all:
		s.warnOnce(wentOn, "The agent has more of this session than parley",
			fmt.Sprintf("It replays %d prompts, none of which is among the %d above: the session may have gone on in another program.", e.seen, e.all))
	}
	e.more = nil
}

// wentOn is the subject of the warning.
const wentOn = "elsewhere"
