package linemode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/prompt"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// live is the state with a session.
type live struct {
	*app.Live
	p *program

	facts   toolview.Facts
	looking bool // looks is at work in the background

	mode   string                 // the last one written
	direct bool                   // the prompt being sent was just typed
	adds   *conversation.Terminal // its output goes with the next prompt; or nil
	form   *form                  // the open one, or nil
	signIn *app.SignIn            // nil unless the agent asks for it
	// heard is the time of the last event, and silence fires when a wait has lasted long.
	heard   time.Time
	silence *time.Timer
	// told are the waits that were written, with when they began.
	told map[string]time.Time
	link app.Link // the last one written
	view *store.Viewing
}

// newLive returns the state of a session.
func newLive(p *program, l *app.Live) *live {
	l.Restart = "/start"
	return &live{
		Live: l, p: p, facts: toolview.Facts{Roots: l.Roots()},
		heard: time.Now(), silence: time.NewTimer(app.LongQuiet), told: map[string]time.Time{},
	}
}

func (l *live) enter() {
	session.Post(l.Session, session.Start{})
	l.p.held.Send(l.Session)
	if q := app.TrustQuestion(l.Session); q != nil {
		l.p.later(l.p.numbered(*q))
	}
	if l.Conversation.OverBudget() {
		l.askAboutBudget()
	}
	if l.Conversation.AuthError != nil {
		l.signIn = l.SignIn(conversation.AuthRequired{})
	}
}

func (l *live) askAboutBudget() {
	if q := l.BudgetQuestion(); q != nil {
		l.p.later(l.p.numbered(*q))
	}
}

// close ends the program's session, and returns it.
func (p *program) close() Left {
	l, open := p.live()
	if !open {
		return Left{Unstarted: p.unstarted}
	}
	p.out.flush()
	if n := len(l.Conversation.Queue); n > 0 && l.Running() == "" {
		p.out.line(termtext.Count(n, "prompt") + map[bool]string{true: " was", false: " were"}[n == 1] + " not sent.")
	}
	p.out.line("Leaving.")
	left := Left{Left: l.Left("the session"), Unstarted: p.unstarted}
	p.end(l.Session)
	<-p.leaving
	app.SaveUnsent(p.opt.Stored, l.Session, l.view)
	left.Unsent = app.Unsent(l.Session) // a host may have confirmed some as they were left
	return left
}

// idle reports whether a prompt would be sent at once.
func (l *live) idle() bool { return l.Conversation.Idle() && l.running() == nil }

// busy reports whether the session is at work.
func (l *live) busy() bool {
	c := l.Conversation
	return l.running() != nil || c.Opening() || c.Phase == conversation.PhaseReady && !c.Idle()
}

// ask returns the agent's next question, or nil.
func (l *live) ask() *question {
	if open := conversation.Questions[conversation.Question](&l.Conversation.State); len(open) > 0 {
		return conversation.Match(open[0], l.permission, l.elicitation)
	}
	if l.signIn != nil && l.signIn.Trying == nil {
		return l.askToSignIn()
	}
	return nil
}

// take handles the events so far.
func (l *live) take() {
	if link := l.Session.Link(); link != l.link {
		l.link = link
		text := link.Text()
		l.p.out.line(termtext.Capital(text) + ".")
	}
	for _, e := range l.Session.Stream().Take() {
		if _, ours := e.(conversation.QueueChanged); !ours {
			l.heard = time.Now()
		}
		l.apply(e)
	}
	l.saySilent()
}

// wait is something that the agent has not done.
type wait struct {
	what  string // identifies it
	since time.Time
	long  time.Duration // when the user is told
	words string
}

// waits returns what the agent has not done.
func (l *live) waits() (all []wait) {
	c := l.Conversation
	switch turn := &c.Turn; {
	case l.signIn != nil:
	case c.Opening():
		all = append(all, wait{"start", l.heard, app.LongQuiet, "No answer from the agent since " + l.heard.Format(time.TimeOnly) + ". /stop stops it, /start restarts it."})
	case turn.Running && !turn.Cancelling.IsZero():
		all = append(all, wait{"cancel", turn.Cancelling, app.SlowAnswer, "The agent does not respond to the cancel. /stop stops it."})
	case turn.Running && !turn.Waits() && !c.Agent.SkipsAhead():
		all = append(all, wait{"turn", l.heard, app.LongQuiet, "No update from the agent since " + l.heard.Format(time.TimeOnly) + "."})
	}
	for i := range c.Options {
		o := &c.Options[i]
		if to, pending := c.Pending(o); pending && !c.Gone() {
			all = append(all, wait{"option " + string(o.ID), to.At, app.SlowAnswer, fmt.Sprintf(
				"No answer from the agent yet: %s: %s. /options %s %s switches back.", termtext.Line(o.Name), command.OptionText(c, o),
				termtext.Line(cmp.Or(o.Name, string(o.ID))), termtext.Line(conversation.ValueName(o, o.CurrentValue)))})
		}
	}
	return all
}

// saySilent writes which waits have lasted long, each once, and sets the timer for the next.
func (l *live) saySilent() {
	next := time.Duration(0)
	for _, w := range l.waits() {
		left := time.Until(w.since.Add(w.long))
		switch {
		case l.told[w.what].Equal(w.since):
		case left > 0:
			next = min(left, cmp.Or(next, left))
		default:
			l.told[w.what] = w.since
			l.p.out.line(w.words)
		}
	}
	l.silence.Stop()
	if next > 0 {
		l.silence.Reset(next)
	}
}

// apply folds an event.
func (l *live) apply(e conversation.Event) {
	if opening, ok := e.(conversation.SessionOpening); ok && opening.Clear {
		l.p.out.items()
		l.p.out.kept = l.p.out.seen
		l.p.out.skip(0) // other items will replace these
	}
	waited := l.queueWaits()
	l.Apply(e)
	if l.Conversation.Restored() { // the items are back
		l.p.out.seen = min(l.p.out.kept, len(l.Conversation.Items))
	}
	l.changedByAgent()
	switch e := e.(type) {
	case conversation.AgentStarting:
		starting := "Starting "
		if l.Session.About().Connects {
			starting = "Connecting to "
		}
		l.p.out.line(starting + l.Agent.Name + ".")
	case conversation.SessionOpened:
		l.p.unstarted = false
		who := cmp.Or(termtext.Line(l.Conversation.Agent.Name()), "The agent")
		l.p.out.line(who + " is ready, in " + toolview.PathsIn("").Path(l.Conversation.Cwd) + ".")
		l.mode = ""
	case conversation.SessionFailed:
		l.p.out.items()
		l.p.out.line("/start retries, /new opens a new session, /quit quits.")
	case conversation.AgentLost:
		if l.p.opening != nil {
			break // it was ended for the other one
		}
		if moved, is := errors.AsType[*app.MovedError](e.Err); is {
			l.p.out.line("The session was rewound on another terminal.")
			s := app.Spec{Running: moved.To, LookOn: l.Session.About().LookOn}
			l.p.replace(s, func(ctx context.Context) (*app.Opened, error) { return l.p.opt.Follow(ctx, s) }, nil)
			break
		}
		l.lost(e)
	case conversation.AuthRequired:
		l.signIn = l.SignIn(e)
	case conversation.LimitReached:
		if q := command.LimitQuestion(&front{p: l.p}, time.Now()); q != nil {
			l.p.later(l.p.numbered(*q))
		}
	case conversation.LimitWait:
		if l.Conversation.WaitsForLimit() {
			l.p.out.line(app.LimitWaitText(l.Conversation, time.Now()) + ". /cancel stops waiting.")
		}
	case conversation.BudgetReached:
		l.askAboutBudget()
	case conversation.AuthDone:
		l.signedIn(e)
	case conversation.PromptSent:
		if m, ok := l.Conversation.Items[len(l.Conversation.Items)-1].(*conversation.Message); ok && l.direct {
			l.p.out.typed[m] = l.p.opt.Terminal // the terminal has echoed it
		}
		l.direct = false
	}
	if name, pending := l.Conversation.CategoryValue(acpclient.CategoryMode); name != "" && !pending && name != l.mode {
		l.mode = name
		l.p.out.line("Mode: " + termtext.Line(name))
	}
	// A failed turn pauses the queue only when it ends.
	if !waited && l.queueWaits() && !l.p.ended {
		l.p.out.items()
		l.p.out.line(termtext.Count(len(l.Conversation.Queue), "queued prompt") + ": /send sends them, /queue lists them.")
	}
}

// queueWaits reports whether the queue is paused.
func (l *live) queueWaits() bool {
	c := l.Conversation
	return c.QueuePaused && len(c.Queue) > 0 && c.Phase == conversation.PhaseReady && !c.Turn.Running
}

// changedByAgent writes the note about changed options again if it grew after it was
// written. The note includes the mode.
func (l *live) changedByAgent() {
	changed := l.Conversation.ChangedByAgent()
	if len(changed) == 0 {
		return
	}
	if o := l.Conversation.OptionByCategory(acpclient.CategoryMode); o != nil && slices.Contains(changed, o.ID) {
		l.mode = conversation.ValueName(o, o.CurrentValue)
	}
	items := l.Conversation.Items
	if note, ok := items[len(items)-1].(*conversation.Note); ok && l.p.out.seen == len(items) {
		l.p.out.line(note.Title)
	}
}

// lost reports that the agent exited.
func (l *live) lost(e conversation.AgentLost) {
	l.signIn, l.form, l.direct = nil, nil, false
	l.p.out.items()
	what := l.GoneText()
	l.p.unstarted = l.p.unstarted || l.Conversation.Phase == conversation.PhaseFailed
	if why := l.GoneReason(); why != "" {
		what += ": " + why
	}
	l.p.out.line(what + ".")
	if tail := strings.TrimSpace(e.Stderr); tail != "" {
		lines := strings.Split(tail, "\n")
		l.p.out.line("It wrote:\n" + strings.Join(lines[max(0, len(lines)-6):], "\n"))
	}
	l.p.out.line(termtext.Capital(l.RestartText("/start")) + ", /quit quits.")
	if l.p.ended {
		l.p.quits = true
	}
}

// send sends a prompt, or queues it. At a question it goes behind a paused queue.
func (l *live) send(text string) {
	if l.Session.About().LookOn {
		l.p.out.line("You only look on at this session.")
		return
	}
	q, at := l.content(text), 0
	if l.p.question != nil {
		at = l.Behind()
	}
	switch {
	case at == 0 && (l.Conversation.Idle() || l.Conversation.WaitsForLimit()):
		l.direct = true
	case l.Conversation.Opening():
		l.p.out.line(heldText)
	case l.Conversation.Gone():
		l.p.out.line("No agent: the prompt is queued. " + termtext.Capital(l.RestartText("/start")) + ".")
	case at > 0 && !l.Conversation.Turn.Running:
		l.p.out.line("The prompt is queued. /queue lists the queue.")
	default:
		l.p.out.line("The agent is working: the prompt is queued. /queue lists the queue.")
	}
	session.Post(l.Session, session.Prompt{Prompt: q, At: at})
	l.take()
}

// content returns a prompt with the added output, and what was said before the session.
func (l *live) content(text string) conversation.QueuedPrompt {
	q := prompt.New(text)
	if l.adds != nil {
		q = prompt.New(text, toolview.OutputAttachment(l.adds))
	}
	l.adds = nil
	return l.WithEarlier(q)
}
