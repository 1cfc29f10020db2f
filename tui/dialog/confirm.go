package dialog

import (
	"math"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/termtext"
)

// New returns the dialog of a question of parley's own.
func New(env Env, q app.Question) Dialog {
	if q.Enter != nil || q.EnterHere != nil {
		return newEntry(env, q)
	}
	return newConfirm(env, q)
}

// confirm is a question of parley's own with choices. Nothing is marked at first.
type confirm struct {
	question
	asked app.Question
	about content
}

func newConfirm(env Env, q app.Question) *confirm {
	d := &confirm{question: newQuestion(env), asked: q}
	for _, c := range q.Choices {
		a := reply{icon: "•", name: termtext.Line(c.Name), more: termtext.Line(c.More), action: Chosen{c}}
		if c.Risky {
			a.tone, a.enterOnly = bad, true
		}
		if c.Key != "" {
			a.keys = []string{c.Key}
		}
		d.replies.list = append(d.replies.list, a)
	}
	if q.Detail != "" {
		d.about = newBlock(func(p renderContext) []string {
			return barred(prose(q.Detail, max(1, p.width-2)), p.th.Muted, p.th)
		})
		d.scroll.Top = math.MaxInt
		return d
	}
	about := column{newBlock(func(p renderContext) []string { return styled(prose(q.Text, p.width), p.th.Text) })}
	if q.Lines != nil {
		about.add(newBlock(func(p renderContext) (out []string) {
			for _, l := range q.Lines {
				out = append(out, behindBar(termtext.VisibleLine(l), p.th.Text, p)...)
			}
			return out
		}))
	}
	d.about = about
	return d
}

// View implements [Dialog].
func (d *confirm) View(width, maxHeight int) View {
	width = min(width, widest)
	p := panel{title: termtext.Line(d.asked.Title), body: d.about}
	if d.asked.Detail != "" {
		p.asked = fixed(nil) // the text above asks
		// Keep it visible while the detail scrolls.
		p.head = append(styled(prose(d.asked.Text, inner(width, maxHeight)), d.env.Theme.Text), "")
	}
	return d.view(p, width, maxHeight)
}

// Hints implements [Dialog].
func (d *confirm) Hints() []Hint { return d.hints("close") }

// Auth asks how to sign in to an agent.
type Auth struct {
	question
	agent   string
	message string
	methods []acpclient.AuthMethod
	busy    string // the method in progress, or ""
	err     error
}

// NewAuth lists an agent's methods. message is what the agent said, or "".
func NewAuth(env Env, agent, message string, methods []acpclient.AuthMethod) *Auth {
	if agent == "" {
		agent = "the agent"
	}
	d := &Auth{question: newQuestion(env), agent: agent, message: message, methods: methods}
	d.offer()
	return d
}

func (d *Auth) offer() {
	d.replies = newReplies(nil)
	if d.busy != "" {
		return
	}
	for _, m := range app.SignInMethods(d.methods) {
		a := reply{icon: "→", name: m.Name, more: m.More, action: SignIn{m.ID}}
		switch {
		case m.Runs:
			a.icon = "$"
		case !m.Supported:
			a.icon, a.off, a.action = "•", true, nil
		}
		d.replies.list = append(d.replies.list, a)
	}
}

// Busy shows that signing in with the named method has started.
func (d *Auth) Busy(name string) {
	d.busy, d.err = termtext.Line(name), nil
	if d.busy == "" {
		d.busy = "the agent"
	}
	d.offer()
}

// Failed implements [Trying]: it shows the error and offers the methods again.
func (d *Auth) Failed(err error) {
	d.busy, d.err = "", err
	d.offer()
}

// View implements [Dialog].
func (d *Auth) View(width, maxHeight int) View {
	width = min(width, widest)
	body := newBlock(func(p renderContext) []string {
		out := styled(prose(d.message, p.width), p.th.Text)
		if len(out) == 0 {
			out = styled(prose(app.SignInText, p.width), p.th.Text)
		}
		switch {
		case d.busy != "":
			out = append(out, "")
			out = append(out, styled(prose("Signing in with "+d.busy+" … the agent may open a page in your browser.", p.width), p.th.Info)...)
		case d.err != nil:
			out = append(out, "")
			out = append(out, marked("✗", d.err.Error(), p.width, p.th.Error)...)
		case len(d.methods) == 0:
			out = append(out, "")
			out = append(out, styled(prose(app.NoSignInText, p.width), p.th.Warning)...)
		}
		return out
	})
	return d.view(panel{title: "Sign in to " + cut(termtext.Line(d.agent), 40), body: body}, width, maxHeight)
}

// Hints implements [Dialog].
func (d *Auth) Hints() []Hint { return d.hints("close") }
