package dialog

import (
	"strings"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

// Link asks whether to open an address. It opens and looks up nothing before the user
// agrees, and then waits until the agent reports completion.
type Link struct {
	question
	asked   *conversation.Elicitation
	address app.Address
	// intro, where and message are the fixed parts.
	intro, where, message *block

	copied bool
	opened bool
	err    error
}

// newLink asks whether to open the address of an elicitation.
func newLink(env Env, e *conversation.Elicitation, agent string) *Link {
	d := &Link{question: newQuestion(env), asked: e, address: app.ExamineURL(e.Request.URL)}
	d.intro = newBlock(func(p renderContext) []string {
		return styled(prose(termtext.Line(agent)+" asks you to open a URL in your browser.", p.width), p.th.Text)
	})
	d.where = newBlock(func(p renderContext) []string { return drawAddress(d.address, p) })
	d.message = newBlock(func(p renderContext) []string { return styled(prose(e.Request.Message, p.width), p.th.Muted) })
	d.answer = d.given
	d.offer()
	return d
}

// Follow implements [AgentQuestion]. After the user has opened the address the question
// is answered, and the dialog stays until the user closes it.
func (d *Link) Follow(c *conversation.Conversation) State {
	switch {
	case c.Asks(d.asked):
		return Open
	case d.opened:
		return Visiting
	}
	return Over
}

// offer sets the answers available now.
func (d *Link) offer() {
	list := []reply{}
	add := func(icon string, t tone, name, key string, a Action) {
		list = append(list, reply{icon: icon, tone: t, name: name, keys: []string{key}, action: a})
	}
	copies := Copy{d.address.URL}
	if d.opened {
		add("✓", good, "Done", "d", Close{})
		add("•", neutral, "Copy the URL", "c", copies)
	} else {
		if d.address.Opens {
			add("→", good, "Open in the browser", "o", OpenURL{d.asked.Seen, d.address.URL})
		}
		add("•", neutral, "Copy the URL", "c", copies)
		if d.address.Opens && d.copied {
			add("✓", good, "Continue: I opened it myself", "g", Answer{app.Respond(d.asked, acpclient.ElicitAccept, nil)})
		}
		add("✗", bad, "Decline", "n", Answer{app.Respond(d.asked, acpclient.ElicitDecline, nil)})
		add("•", neutral, "Cancel: no answer", "", Answer{app.Respond(d.asked, acpclient.ElicitCancel, nil)})
		if list[len(list)-1].keys = nil; !d.env.Foreign {
			list[len(list)-1].keys = d.env.Keys.For(command.DialogClose)
		}
	}
	d.replies = newReplies(list)
}

// Failed shows why the address could not be opened.
func (d *Link) Failed(err error) { d.err = err }

// given updates the dialog after an answer.
func (d *Link) given(r reply) Action {
	marked := -1
	switch a := r.action.(type) {
	case OpenURL:
		d.opened = true
	case Copy:
		d.copied, marked = true, d.replies.marked
	case Answer:
		d.opened = a.Act.(session.Answer).Form.Action == acpclient.ElicitAccept
	}
	d.offer()
	d.replies.marked = marked
	return r.action
}

// View implements [Dialog].
func (d *Link) View(width, maxHeight int) View {
	width = min(width, widest)
	// The agent's message comes last, so that it cannot push host and warnings away.
	body := column{d.intro, gap, d.where}
	if word := d.state(); word != nil {
		body.add(newBlock(word))
	}
	if strings.TrimSpace(d.asked.Request.Message) != "" {
		body.add(d.message)
	}
	p := panel{title: "Open a URL" + d.env.asker(), body: body, asked: body[:3]}
	return d.view(p, width, maxHeight)
}

// state draws the outcome of opening the address.
func (d *Link) state() func(renderContext) []string {
	switch {
	case d.asked.Completed:
		return func(p renderContext) []string {
			return marked("✓", "The agent says it is done.", p.width, p.th.Success)
		}
	case d.err != nil:
		return func(p renderContext) []string {
			return marked("✗", "Cannot open it: "+d.err.Error()+". Copy the URL and open it yourself.", p.width, p.th.Error)
		}
	case d.opened:
		return func(p renderContext) []string {
			return styled(prose("Waiting for the agent to confirm…", p.width), accent(p.th))
		}
	}
	return nil
}

// Hints implements [Dialog].
func (d *Link) Hints() []Hint {
	if d.opened {
		return d.hints("close")
	}
	return d.hints(d.env.closing("cancel"))
}

// drawAddress draws the host on its own lines, then the warnings, then the complete address.
func drawAddress(a app.Address, p renderContext) []string {
	th := p.th
	var out []string
	row := func(label, value string, style func(...string) string) {
		column := 9
		if p.width < 2*column { // put the label above
			out = append(out, th.Muted.Render(cut(label, p.width)))
			column = 0
		}
		for i, l := range termtext.Break(termtext.Visible(value), p.width-column) {
			if i > 0 {
				label = ""
			}
			out = append(out, th.Muted.Render(pad(label, column))+style(l))
		}
	}
	if a.Host != "" {
		row("host", a.Host, th.Strong.Render)
	}
	if a.Other != "" {
		row("that is", a.Other, th.Strong.Render)
	}
	for _, w := range a.Warnings {
		out = append(out, marked("!", w, p.width, th.Warning)...)
	}
	row("address", a.URL, accent(th).Render)
	if !a.Opens {
		out = append(out, marked("✗", "parley will not open this: "+a.Why+".", p.width, th.Error)...)
	}
	return out
}

// NewElicitation shows a request for input: a [Form], or a [Link] to open. agent is the
// agent's name, or "".
func NewElicitation(env Env, e *conversation.Elicitation, agent string) AgentQuestion {
	if agent == "" {
		agent = "The agent"
	}
	if e.Request.Mode == acpclient.ElicitURL {
		return newLink(env, e, agent)
	}
	return newForm(env, e, agent)
}
