package tab

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/prompt"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/pages"
	"parley/tui/theme"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// state is what a tab is in: [unopened], [live] or [replaying]. Each has what it
// alone needs; the tab has what stays, whatever state it is in. Only [Tab.become] changes
// the state.
type state interface {
	stateView
	stateInput
	stateSession
}

// stateView draws a state.
type stateView interface {
	// drawTranscript draws the transcript, or the welcome while it is empty.
	drawTranscript(f *statusInfo, width, height int) []string
	// messageLine draws the line below the transcript; activity describes the work in
	// progress.
	messageLine(activity string, width int) (line string, column int)
	activity(*statusInfo) string
	// describe fills in what the lines around the prompt show of the state.
	describe(*statusInfo)
}

// stateInput takes the keys and prompts of a state.
type stateInput interface {
	// layers returns the layers on the screen, from the top. Input is offered in this order,
	// and nothing else decides who gets it. The first layer has the focus: the cursor and the
	// hint line.
	layers() []layer
	// refusal says why an action with this availability cannot be done, or returns "".
	refusal(availability) string
	// takesPrompts reports whether the prompt has, or will soon have, a recipient;
	// placeholder says what can be typed there, promptHints which keys matter.
	takesPrompts() bool
	placeholder(asks bool) string
	promptHints() []dialog.Hint
	// cannotTake says why the agent does not take a prompt, or returns "".
	cannotTake(composer.Prompt) string
}

// stateSession says where the session of a state is.
type stateSession interface {
	// agent returns the agent that is starting or in use, if any.
	agent() config.Agent
	// transcript returns what can be read, if there is a conversation.
	transcript() (r reading, ok bool)
	// condition returns the state's mark in the tab line.
	condition() conversation.Standing
	// leave stops the work of this state.
	leave()
}

// moving is a state whose display changes with time.
type moving interface {
	moves() bool
}

// painted is a state with something that was drawn in a theme.
type painted interface {
	setTheme(*theme.Theme)
	// equip gives dialogs what they draw with.
	equip(*dialog.Env)
}

func (t *Tab) become(s state) {
	t.state.leave()
	t.state = s
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
	r, ok := t.state.transcript()
	return ok && r.reader.Reads()
}

// blur gives up the focus of the transcript if it has it.
func (t *Tab) blur() {
	if r, ok := t.state.transcript(); ok {
		r.reader.Blur()
	}
}

// endsReading lets a key unmark text or close the find field of a transcript without the
// focus, and reports whether the key does nothing else.
func (t *Tab) endsReading(name string) bool {
	r, ok := t.state.transcript()
	return ok && (r.reader.clearsSpan(name) || r.reader.closesFind(name))
}

// topItem returns the number of the top item of the transcript, nil if its end is followed.
func (t *Tab) topItem() *int {
	if r, ok := t.state.transcript(); ok {
		if top, following := r.list.Start(); !following {
			return &top
		}
	}
	return nil
}

// noImages says why the agent takes no images, or returns "".
func (t *Tab) noImages() string {
	if l, open := t.live(); open {
		return l.noImages()
	}
	return ""
}

// empty reports whether the transcript has no items.
func (t *Tab) empty() bool {
	r, ok := t.state.transcript()
	return !ok || r.empty()
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

// reading is the transcript of the states that have one.
type reading struct {
	list   *transcript.List
	reader *transcriptReader // reads the list
}

// newReading shows a conversation from its end.
func newReading(t *Tab, c *conversation.Conversation) reading {
	c.Cwd = t.cwd
	l := transcript.New(t.program.Theme, c)
	l.SetDiffPositions(&t.diffPositions.known)
	return reading{l, &transcriptReader{reader{ui: t.ui, list: l, edit: t.edit, message: t.prompt.messageLine, lendMouse: t.input.lendMouse, main: true}}}
}

func (r reading) transcript() (reading, bool) { return r, true }
func (r reading) empty() bool                 { return len(r.list.Conversation().Items) == 0 }
func (r reading) equip(env *dialog.Env)       { env.Diffs = r.list.Diffs() }
func (r reading) setTheme(th *theme.Theme)    { r.list.SetTheme(th) }

func (r reading) describe(f *statusInfo) {
	c := r.list.Conversation()
	f.Conversation, f.Waits, f.Changed = c, asked(c), len(c.Files)
}

func (r reading) activity(f *statusInfo) string { return f.Activity() }

func (r reading) condition() conversation.Standing {
	switch c := r.list.Conversation(); {
	case c.Phase == conversation.PhaseLost:
		return conversation.StandingLost
	case c.Phase == conversation.PhaseFailed:
		return conversation.StandingFailed
	case c.Turn.Running:
		return conversation.StandingWorking
	}
	return conversation.StandingIdle
}

const noImagesYet = "wait for the agent to start before you send an image"

// forget clears selection, search and cached drawings, because the items have been replaced.
func (r reading) forget() {
	r.list.Reset()
	r.reader.Reset()
}

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

func (u *unopened) refusal(a availability) string {
	if u.tab.opening != nil {
		return command.Unless(a != inSession, notOpen+" yet")
	}
	return command.Unless(a == inAll || a == unlessReplaying, noAgent)
}

// agent returns the zero agent if it is not chosen, or that of a stored session is not known yet.
func (u *unopened) agent() config.Agent {
	if o := u.tab.opening; o != nil && o.spec.Agent != nil {
		return *o.spec.Agent
	}
	return config.Agent{}
}

func (u *unopened) takesPrompts() bool { return u.tab.opening != nil }

func (u *unopened) condition() conversation.Standing {
	if u.tab.opening != nil {
		return conversation.StandingWorking
	}
	return conversation.StandingIdle
}

func (u *unopened) transcript() (r reading, ok bool) { return reading{}, false }
func (u *unopened) leave()                           {}

func (u *unopened) cannotTake(p composer.Prompt) string {
	return command.Unless(!p.Pastes(), noImagesYet)
}

func (u *unopened) placeholder(asks bool) string {
	if asks {
		return "Answer above"
	}
	return "Type a prompt"
}

func (u *unopened) describe(f *statusInfo) { f.Connects = u.agent().Address != "" }

func (u *unopened) activity(f *statusInfo) string {
	a := u.agent()
	command := acpclient.Command{Path: a.Command, Args: a.Args}.String()
	switch o := u.tab.opening; {
	case o == nil:
		return ""
	case !o.spec.New():
		return f.Theme.Muted.Render("  reading the stored session")
	case f.Connects:
		command = a.Listens()
	case command == "":
		return ""
	}
	return f.spin() + f.startWords(command)
}

// live is the state with a session, which may have lost its agent.
type live struct {
	*ui
	*app.Live
	reading
	tab           *Tab
	pump          *pump
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

func newLive(t *Tab, s *app.Live) *live {
	s.Restart = keyOrPalette(t.program.Keys, command.StartAgain)
	l := &live{ui: t.ui, Live: s, tab: t, reading: newReading(t, s.Conversation), pump: &pump{t.program.Context, s.Session}, heard: t.program.Now()}
	l.questions = questions{ui: t.ui, Live: s, composer: t.composer, targets: toolview.PathTargets{Roots: s.Roots()}}
	l.queue = promptQueue{ui: t.ui, Live: s, composer: t.composer, take: t.prompts.Take, front: t.front}
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
	return l.reader.over(l.tab.panel, l.tab.prompt)
}

// noImages says why the agent takes no images, or returns "".
func (l *live) noImages() string {
	c := l.Conversation
	if c.Phase == conversation.PhaseStarting || c.Agent.Capabilities.PromptCapabilities.Image {
		return ""
	}
	return termtext.Line(cmp.Or(c.Agent.Name(), l.Agent.Name, "the agent")) + " takes no images"
}

// cannotTake refuses pasted images only: others are files, which the agent can read.
func (l *live) cannotTake(p composer.Prompt) string {
	switch why := l.noImages(); {
	case !p.Pastes():
		return ""
	case l.Conversation.Phase == conversation.PhaseStarting:
		return noImagesYet
	case why != "":
		return why + ": remove the image, or mention a file"
	}
	return ""
}

func (l *live) agent() config.Agent         { return l.Agent }
func (l *live) refusal(availability) string { return "" }
func (l *live) takesPrompts() bool          { return true }

// update handles messages about the session.
func (l *live) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pumpedMsg:
		if msg.pump == l.pump { // otherwise of a session that was left
			return l.fold(msg.batch)
		}
	case batchMsg:
		return l.fold(msg)
	}
	return nil
}

func (l *live) condition() conversation.Standing {
	if is := l.reading.condition(); is != conversation.StandingIdle || l.Conversation.Phase == conversation.PhaseReady {
		return is
	}
	return conversation.StandingWorking
}

func (l *live) placeholder(asks bool) string {
	switch c := l.Conversation; {
	case asks:
		return "Answer above, or queue a prompt"
	case c.Opening():
		return "Type a prompt to send when the agent is ready"
	case l.tab.stored.readOnly != "" && l.tab.stored.untrusted == nil:
		return "This session is read-only here"
	case c.Gone():
		return "Restart the agent to send a prompt"
	case c.Turn.Running && c.Agent.SkipsAhead():
		return "Enter skips ahead; type a prompt to queue it"
	case c.Turn.Running:
		return "Type a prompt to queue"
	}
	return "Type a prompt"
}

func (l *live) equip(env *dialog.Env) {
	l.reading.equip(env)
	env.Targets = &l.questions.targets
}

func (l *live) describe(f *statusInfo) {
	l.reading.describe(f)
	f.Changed = l.changedFiles()
	f.Connects, f.Bounds, f.Stderr, f.Heard = l.Session.About().Connects, l.Session.About().Bounds, l.stderr, l.heard
	f.Link = l.Session.Link()
	f.Kept, f.HostGone = l.Running() != "", l.HostGone()
	f.SigningIn = l.signIn.dialog != nil
	f.Fresh = l.options.Fresh
	if option, to := l.options.Slow(); option != nil {
		f.Slow = settingLabel(option) + " → " + settingValue(option, to.Value)
	}
}

func (l *live) moves() bool {
	c := l.Conversation
	return !asked(c) && l.signIn.dialog == nil && (c.Turn.Running || c.Phase == conversation.PhaseStarting || c.Phase == conversation.PhaseOpening)
}

func (l *live) setTheme(th *theme.Theme) {
	l.reading.setTheme(th)
	if l.changes != nil {
		l.changes.SetTheme(th)
	}
	if l.inspector != nil {
		l.inspector.SetTheme(th)
	}
}

func (l *live) leave() {
	l.signIn.close()
	if l.commands.Attached() {
		l.commands.stepOut("")
	}
	if l.inspector != nil { // its pending work belongs to the session
		l.inspector.Stop()
	}
}
