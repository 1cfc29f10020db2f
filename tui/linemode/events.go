package linemode

import (
	"fmt"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/toolview"
)

// take takes what has happened, and writes what there is to say of it.
func (p *program) take() {
	if p.session == nil {
		return
	}
	for _, e := range p.session.Stream().Take() {
		p.apply(e)
	}
	if len(p.first) > 0 && p.session != nil && p.conv.Phase == conversation.PhaseReady {
		first := p.first
		p.first = nil
		for _, text := range first {
			p.session.Prompt(p.blocks(text))
		}
		p.take()
	}
}

// apply folds an event.
func (p *program) apply(e conversation.Event) {
	if opening, ok := e.(conversation.SessionOpening); ok && opening.Clear {
		p.out.items(p.conv)
		p.out.cleared()
	}
	p.conv.Apply(e)
	if p.conv.Restored() {
		p.out.restored(len(p.conv.Items))
	}
	switch e := e.(type) {
	case conversation.AgentStarting:
		starting := "Starting "
		if p.session.Connects() {
			starting = "Connecting to "
		}
		p.out.line(starting + p.agent.Name + ".")
	case conversation.SessionOpened:
		p.unstarted = false
		p.opened()
	case conversation.SessionFailed:
		p.out.items(p.conv)
		p.out.line("/start tries it again, /new opens a new session, /quit leaves.")
	case conversation.AgentLost:
		p.lost(e)
	case conversation.AuthRequired:
		p.signIn = app.NewSignIn(p.session, p.conv, e)
	case conversation.AuthDone:
		p.signedIn(e)
	case conversation.PromptSent:
		p.sent()
	}
	p.tellMode()
	p.tellWaiting()
}

// tellWaiting says that prompts wait for the person, once they do and no turn runs any more.
// Where that follows from a turn that has failed, it is known only after its end.
func (p *program) tellWaiting() {
	was := p.waits
	p.waits = p.conv.QueuePaused && len(p.conv.Queue) > 0 && p.conv.Phase == conversation.PhaseReady && !p.conv.Turn.Running
	if p.waits && !was && !p.ended {
		p.out.items(p.conv)
		p.out.line(waiting(len(p.conv.Queue)) + ": /send sends them, /queue lists them.")
	}
}

func waiting(n int) string {
	if n == 1 {
		return "1 prompt waits"
	}
	return fmt.Sprintf("%d prompts wait", n)
}

// tellUnsent says that prompts were not sent of those that parley was given.
func (p *program) tellUnsent() {
	switch n := len(p.conv.Queue) + len(p.first); n {
	case 0:
	case 1:
		p.out.line("1 prompt was not sent.")
	default:
		p.out.line(fmt.Sprintf("%d prompts were not sent.", n))
	}
}

// opened greets.
func (p *program) opened() {
	where := toolview.PathsIn("").Path(p.conv.Cwd)
	if name := p.conv.Agent.Name(); name != "" {
		p.out.line(termtext.Line(name) + " is ready, in " + where + ".")
	} else {
		p.out.line("The agent is ready, in " + where + ".")
	}
	p.mode = ""
	p.tellMode()
}

// tellMode writes the mode, when it is another one.
func (p *program) tellMode() {
	name, pending := p.conv.CategoryValue(acpclient.CategoryMode)
	if name != "" && !pending && name != p.mode {
		p.mode = name
		p.out.line("Mode: " + termtext.Line(name))
	}
}

// lost says that the agent has gone.
func (p *program) lost(e conversation.AgentLost) {
	p.signIn, p.form = nil, nil
	p.out.items(p.conv)
	what := app.GoneText(p.conv, p.session.Connects())
	p.unstarted = p.unstarted || p.conv.Phase == conversation.PhaseFailed
	if e.Err != nil {
		what += ": " + app.StartErrorText(p.agent, e.Err)
	}
	p.out.line(what + ".")
	if tail := strings.TrimSpace(e.Stderr); tail != "" {
		p.out.line("It wrote:\n" + lastLines(tail, 6))
	}
	p.out.line("/start " + app.AgainText(p.session) + ", /quit leaves.")
	if p.ended {
		p.over = true
	}
}

// lastLines are the last lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// sent takes that a prompt went out: one that the person has just typed stands there.
func (p *program) sent() {
	m, ok := p.conv.Items[len(p.conv.Items)-1].(*conversation.Message)
	if ok && p.direct {
		p.out.typed[m] = p.opt.Terminal
	}
	p.direct = false
}

// send sends a prompt, or has it wait.
func (p *program) send(text string) {
	switch {
	case p.session == nil || p.conv.Phase == conversation.PhaseStarting || p.conv.Phase == conversation.PhaseOpening:
		p.first = append(p.first, text)
		p.out.line("It is sent when the session is open.")
		return
	case p.conv.Turn.Running:
		p.out.line("The agent is at work: the prompt waits, /queue lists what waits.")
	case p.conv.Phase != conversation.PhaseReady:
		p.out.line("There is no agent: the prompt waits. /start " + app.AgainText(p.session) + ".")
	default:
		p.direct = true
	}
	p.session.Prompt(p.blocks(text))
	p.take()
	p.direct = false
}

// blocks are the content of a prompt, with the files that it mentions, and what was added
// to it.
func (p *program) blocks(text string) []acpclient.ContentBlock {
	prompt := composer.NewPrompt(text, p.conv.Cwd)
	if p.adds != nil {
		prompt = prompt.With(composer.OutputAttachment(p.adds))
		p.adds = nil
	}
	return prompt.Blocks(p.conv.Agent.Capabilities.PromptCapabilities)
}

// adopt takes a session as the one to work in.
func (p *program) adopt(a config.Agent, s *session.Session) {
	p.agent, p.session = a, s
	opt := s.Options()
	p.conv.Cwd = opt.Cwd
	p.reach = toolview.Reach{Roots: append([]string{opt.Cwd}, opt.AdditionalDirectories...)}
	s.Start()
	if q := app.RulesOf(s).TrustQuestion(); q != nil {
		p.later(p.numbered(*q))
	}
}
