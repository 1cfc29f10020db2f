// This file is what the line of tabs tells of a tab: what it is called, and what has
// come of it while nobody looked.

package tab

import (
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// maxTitle bounds the title of a tab, in cells: it is the agent's, and terminals give the
// title of a window to others as it is.
const maxTitle = 80

// turnEnd is how a turn has ended that nobody has seen.
type turnEnd uint8

// How a turn has ended.
const (
	turnSeen turnEnd = iota // none has, or it was seen
	turnWell
	turnBadly
)

// Standing is how things stand in a tab. Its zero value is that of a new one in the
// background.
type tabInfo struct {
	shown  bool    // the tab is on the screen
	name   string  // the person's own for it
	asked  string  // the first words of the first prompt
	turns  int     // that have ended
	unseen turnEnd // of the last turn, if it was in the background
}

// Show says that the tab is on the screen: all is seen.
func (s *tabInfo) Show() { s.shown, s.unseen = true, turnSeen }

// Hide says that it is in the background.
func (s *tabInfo) Hide() { s.shown = false }

// Unseen is how the last turn has ended that nobody has seen.
func (s *tabInfo) Unseen() turnEnd { return s.unseen }

// Turns is how many turns have ended.
func (s *tabInfo) Turns() int { return s.turns }

// Name is what the person calls the tab, "" if they have given it no name, and Asked the
// first words of the first prompt.
func (s *tabInfo) Name() string { return s.name }

// Asked is described with Name.
func (s *tabInfo) Asked() string { return s.asked }

// SetName gives the tab a name of the person's own; "" takes it away.
func (s *tabInfo) SetName(name string) { s.name = standingTitle(name) }

// Forget forgets what was asked: another session begins.
func (s *tabInfo) Forget() { s.asked = "" }

// Remember takes what was asked from a conversation that is there already.
func (s *tabInfo) Remember(c *conversation.Conversation) { s.asked = firstAsked(c) }

// Label is what the tab is called: by the person, by its title, by what was asked, or by
// the first of the agent's names that there is.
func (s *tabInfo) Label(title string, names ...string) string {
	for _, words := range append([]string{s.name, title, s.asked}, names...) {
		if words = termtext.Truncate(termtext.Line(words), maxTitle, "…"); words != "" {
			return words
		}
	}
	return "new"
}

// Notice notes an event, which was taken into a conversation.
func (s *tabInfo) Notice(e conversation.Event, c *conversation.Conversation) {
	switch e := e.(type) {
	case conversation.PromptSent:
		if s.asked == "" {
			s.asked = firstWords(e)
		}
	case conversation.TurnEnded:
		s.turns++
		switch {
		case s.shown:
		case e.Err != nil:
			s.unseen = turnBadly
		default:
			s.unseen = turnWell
		}
	case conversation.SessionOpening:
		if e.Clear && c.ID == "" { // else the same one comes again
			s.asked = ""
		}
	}
}

// firstWords are the beginning of what a prompt says.
func firstWords(p conversation.PromptSent) string {
	for _, b := range p.Prompt {
		if words := standingTitle(b.Text); words != "" {
			return words
		}
	}
	return ""
}

// firstAsked are the first words of the first prompt of a conversation.
func firstAsked(c *conversation.Conversation) string {
	for _, item := range c.Items {
		m, ok := item.(*conversation.Message)
		if !ok || m.Chunk != acpclient.UserMessageChunk {
			continue
		}
		for i := range m.Parts {
			if words := standingTitle(m.Parts[i].Text()); words != "" {
				return words
			}
		}
	}
	return ""
}

// title is how a text begins, on one line.
func standingTitle(text string) string {
	if most := 16 * maxTitle; len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return termtext.Truncate(termtext.Line(text), maxTitle, "…")
}
