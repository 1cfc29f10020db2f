package tui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// env is what a dialog is made with.
func (m *Model) env() dialog.Env {
	return dialog.Env{Theme: m.theme, Keys: m.keys, Guard: m.guard, Cwd: m.cwd, Now: m.now}
}

// top is the dialog that takes keys, nil if there is none. A question of the
// agent stands above whatever the person has opened.
func (m *Model) top() dialog.Dialog {
	if len(m.dialogs) == 0 {
		return nil
	}
	return m.dialogs[len(m.dialogs)-1]
}

func (m *Model) push(d dialog.Dialog) { m.dialogs = append(m.dialogs, d) }

func (m *Model) pop() {
	if n := len(m.dialogs); n > 0 {
		m.dialogs = m.dialogs[:n-1]
	}
}

// closeAll closes the dialogs for which gone reports true.
func (m *Model) closeAll(gone func(dialog.Dialog) bool) {
	kept := m.dialogs[:0]
	for _, d := range m.dialogs {
		if !gone(d) {
			kept = append(kept, d)
		}
	}
	clear(m.dialogs[len(kept):])
	m.dialogs = kept
}

// arm keeps one message under way for the moment at which the dialog on top
// takes keys: the screen is drawn again then.
func (m *Model) arm() tea.Cmd {
	g, ok := m.top().(dialog.Guarded)
	if !ok || m.arming {
		return nil
	}
	in := g.ArmsIn(m.now())
	if in <= 0 {
		return nil
	}
	m.arming = true
	return tea.Tick(in+time.Millisecond, func(time.Time) tea.Msg { return armMsg{} })
}

// questions keeps one dialog for the oldest open question of the agent, above
// everything else.
func (m *Model) questions() {
	c := m.conv
	open := map[int]bool{}
	for _, p := range c.Permissions {
		open[p.ID] = true
	}
	for _, q := range c.Elicitations {
		open[q.ID] = true
	}
	asking := false
	m.closeAll(func(d dialog.Dialog) bool {
		id, isQuestion := questionID(d)
		if isQuestion && open[id] {
			asking = true
		}
		if l, ok := d.(*dialog.Link); ok && l.Opened() {
			return false // it waits for the agent, until the person closes it
		}
		return isQuestion && !open[id]
	})
	for _, d := range m.dialogs {
		if p, ok := d.(*dialog.Permission); ok {
			p.SetWaiting(len(c.Permissions))
		}
	}
	if asking {
		return
	}
	switch {
	case len(c.Permissions) > 0:
		m.push(dialog.NewPermission(m.env(), c.Permissions[0], len(c.Permissions)))
	case len(c.Elicitations) > 0:
		m.push(dialog.NewElicitation(m.env(), c.Elicitations[0], c.Agent.Name()))
	}
}

func questionID(d dialog.Dialog) (int, bool) {
	if q, ok := d.(interface{ ID() int }); ok {
		return q.ID(), true
	}
	return 0, false
}

// closeSelector closes the list that something was chosen from; the list of all
// options stays.
func (m *Model) closeSelector() {
	if _, ok := m.top().(*dialog.Selector); ok {
		m.pop()
	}
}

// do carries out what was decided in a dialog.
func (m *Model) do(action dialog.Action) tea.Cmd {
	switch a := action.(type) {
	case nil:
		return nil
	case dialog.Close:
		if isAuth(m.top()) {
			m.session.DismissAuth()
		}
		m.pop()
		if m.session == nil && len(m.dialogs) == 0 {
			return m.quit() // there is nothing behind the choice of an agent
		}
	case dialog.Answer:
		if err := m.session.Answer(a.ID, a.Option); err != nil {
			return m.say(err.Error())
		}
	case dialog.CancelTurn:
		if !m.session.Cancel() {
			return m.say("no turn is running: choose one of the options")
		}
	case dialog.StartAgent:
		m.pop()
		return m.start(a.Agent)
	case dialog.SetMode:
		m.closeSelector()
		m.session.SetMode(a.Mode)
	case dialog.SetModel:
		m.closeSelector()
		m.session.SetModel(a.Model)
	case dialog.SetOption:
		m.closeSelector()
		m.session.SetOption(a.Option, a.Value)
	case dialog.Run:
		m.pop()
		return m.run(a.Action)
	case dialog.Choose:
		return m.chosen(a)
	case dialog.Copy:
		return tea.Batch(tea.SetClipboard(a.Text), m.say("copied"))
	case dialog.Elicit:
		m.session.AnswerElicitation(a.ID, a.Response)
	case dialog.OpenURL:
		return m.openURL(a)
	case dialog.SignIn:
		m.signIn(a.Method)
	case dialog.SignInTerminal:
		return m.signInOnTerminal(a.Method)
	case dialog.DeleteSession:
		m.askToDelete(a.Session)
	case dialog.OpenSession:
		m.pop()
		return m.openSession(a.Session)
	}
	return nil
}

// The lists whose choices are carried out here.
const (
	choiceRestart = "restart"
	choiceStop    = "stop"
	choiceAgain   = "again"
	choiceLogout  = "logout"
	choiceFork    = "fork"
	choiceFiles   = "files"
	choiceFile    = "file"
)

// chosen carries out a choice that has no action of its own.
func (m *Model) chosen(c dialog.Choose) tea.Cmd {
	m.pop()
	switch c.List {
	case choiceLogout:
		return m.logout()
	case choiceFork:
		return m.fork()
	case choiceFiles:
		return m.showFiles()
	case choiceFile:
		return m.edit(c.ID, 0)
	case choiceDelete:
		return m.deleteSession(acpclient.SessionID(c.ID))
	case choiceRestart:
		switch c.ID {
		case "restart":
			m.session.Start()
		case "quit":
			return m.quit()
		}
	case choiceStop:
		if c.ID == "stop" {
			m.session.Kill()
		}
	case choiceAgain:
		switch c.ID {
		case "agents":
			m.push(m.agentPicker())
		case "quit":
			return m.quit()
		}
	}
	return nil
}

// agentPicker lists the agents that can be started.
func (m *Model) agentPicker() dialog.Dialog {
	return dialog.NewSelector(m.env(), dialog.List{Name: "agents", Title: "Choose an agent", Items: dialog.AgentItems(m.opt.Agents)})
}

// choose opens a list of values, or says that there is none.
func (m *Model) choose(make func(dialog.Env, *conversation.Conversation) *dialog.Selector, none string) tea.Cmd {
	if m.conv == nil {
		return nil
	}
	s := make(m.env(), m.conv)
	if s == nil {
		return m.say(none)
	}
	m.push(s)
	return nil
}

func newThoughtLevels(env dialog.Env, c *conversation.Conversation) *dialog.Selector {
	o := c.OptionByCategory(acpclient.CategoryThoughtLevel)
	if o == nil {
		return nil
	}
	return dialog.NewOption(env, c, o.ID)
}

func (m *Model) showOptions() tea.Cmd {
	if m.conv == nil || m.conv.Phase != conversation.PhaseReady {
		return nil
	}
	m.push(dialog.NewOptions(m.env(), m.conv))
	return nil
}

// palette lists what can be done, and the agent's commands.
func (m *Model) palette() dialog.Dialog {
	items := slices.DeleteFunc(dialog.ActionItems(m.keys), func(i dialog.Item) bool { return !here(config.Action(i.ID)) })
	items = append(items, dialog.Item{ID: choiceFiles, Title: "show the files that the agent wrote", Do: dialog.Choose{List: choiceFiles}})
	if m.conv != nil && m.conv.Agent.Capabilities.SessionCapabilities.Fork != nil {
		items = append(items, dialog.Item{ID: choiceFork, Title: "go on with a copy of this session", Do: dialog.Choose{List: choiceFork}})
	}
	if m.conv != nil && m.conv.Agent.Capabilities.Auth.Logout != nil {
		items = append(items, dialog.Item{ID: choiceLogout, Title: "sign out of the agent", Do: dialog.Choose{List: choiceLogout}})
	}
	return dialog.NewSelector(m.env(), dialog.List{Name: "palette", Title: "Command palette", Items: items, Filter: true})
}

// here reports whether an action makes sense in the palette.
func here(a config.Action) bool {
	switch a {
	case config.ActionNextMode, config.ActionMode, config.ActionModel, config.ActionThoughtLevel, config.ActionOptions,
		config.ActionCancel, config.ActionFocusTranscript, config.ActionScrollTop, config.ActionScrollBottom,
		config.ActionSessions, config.ActionNewSession, config.ActionHelp, config.ActionQuit:
		return true
	}
	return false
}

// startFailed tells that an agent could not even be tried.
func (m *Model) startFailed(a config.Agent, err error) dialog.Dialog {
	what, next := describe(a, err)
	q := dialog.Question{Title: a.Name + " could not be started", Text: joinLines(what, next)}
	if len(m.opt.Agents) > 0 {
		q.Choices = append(q.Choices, dialog.Choice{Name: "Choose another agent", Do: dialog.Choose{List: choiceAgain, ID: "agents"}})
	}
	q.Choices = append(q.Choices, dialog.Choice{Name: "Leave parley", Do: dialog.Choose{List: choiceAgain, ID: "quit"}})
	return dialog.NewConfirm(m.env(), q)
}

// lost tells that the agent has gone, with what it wrote to stderr, and offers
// to start it again.
func (m *Model) lost() dialog.Dialog {
	title := "The agent has gone"
	if m.conv.Phase == conversation.PhaseFailed {
		title = "The agent could not be started"
	}
	what, next := describe(m.agent, m.conv.Agent.Err)
	return m.startAgain(dialog.Question{Title: title, Text: joinLines(what, next), Detail: m.conv.Agent.Stderr})
}

func (m *Model) sessionFailed(err error) dialog.Dialog {
	return m.startAgain(dialog.Question{Title: "The agent could not open the session", Text: err.Error(), Detail: m.session.Stderr()})
}

// startAgain asks what to do about an agent that is of no use as it is.
func (m *Model) startAgain(q dialog.Question) dialog.Dialog {
	q.Choices = []dialog.Choice{
		{Name: "Start it again", Key: "r", Do: dialog.Choose{List: choiceRestart, ID: "restart"}},
		{Name: "Stay here and read", Key: "s", Do: dialog.Close{}},
		{Name: "Leave parley", Key: "q", Do: dialog.Choose{List: choiceRestart, ID: "quit"}},
	}
	return dialog.NewConfirm(m.env(), q)
}

// stuck offers to stop an agent that does not react to a cancel.
func (m *Model) stuck() dialog.Dialog {
	return dialog.NewConfirm(m.env(), dialog.Question{
		Title: "The agent does not react",
		Text:  fmt.Sprintf("It was asked to cancel %s ago. Stopping it ends its process; what is on the screen stays.", elapsed(m.now().Sub(m.conv.Turn.Cancelling))),
		Choices: []dialog.Choice{
			{Name: "Go on waiting", Key: "w", Do: dialog.Close{}},
			{Name: "Stop the agent", Key: "k", Risky: true, Do: dialog.Choose{List: choiceStop, ID: "stop"}},
		},
	})
}

// leaveTurn asks whether to leave while the agent works.
func (m *Model) leaveTurn() dialog.Dialog {
	return dialog.NewConfirm(m.env(), dialog.Question{
		Title: "The agent is at work",
		Text:  "Leaving parley ends it in the middle of its turn.",
		Choices: []dialog.Choice{
			{Name: "Stay", Key: "s", Do: dialog.Close{}},
			{Name: "Leave", Key: "q", Risky: true, Do: dialog.Choose{List: choiceRestart, ID: "quit"}},
		},
	})
}

func joinLines(a, b string) string {
	if b == "" {
		return a
	}
	return a + "\n" + b
}

// openURL opens an address that the person has agreed to.
func (m *Model) openURL(a dialog.OpenURL) tea.Cmd {
	m.session.AnswerElicitation(a.ID, acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept})
	return browse(a.URL, func(err error) tea.Msg { return urlFailedMsg{a.ID, err} })
}

// urlFailedMsg says that an address could not be opened.
type urlFailedMsg struct {
	id  int
	err error
}

func (m *Model) urlFailed(msg urlFailedMsg) {
	for _, d := range m.dialogs {
		if l, ok := d.(*dialog.Link); ok && l.ID() == msg.id {
			l.Failed(msg.err)
		}
	}
}
