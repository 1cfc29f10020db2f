package conversation

import (
	"encoding/json"
	"regexp"
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
)

// served tracks the commands that parley runs for the agent and that no tool call shows. Each
// gets a call of its own, so that the transcript lacks none.
type served struct {
	calls map[acpclient.TerminalID]*ToolCall
	// waiting are commands that a running call names, and so will probably show. Those left at
	// the end of the turn get a call.
	waiting []waitingCommand
}

type waitingCommand struct {
	TerminalCreated
	exited bool
}

// servedCall is a call that parley has created for a command.
type servedCall struct {
	call     *ToolCall
	terminal acpclient.TerminalID
}

func (e TerminalCreated) fold(s *State) {
	s.Said = true
	for _, t := range s.liveTools {
		if !t.ended() && t.names(e.Command) {
			s.served.waiting = append(s.served.waiting, waitingCommand{TerminalCreated: e})
			return
		}
	}
	s.serve(e)
}

func (e TerminalExited) fold(s *State) { s.servedExited(e.ID) }

// serve creates a call for a command.
func (s *State) serve(e TerminalCreated) {
	t := &ToolCall{Title: e.Command, Kind: acpclient.ToolExecute, Status: acpclient.ToolInProgress, Live: true, announced: s.turns}
	if s.served.calls == nil {
		s.served.calls = map[acpclient.TerminalID]*ToolCall{}
	}
	s.served.calls[e.ID] = t
	s.effect.served = append(s.effect.served, servedCall{t, e.ID})
}

// serveWaiting creates calls for the commands that no call has shown.
func (s *State) serveWaiting() {
	for _, w := range s.served.waiting {
		s.serve(w.TerminalCreated)
		if w.exited {
			s.servedExited(w.ID)
		}
	}
	s.served.waiting = nil
}

// servedExited ends the call of a command.
func (s *State) servedExited(id acpclient.TerminalID) {
	for i := range s.served.waiting {
		w := &s.served.waiting[i]
		w.exited = w.exited || w.ID == id
	}
	if t := s.served.calls[id]; t != nil {
		t.Status, t.Live = acpclient.ToolCompleted, false
		t.changed()
		s.effect.calls = append(s.effect.calls, t)
	}
}

// loseServed ends the calls of commands when the agent is gone.
func (s *State) loseServed() {
	s.serveWaiting()
	for _, t := range s.served.calls {
		t.Live = false
		t.changed()
	}
	s.served.calls = nil
}

// shownBy notes that a call shows terminals. A beginning call takes over the call that parley
// has created for the command; shownBy returns that one.
func (s *State) shownBy(content acpclient.ToolCallContents, begins bool) (taken *ToolCall) {
	for i := range content {
		c := &content[i]
		if c.Type != acpclient.ToolContentTerminal {
			continue
		}
		for i, e := range s.served.waiting {
			if e.ID == c.TerminalID {
				s.served.waiting = append(s.served.waiting[:i:i], s.served.waiting[i+1:]...)
				break
			}
		}
		if t := s.served.calls[c.TerminalID]; t != nil && taken == nil && begins {
			delete(s.served.calls, c.TerminalID)
			taken = t
		}
	}
	return taken
}

// shellLine matches what precedes the command line for a shell.
var shellLine = regexp.MustCompile(`^(\S*/)?(ba|z|da|k)?sh -[le]?c $`)

// names reports whether a call names a command in its title or its input.
func (t *ToolCall) names(command string) bool {
	if strings.Trim(t.Title, "` ") == command {
		return true
	}
	var input map[string]json.RawMessage
	if json.Unmarshal(t.RawInput, &input) != nil {
		return false
	}
	for _, raw := range input {
		var line string
		var words []string
		switch {
		case json.Unmarshal(raw, &line) == nil:
			before, ok := strings.CutSuffix(command, termtext.ShellWords([]string{line}))
			if line == command || ok && shellLine.MatchString(before) {
				return true
			}
		case json.Unmarshal(raw, &words) == nil && len(words) > 0:
			if termtext.ShellWords(words) == command {
				return true
			}
		}
	}
	return false
}

// showServed adds the calls that parley has created for commands.
func (c *Conversation) showServed() {
	for _, s := range c.effect.served {
		term := c.terminalByID(s.terminal)
		if len(term.users) > 0 {
			continue // another call shows it
		}
		c.embedTerminal(s.call, term)
		c.addItem(s.call)
	}
}
