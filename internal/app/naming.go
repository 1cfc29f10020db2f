package app

import (
	"cmp"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// titleWidth bounds the title of a session, in cells: it may be the agent's, and terminals
// pass the title of a window on as it is.
const titleWidth = 80

// ShortTitle is how a text begins, in one line that is fit to be drawn.
func ShortTitle(text string) string {
	if most := 16 * titleWidth; len(text) > most { // characters can be made of many bytes
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return termtext.Truncate(termtext.Line(text), titleWidth, "…")
}

// Naming is what a session is called: by the person, or by its first prompt.
type Naming struct {
	name  string
	asked string
}

// Name is what the person calls the session, "" if they have given it no name.
func (n *Naming) Name() string { return n.name }

// SetName gives the session a name; "" removes it.
func (n *Naming) SetName(name string) { n.name = ShortTitle(name) }

// Asked is how the first prompt begins.
func (n *Naming) Asked() string { return n.asked }

// Forget forgets the first prompt: another session begins.
func (n *Naming) Forget() { n.asked = "" }

// Remember takes the first prompt of a conversation.
func (n *Naming) Remember(c *conversation.Conversation) {
	n.asked = ""
	for _, item := range c.Items {
		m, ok := item.(*conversation.Message)
		if !ok || m.Chunk != acpclient.UserMessageChunk {
			continue
		}
		for i := range m.Parts {
			if n.asked = ShortTitle(m.Parts[i].Text()); n.asked != "" {
				return
			}
		}
	}
}

// Notice takes an event that was folded into a conversation.
func (n *Naming) Notice(e conversation.Event, c *conversation.Conversation) {
	switch e := e.(type) {
	case conversation.PromptSent:
		for _, b := range e.Prompt {
			if n.asked == "" {
				n.asked = ShortTitle(b.Text)
			}
		}
	case conversation.SessionOpening:
		if e.Clear && c.ID == "" { // else the same session comes again
			n.asked = ""
		}
	}
}

// Title returns what the session is called: by the person, by its own title, or by its
// first prompt; "" if there is none. It is the same in the tab line, in the window's title
// and in lists.
func (n *Naming) Title(own string) string {
	for _, words := range []string{n.name, own, n.asked} {
		if words = ShortTitle(words); words != "" {
			return words
		}
	}
	return ""
}

// Label is Title, or else the first of other names that is not empty.
func (n *Naming) Label(own string, others ...string) string {
	title := n.Title(own)
	for _, words := range others {
		title = cmp.Or(title, ShortTitle(words))
	}
	return cmp.Or(title, "new")
}
