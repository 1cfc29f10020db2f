package dialog

import (
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/toolview"
)

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
	for _, m := range d.methods {
		name := termtext.VisibleLine(m.Name)
		if name == "" {
			name = termtext.VisibleLine(string(m.ID))
		}
		a := reply{icon: "→", name: name, more: termtext.VisibleLine(list.Clip(m.Description))}
		switch m.Type {
		case acpclient.AuthMethodAgent, "":
			a.action = SignIn{m.ID}
		case acpclient.AuthMethodTerminal:
			a.icon, a.action = "$", SignIn{m.ID}
			run := "runs the agent's program in this terminal"
			if len(m.Args) > 0 {
				run += " with " + termtext.VisibleLine(toolview.ShellWords(m.Args))
			}
			a.more = strings.TrimPrefix(a.more+" · "+run, " · ")
		default:
			a.icon, a.off, a.more = "•", true, "not supported by parley: "+termtext.VisibleLine(string(m.Type))
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
	width = atMost(width)
	body := newBlock(func(p paper) []string {
		out := styled(prose(d.message, p.width), p.th.Text)
		if len(out) == 0 {
			out = styled(prose("The agent wants you to sign in before it goes on.", p.width), p.th.Text)
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
			out = append(out, styled(prose("It names no way to do so: sign in with its own program, then try again.", p.width), p.th.Warning)...)
		}
		return out
	})
	return d.view(panel{title: "Sign in to " + cut(termtext.Line(d.agent), 40), body: body}, width, maxHeight)
}

// Hints implements [Dialog].
func (d *Auth) Hints() []Hint { return d.hints("close") }
