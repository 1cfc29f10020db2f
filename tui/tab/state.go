package tab

import (
	"cmp"
	"strings"
	"time"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/prompt"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/pages"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// state is what a tab is in: [unopened], [live] or [replaying]. Each has what it
// alone needs; the tab has what stays, whatever state it is in. Only [Tab.become] changes
// the state.
type state interface {
	// layers returns the layers on the screen, from the top. Input is offered in this order,
	// and nothing else decides who gets it. The first layer has the focus: the cursor and the
	// hint line.
	layers() []layer
}

// become changes to another state, which shows a conversation.
func (t *Tab) become(s state, c *conversation.Conversation) {
	t.leave()
	t.state, t.reader = s, newReader(t, c)
}

// leave stops the work of the session that is shown.
func (t *Tab) leave() {
	l, open := t.live()
	if !open {
		return
	}
	l.signIn.close()
	if l.commands.Attached() {
		l.commands.stepOut("")
	}
	t.dialogs.Any(func(d dialog.Dialog) bool {
		if a, is := d.(*pages.Aside); is {
			a.Gone()
		}
		return false
	})
	if l.inspector != nil { // its pending work belongs to the session
		l.inspector.Stop()
	}
}

// agent returns the agent that is starting or in use, if it is known.
func (t *Tab) agent() (a config.Agent) {
	if l, open := t.live(); open {
		return l.Agent
	}
	if o := t.opening; o != nil && o.Spec.Agent != nil {
		a = *o.Spec.Agent
	}
	return a
}

// takesPrompts reports whether the prompt has, or will soon have, a recipient.
func (t *Tab) takesPrompts() bool { return !t.replays() && !t.chooses() }

// cannotTake says why the agent does not take a prompt, or returns "". It refuses pasted images only:
// others are files, which the agent can read.
func (t *Tab) cannotTake(p composer.Prompt) string {
	l, open := t.live()
	switch {
	case t.replays():
		return notInReplay
	case !p.Pastes():
		return ""
	case !open || l.Conversation.Phase == conversation.PhaseStarting:
		return noImagesYet
	case t.noImages() != "":
		return t.noImages() + ": remove the image, or mention a file"
	}
	return ""
}

// placeholder says what can be typed into the prompt.
func (t *Tab) placeholder(asks bool) string {
	l, open := t.live()
	switch {
	case asks && open:
		return "Answer above, or " + strings.Replace(t.sends(), "the prompt", "a prompt", 1)
	case asks:
		return "Answer above"
	case !open:
		return "Type a prompt"
	}
	switch c := l.Conversation; {
	case c.Opening():
		return "Type a prompt to send when the agent is ready"
	case t.stored.readOnly != "" && t.stored.untrusted == nil:
		return "This session is read-only here"
	case l.OverForGood():
		return "This session is over: nothing of it was stored"
	case c.Gone():
		return "Restart the agent to send a prompt"
	case c.Turn.Running && c.Agent.SkipsAhead():
		return "Enter skips ahead; type a prompt to queue it"
	case c.Turn.Running:
		return "Type a prompt to queue"
	}
	return "Type a prompt"
}

// live returns the state of a tab with a session, if it has one.
func (t *Tab) live() (l *live, ok bool) {
	l, ok = t.state.(*live)
	return l, ok
}

// replays reports whether a recording is played.
func (t *Tab) replays() bool {
	_, is := t.state.(*replaying)
	return is
}

// chooses reports whether there is no agent yet.
func (t *Tab) chooses() bool {
	_, is := t.state.(*unopened)
	return is && t.opening == nil
}

// reads reports whether the transcript has the keys.
func (t *Tab) reads() bool {
	return t.reader.Reads()
}

// endsReading lets a key unmark text or close the find field of a transcript without the
// focus, and reports whether the key does nothing else.
func (t *Tab) endsReading(name string) bool {
	return t.reader.clearsSpan(name) || t.reader.closesFind(name)
}

// topItem returns the number of the top item of the transcript, nil if its end is followed.
func (t *Tab) topItem() *int {
	if top, following := t.reader.list.Start(); !following {
		return &top
	}
	return nil
}

// noImages says why the agent takes no images, or returns "".
func (t *Tab) noImages() string {
	l, open := t.live()
	if !open || l.Conversation.Phase == conversation.PhaseStarting || l.Conversation.Agent.Capabilities.PromptCapabilities.Image {
		return ""
	}
	return termtext.Line(cmp.Or(l.Conversation.Agent.Name(), l.Agent.Name, "the agent")) + " takes no images"
}

// displayedTime returns the time of what is drawn.
func (t *Tab) displayedTime() time.Time {
	if r, is := t.state.(*replaying); is {
		return r.now()
	}
	return t.program.Now()
}

// opens reports whether a session is being opened: what it offers is not known yet.
func (t *Tab) opens() bool {
	l, open := t.live()
	return t.opening != nil || open && l.Conversation.Opening()
}

// session returns the session, nil in the states that have none.
func (t *Tab) session() app.Session {
	if l, ok := t.live(); ok {
		return l.Session
	}
	return nil
}

// newReader shows a conversation from its end.
func newReader(t *Tab, c *conversation.Conversation) *reader {
	c.Cwd = t.cwd
	l := transcript.New(t.program.Theme, c)
	l.SetFacts(&t.facts)
	return &reader{ui: t.ui, list: l, edit: t.edit, message: t.prompt.messageLine, lendMouse: t.input.lendMouse, main: true}
}

// conv returns the conversation that is shown, which is empty while there is no session.
func (t *Tab) conv() *conversation.Conversation { return t.reader.list.Conversation() }

// empty reports whether the transcript has no items.
func (t *Tab) empty() bool { return len(t.conv().Items) == 0 }

// works reports whether an agent starts, or a turn runs that waits for no answer.
func (t *Tab) works() bool {
	c := t.conv()
	return !asked(c) && (c.Turn.Running || c.Phase == conversation.PhaseStarting || c.Phase == conversation.PhaseOpening)
}

// condition returns where the session stands.
func (t *Tab) condition() conversation.Standing {
	_, open := t.live()
	switch c := t.conv(); {
	case t.chooses():
		return conversation.StandingIdle
	case c.Phase == conversation.PhaseLost:
		return conversation.StandingLost
	case c.Phase == conversation.PhaseFailed:
		return conversation.StandingFailed
	case c.Turn.Running, open && c.Phase != conversation.PhaseReady, !open && !t.replays():
		return conversation.StandingWorking
	}
	return conversation.StandingIdle
}

const noImagesYet = "wait for the agent to start before you send an image"

// unopened is the state without a session: the user chooses an agent from a list, or a session is being
// opened, for which prompts wait.
type unopened struct{ tab *Tab }

func (u *unopened) layers() []layer {
	switch {
	case u.tab.opening != nil:
		return u.tab.panel.over(u.tab.prompt, false)
	case u.tab.dialogs.Top() == nil:
		return nil
	}
	return []layer{u.tab.panel}
}

// live is the state with a session, which may have lost its agent.
type live struct {
	*Tab
	*app.Live
	heard         time.Time        // when something last happened in the session
	changes       *pages.Review    // nil until it is shown
	inspector     *pages.Inspector // nil until it is shown
	overBudget    dialog.Dialog    // the last question about a used-up budget, or nil
	limit         limitQuestion
	queue         promptQueue
	questions     questions
	commands      commands
	options       options
	signIn        signIn
	stderr        string // the end of a starting agent's stderr
	readingStderr bool
	// templates are the user's prompts as slash commands, hidden the names of those that parley
	// has said are hidden.
	templates []prompt.Template
	hidden    []string
}

// newLive shows a session in a tab.
func newLive(t *Tab, s *app.Live) *live {
	s.Restart = keyOrPalette(t.program.Keys, command.StartAgain)
	l := &live{Tab: t, Live: s, heard: t.program.Now()}
	t.become(l, s.Conversation)
	t.facts = toolview.Facts{Roots: s.Roots()}
	l.questions = questions{ui: t.ui, Live: s, composer: t.composer, facts: &t.facts}
	l.queue = promptQueue{ui: t.ui, Live: s, composer: t.composer, take: t.prompts.Take, front: t.front, drafts: t.drafts}
	l.commands = commands{
		ui: t.ui, Live: s, reader: l.reader, composer: t.composer, typeLetters: t.prompt.typeLetters,
		status: func(width int) string { return newStatusInfo(t).Line(width) },
	}
	l.reader.commands = &l.commands
	l.options, l.signIn = options{ui: t.ui, Live: s}, signIn{ui: t.ui, Live: s}
	return l
}

func (l *live) layers() []layer {
	if l.commands.Attached() {
		return []layer{&l.commands}
	}
	return l.reader.over(l.panel, l.prompt)
}
