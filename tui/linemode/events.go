package linemode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/prompt"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// take handles the events so far.
func (p *program) take() {
	if p.session == nil {
		return
	}
	for _, e := range p.session.Stream().Take() {
		p.apply(e)
	}
}

// apply folds an event.
func (p *program) apply(e conversation.Event) {
	if opening, ok := e.(conversation.SessionOpening); ok && opening.Clear {
		p.out.items(p.conv)
		p.out.kept = p.out.seen
		p.out.skip(0) // others come in the place of the items
	}
	p.conv.Apply(e)
	if p.conv.Restored() { // the items are back
		p.out.seen = min(p.out.kept, len(p.conv.Items))
	}
	p.changedByAgent()
	switch e := e.(type) {
	case conversation.AgentStarting:
		starting := "Starting "
		if p.session.Connects() {
			starting = "Connecting to "
		}
		p.out.line(starting + p.agent.Name + ".")
	case conversation.SessionOpened:
		p.unstarted = false
		who := cmp.Or(termtext.Line(p.conv.Agent.Name()), "The agent")
		p.out.line(who + " is ready, in " + toolview.PathsIn("").Path(p.conv.Cwd) + ".")
		p.mode = ""
	case conversation.SessionFailed:
		p.out.items(p.conv)
		p.out.line("/start retries, /new opens a new session, /quit quits.")
	case conversation.AgentLost:
		p.lost(e)
	case conversation.AuthRequired:
		p.signIn = app.NewSignIn(p.session, p.conv, e)
	case conversation.AuthDone:
		p.signedIn(e)
	case conversation.PromptSent:
		if m, ok := p.conv.Items[len(p.conv.Items)-1].(*conversation.Message); ok && p.direct {
			p.out.typed[m] = p.opt.Terminal // it stands there as it was typed
		}
		p.direct = false
	}
	if name, pending := p.conv.CategoryValue(acpclient.CategoryMode); name != "" && !pending && name != p.mode {
		p.mode = name
		p.out.line("Mode: " + termtext.Line(name))
	}
	// Prompts wait for the person once no turn runs any more. Where that follows from a turn
	// that has failed, it is known only after its end.
	was := p.waits
	p.waits = p.conv.QueuePaused && len(p.conv.Queue) > 0 && p.conv.Phase == conversation.PhaseReady && !p.conv.Turn.Running
	if p.waits && !was && !p.ended {
		p.out.items(p.conv)
		p.out.line(termtext.Count(len(p.conv.Queue), "queued prompt") + ": /send sends them, /queue lists them.")
	}
}

// tellUnsent reports prompts that were not sent.
func (p *program) tellUnsent() {
	switch n := len(p.conv.Queue) + len(p.held); n {
	case 0:
	case 1:
		p.out.line("1 prompt was not sent.")
	default:
		p.out.line(fmt.Sprintf("%d prompts were not sent.", n))
	}
}

// changedByAgent writes the note about what the agent has changed again if that has been
// added to a note that is written already. The note says the mode, too.
func (p *program) changedByAgent() {
	changed := p.conv.ChangedByAgent()
	if len(changed) == 0 {
		return
	}
	if o := p.conv.OptionByCategory(acpclient.CategoryMode); o != nil && slices.Contains(changed, o.ID) {
		p.mode = conversation.ValueName(o, o.CurrentValue)
	}
	items := p.conv.Items
	if note, ok := items[len(items)-1].(*conversation.Note); ok && p.out.seen == len(items) {
		p.out.line(note.Title)
	}
}

// lost reports that the agent exited.
func (p *program) lost(e conversation.AgentLost) {
	p.signIn, p.form, p.direct = nil, nil, false
	p.out.items(p.conv)
	what := app.GoneText(p.conv, p.session.Connects())
	p.unstarted = p.unstarted || p.conv.Phase == conversation.PhaseFailed
	if e.Err != nil {
		what += ": " + app.StartErrorText(p.agent, e.Err)
	}
	p.out.line(what + ".")
	if tail := strings.TrimSpace(e.Stderr); tail != "" {
		lines := strings.Split(tail, "\n")
		p.out.line("It wrote:\n" + strings.Join(lines[max(0, len(lines)-6):], "\n"))
	}
	p.out.line("/start " + app.AgainText(p.session) + ", /quit quits.")
	if p.ended {
		p.over = true
	}
}

// send sends a prompt, or queues it.
func (p *program) send(text string) {
	q := p.content(text)
	switch {
	case p.session == nil:
		p.held = append(p.held, q)
		p.out.line("It will be sent when the session is open.")
		return
	case p.conv.Phase == conversation.PhaseStarting || p.conv.Phase == conversation.PhaseOpening:
		p.out.line("It will be sent when the session is open.")
	case p.conv.Phase == conversation.PhaseReady && (p.conv.Turn.Running || p.sends()):
		p.out.line("The agent is working: the prompt is queued. /queue lists the queue.")
	case p.conv.Phase != conversation.PhaseReady:
		p.out.line("No agent: the prompt is queued. /start " + app.AgainText(p.session) + ".")
	default:
		p.direct = true
	}
	p.session.Prompt(q)
	p.take()
}

// content returns a prompt with the output that was added to it.
func (p *program) content(text string) conversation.QueuedPrompt {
	if p.adds == nil {
		return prompt.New(text)
	}
	q := prompt.New(text, toolview.OutputAttachment(p.adds))
	p.adds = nil
	return q
}

// adopt makes a session the program's.
func (p *program) adopt(a config.Agent, s *session.Session) {
	p.agent, p.session = a, s
	opt := s.Options()
	p.conv.Cwd = opt.Cwd
	p.reach = toolview.Reach{Roots: append([]string{opt.Cwd}, opt.AdditionalDirectories...)}
	s.Start()
	p.held.Send(s)
	if q := app.RulesOf(s).TrustQuestion(); q != nil {
		p.later(p.numbered(*q))
	}
}
