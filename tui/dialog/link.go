package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/safetext"
)

// Link asks whether to open an address. Nothing is opened or looked up before
// the person agrees; after that it waits until the agent says that it is done
// there.
type Link struct {
	question
	asked   *conversation.Elicitation
	address address
	// intro, said and where are what is always shown.
	intro, where, said *block

	copied bool
	opened bool
	done   bool
	err    error
}

func newLink(env Env, e *conversation.Elicitation, agent string) *Link {
	d := &Link{question: newQuestion(env), asked: e, address: look(e.Request.URL)}
	d.intro = newBlock(func(p paper) []string {
		return styled(prose(safetext.Line(agent)+" asks you to open an address in your browser.", p.width), p.th.Text)
	})
	d.where = newBlock(d.address.draw)
	d.said = newBlock(func(p paper) []string { return styled(prose(e.Request.Message, p.width), p.th.Muted) })
	d.offer()
	return d
}

// ID is that of the elicitation.
func (d *Link) ID() int { return d.asked.ID }

// Opened reports that the person has opened the address: the elicitation is
// answered, and the dialog waits for the agent to say that it is done there.
func (d *Link) Opened() bool { return d.opened }

// iOpened is taken once the person has opened the address without parley.
type iOpened struct{}

// offer puts together what can be answered now.
func (d *Link) offer() {
	list := []answer{}
	add := func(icon string, t tone, name, key string, a Action) {
		list = append(list, answer{icon: icon, tone: t, name: name, keys: []string{key}, action: a})
	}
	copies := Copy{d.address.raw}
	if d.opened {
		add("✓", good, "Done", "d", Close{})
		add("•", neutral, "Copy the address", "c", copies)
	} else {
		if d.address.opens {
			add("↗", good, "Open in the browser", "o", OpenURL{d.asked.ID, d.address.raw})
		}
		add("•", neutral, "Copy the address", "c", copies)
		if d.address.opens && d.copied {
			add("✓", good, "Go on: I have opened it myself", "g", iOpened{})
		}
		add("✗", bad, "Decline", "n", elicit(d.asked, acpclient.ElicitDecline, nil))
		add("•", neutral, "Cancel: no answer", "", elicit(d.asked, acpclient.ElicitCancel, nil))
		list[len(list)-1].keys = d.env.Keys.For("dialog_close")
	}
	d.answers = newAnswers(list)
}

// Failed says that the address could not be opened.
func (d *Link) Failed(err error) { d.err = err }

// Completed says that the agent knows it to be done.
func (d *Link) Completed() { d.done = true }

// Key implements [Dialog].
func (d *Link) Key(msg tea.KeyPressMsg) Action {
	a, taken := d.take(msg)
	switch act := a.(type) {
	case OpenURL:
		d.opened = true
		d.offer()
	case Copy:
		marked := d.answers.marked
		d.copied = true
		d.offer()
		d.answers.marked = marked
	case iOpened:
		d.opened = true
		d.offer()
		return elicit(d.asked, acpclient.ElicitAccept, nil)
	case nil:
		switch {
		case taken:
		case d.closes(msg):
			return Close{}
		default:
			return d.stray(msg)
		}
	default:
		return act
	}
	return a
}

// View implements [Dialog].
func (d *Link) View(width, maxHeight int) View {
	done := d.done || d.asked.Completed
	// What the agent says comes last: however long it is, host and warnings
	// stand above it.
	body := stack{d.intro, gap{}, d.where}
	if word := d.state(done); word != nil {
		body = append(body, gap{}, newBlock(word))
	}
	if strings.TrimSpace(d.asked.Request.Message) != "" {
		body = append(body, gap{}, d.said)
	}
	p := panel{title: "Open an address", body: body}
	return d.view(p, width, maxHeight)
}

// state draws what came of opening the address.
func (d *Link) state(done bool) func(paper) []string {
	switch {
	case done:
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
