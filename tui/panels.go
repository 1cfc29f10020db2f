package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/session"
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

// arm asks for the screen to be drawn again when the dialog on top takes keys.
func (m *Model) arm() tea.Cmd {
	g, ok := m.top().(dialog.Guarded)
	if !ok {
		return nil
	}
	in := g.ArmsIn(m.now())
	if in <= 0 {
		return nil
	}
	return tea.Tick(in+time.Millisecond, func(time.Time) tea.Msg { return armMsg{} })
}

// questions keeps one dialog for the oldest open question of the agent, above
// everything else.
func (m *Model) questions() tea.Cmd {
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
		return isQuestion && !open[id]
	})
	for _, d := range m.dialogs {
		if p, ok := d.(*dialog.Permission); ok {
			p.SetWaiting(len(c.Permissions))
		}
	}
	if asking {
		return nil
	}
	switch {
	case len(c.Permissions) > 0:
		m.push(dialog.NewPermission(m.env(), c.Permissions[0], len(c.Permissions)))
	case len(c.Elicitations) > 0:
		m.push(m.elicitation(c.Elicitations[0]))
	default:
		return nil
	}
	return m.arm()
}

func questionID(d dialog.Dialog) (int, bool) {
	if q, ok := d.(interface{ ID() int }); ok {
		return q.ID(), true
	}
	return 0, false
}

// do carries out what was decided in a dialog.
func (m *Model) do(action dialog.Action) tea.Cmd {
	switch a := action.(type) {
	case nil:
		return nil
	case dialog.Close:
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
		m.pop()
		m.session.SetMode(a.Mode)
	case dialog.SetModel:
		m.pop()
		m.session.SetModel(a.Model)
	case dialog.SetOption:
		if !m.staysOpen() {
			m.pop()
		}
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
		m.session.Authenticate(a.Method)
	}
	return nil
}

// The lists whose choices are carried out here.
const (
	choiceRestart = "restart"
	choiceStop    = "stop"
	choiceAgain   = "again"
)

// chosen carries out a choice that has no action of its own.
func (m *Model) chosen(c dialog.Choose) tea.Cmd {
	m.pop()
	switch c.List {
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
	var items []dialog.Item
	for _, a := range m.opt.Agents {
		i := dialog.Item{ID: a.ID, Title: a.Name, Do: dialog.StartAgent{Agent: a}, Current: a.Default}
		if i.Title == "" {
			i.Title = a.ID
		}
		switch a.Source {
		case config.SourceConfigured:
			i.Group, i.Detail = "Configured", acpclient.Command{Path: a.Command, Args: a.Args}.String()
		case config.SourceFound:
			i.Group, i.Detail = "Found on this machine", acpclient.Command{Path: a.Command, Args: a.Args}.String()
		case config.SourceBuiltIn:
			i.Group, i.Detail = "Built in", "what parley does, in two minutes: no account needed"
		}
		items = append(items, i)
	}
	return dialog.NewSelector(m.env(), dialog.List{Name: "agents", Title: "Choose an agent", Items: items})
}

// chooseMode lists the modes.
func (m *Model) chooseMode() tea.Cmd {
	c := m.conv
	if c == nil {
		return nil
	}
	if o := c.ModeOption(); o != nil {
		m.push(m.option(o.ID))
		return nil
	}
	modes := c.LegacyModes()
	if len(modes) == 0 {
		return m.say("this agent has no modes")
	}
	var items []dialog.Item
	for _, mode := range modes {
		items = append(items, dialog.Item{
			ID: string(mode.ID), Title: mode.Name, Detail: mode.Description,
			Current: mode.ID == c.LegacyMode(), Do: dialog.SetMode{Mode: mode.ID},
		})
	}
	m.push(dialog.NewSelector(m.env(), dialog.List{Name: "modes", Title: "Mode", Items: items}))
	return nil
}

// chooseModel lists the models.
func (m *Model) chooseModel() tea.Cmd {
	c := m.conv
	if c == nil {
		return nil
	}
	if o := c.OptionByCategory(acpclient.CategoryModel); o != nil {
		m.push(m.option(o.ID))
		return nil
	}
	models := c.LegacyModels()
	if len(models) == 0 {
		return m.say("this agent offers no models")
	}
	var items []dialog.Item
	for _, model := range models {
		items = append(items, dialog.Item{
			ID: model.ModelID, Title: model.Name, Detail: model.Description,
			Current: model.ModelID == c.Model, Do: dialog.SetModel{Model: model.ModelID},
		})
	}
	m.push(dialog.NewSelector(m.env(), dialog.List{Name: "models", Title: "Model", Items: items}))
	return nil
}

func (m *Model) chooseThoughtLevel() tea.Cmd {
	if m.conv == nil {
		return nil
	}
	o := m.conv.OptionByCategory(acpclient.CategoryThoughtLevel)
	if o == nil {
		return m.say("this agent offers no thought levels")
	}
	m.push(m.option(o.ID))
	return nil
}

func (m *Model) showOptions() tea.Cmd {
	if m.conv == nil || len(m.conv.Options) == 0 {
		return m.say("this agent has no options")
	}
	m.push(m.options())
	return nil
}

// palette lists what can be done, and the agent's commands.
func (m *Model) palette() dialog.Dialog {
	var items []dialog.Item
	for _, a := range config.Actions() {
		if a.Context != config.ContextPrompt || !here(a.Action) {
			continue
		}
		detail := ""
		if keys := m.keys.For(a.Action); len(keys) > 0 {
			detail = keys[0]
		}
		items = append(items, dialog.Item{ID: string(a.Action), Title: a.Help, Detail: detail, Do: dialog.Run{Action: a.Action}})
	}
	return dialog.NewSelector(m.env(), dialog.List{Name: "palette", Title: "Command palette", Items: items, Filter: true})
}

// here reports whether an action makes sense in the palette.
func here(a config.Action) bool {
	switch a {
	case config.ActionNextMode, config.ActionMode, config.ActionModel, config.ActionThoughtLevel, config.ActionOptions,
		config.ActionCancel, config.ActionFocusTranscript, config.ActionScrollTop, config.ActionScrollBottom,
		config.ActionHelp, config.ActionQuit:
		return true
	}
	return false
}

// startFailed tells that an agent could not even be tried.
func (m *Model) startFailed(a config.Agent, err error) dialog.Dialog {
	what, next := describe(a, err)
	return m.again(fmt.Sprintf("%s could not be started", a.Name), what, next)
}

func (m *Model) again(title, text, more string) dialog.Dialog {
	choices := []dialog.Item{{ID: "quit", Title: "Leave parley", Do: dialog.Choose{List: choiceAgain, ID: "quit"}}}
	if len(m.opt.Agents) > 0 {
		choices = append([]dialog.Item{{ID: "agents", Title: "Choose another agent", Do: dialog.Choose{List: choiceAgain, ID: "agents"}}}, choices...)
	}
	return m.confirm(question{Title: title, Text: text, More: more, Choices: choices})
}

// lost tells that the agent has gone, with what it wrote to stderr, and offers
// to start it again.
func (m *Model) lost() dialog.Dialog {
	title := "The agent has gone"
	if m.conv.Phase == session.PhaseFailed {
		title = "The agent could not be started"
	}
	what, next := describe(m.agent, m.conv.Agent.Err)
	return m.confirm(question{
		Title: title, Text: joinLines(what, next), More: m.conv.Agent.Stderr,
		Choices: []dialog.Item{
			{ID: "restart", Title: "Start it again", Do: dialog.Choose{List: choiceRestart, ID: "restart"}},
			{ID: "stay", Title: "Stay here and read", Do: dialog.Close{}},
			{ID: "quit", Title: "Leave parley", Do: dialog.Choose{List: choiceRestart, ID: "quit"}},
		},
	})
}

func (m *Model) sessionFailed(err error) dialog.Dialog {
	return m.confirm(question{
		Title: "The agent could not open the session", Text: err.Error(), More: m.session.Stderr(),
		Choices: []dialog.Item{
			{ID: "stay", Title: "Stay here and read", Do: dialog.Close{}},
			{ID: "quit", Title: "Leave parley", Do: dialog.Choose{List: choiceRestart, ID: "quit"}},
		},
	})
}

// stuck offers to stop an agent that does not react to a cancel.
func (m *Model) stuck() dialog.Dialog {
	return m.confirm(question{
		Title: "The agent does not react",
		Text:  fmt.Sprintf("It was asked to cancel %s ago. Stopping it ends its process; what is on the screen stays.", elapsed(m.now().Sub(m.conv.Turn.Cancelling))),
		Choices: []dialog.Item{
			{ID: "wait", Title: "Go on waiting", Do: dialog.Close{}},
			{ID: "stop", Title: "Stop the agent", Do: dialog.Choose{List: choiceStop, ID: "stop"}},
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
	return browse(a.URL)
}
