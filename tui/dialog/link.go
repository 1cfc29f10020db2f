package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// Link asks whether to open an address. It opens and looks up nothing before the person
// agrees, and then waits until the agent reports completion.
type Link struct {
	question
	asked   *conversation.Elicitation
	address address
	// intro, where and message are the fixed parts.
	intro, where, message *block

	copied bool
	opened bool
	err    error
}

func newLink(env Env, e *conversation.Elicitation, agent string) *Link {
	d := &Link{question: newQuestion(env), asked: e, address: look(e.Request.URL)}
	d.intro = newBlock(func(p paper) []string {
		return styled(prose(termtext.Line(agent)+" asks you to open an address in your browser.", p.width), p.th.Text)
	})
	d.where = newBlock(d.address.draw)
	d.message = newBlock(func(p paper) []string { return styled(prose(e.Request.Message, p.width), p.th.Muted) })
	d.offer()
	return d
}

// Follow implements [AgentQuestion]. After the person has opened the address the question
// is answered, and the dialog stays until the person closes it.
func (d *Link) Follow(c *conversation.Conversation) State {
	switch {
	case isOpen(c, d.asked):
		return Open
	case d.opened:
		return Visiting
	}
	return Over
}

// openedByHand means that the person has opened the address without parley.
type openedByHand struct{}

func (openedByHand) action() {}

// offer sets the answers available now.
func (d *Link) offer() {
	list := []reply{}
	add := func(icon string, t tone, name, key string, a Action) {
		list = append(list, reply{icon: icon, tone: t, name: name, keys: []string{key}, action: a})
	}
	copies := Copy{d.address.raw}
	if d.opened {
		add("✓", good, "Done", "d", Close{})
		add("•", neutral, "Copy the address", "c", copies)
	} else {
		if d.address.opens {
			add("→", good, "Open in the browser", "o", OpenURL{d.asked.ID, d.address.raw})
		}
		add("•", neutral, "Copy the address", "c", copies)
		if d.address.opens && d.copied {
			add("✓", good, "Go on: I have opened it myself", "g", openedByHand{})
		}
		add("✗", bad, "Decline", "n", response(d.asked, acpclient.ElicitDecline, nil))
		add("•", neutral, "Cancel: no answer", "", response(d.asked, acpclient.ElicitCancel, nil))
		list[len(list)-1].keys = d.env.Keys.For("dialog_close")
	}
	d.replies = newReplies(list)
}

// Failed implements [Trying].
func (d *Link) Failed(err error) { d.err = err }

// Key implements [Dialog].
func (d *Link) Key(msg tea.KeyPressMsg) Action { return d.done(d.question.Key(msg)) }

// Mouse implements [Dialog].
func (d *Link) Mouse(msg tea.MouseMsg, x, y int) Action { return d.done(d.question.Mouse(msg, x, y)) }

// done updates the dialog after an answer.
func (d *Link) done(a Action) Action {
	switch a.(type) {
	case OpenURL:
		d.opened = true
		d.offer()
	case Copy:
		marked := d.replies.marked
		d.copied = true
		d.offer()
		d.replies.marked = marked
	case openedByHand:
		d.opened = true
		d.offer()
		return response(d.asked, acpclient.ElicitAccept, nil)
	}
	return a
}

// View implements [Dialog].
func (d *Link) View(width, maxHeight int) View {
	width = atMost(width)
	// The agent's message comes last, so that it cannot push host and warnings away.
	body := column{d.intro, gap{}, d.where}
	if word := d.state(); word != nil {
		body = append(body, gap{}, newBlock(word))
	}
	if strings.TrimSpace(d.asked.Request.Message) != "" {
		body = append(body, gap{}, d.message)
	}
	p := panel{title: "Open an address", body: body, asked: body[:3]}
	return d.view(p, width, maxHeight)
}

// state draws the outcome of opening the address.
func (d *Link) state() func(paper) []string {
	switch {
	case d.asked.Completed:
		return func(p paper) []string {
			return marked("✓", "The agent says that it is done.", p.width, p.th.Success)
		}
	case d.err != nil:
		return func(p paper) []string {
			return marked("✗", "It could not be opened: "+d.err.Error()+". Copy the address and open it yourself.", p.width, p.th.Error)
		}
	case d.opened:
		return func(p paper) []string {
			return styled(prose("Waiting for the agent to say that it is done there …", p.width), p.th.Info)
		}
	}
	return nil
}

// Hints implements [Dialog].
func (d *Link) Hints() []Hint {
	if d.opened {
		return d.hints("close")
	}
	return d.hints("cancel")
}
