package tab

import (
	"slices"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/theme"
)

const (
	// slowSwitch is when parley says that the agent has not answered a switch.
	slowSwitch = app.SlowAnswer
	// freshTime is how long a value stands out that the agent has changed by itself.
	freshTime = 6 * time.Second
)

// options follows the options of the session.
type options struct {
	*ui
	*app.Live
	// fresh holds when the agent has last changed an option by itself.
	fresh map[acpclient.ConfigID]time.Time
	model acpclient.ConfigValueID // remembered as used
	// refused are the modes that the agent has refused since it took one.
	refused map[acpclient.ConfigValueID]bool
}

// Follow handles an event that was applied to the conversation.
func (o *options) Follow(e conversation.Event) tea.Cmd {
	var cmds []tea.Cmd
	if changed := o.Conversation.ChangedByAgent(); len(changed) > 0 {
		if o.fresh == nil {
			o.fresh = map[acpclient.ConfigID]time.Time{}
		}
		for _, id := range changed {
			o.fresh[id] = o.program.Now()
		}
		cmds = append(cmds, redraw(freshTime))
	}
	switch e := e.(type) {
	case conversation.OptionSettled:
		o.noteMode(e)
	case conversation.OptionChosen:
		cmds = append(cmds, redraw(slowSwitch))
	case conversation.PromptSent:
		cmds = append(cmds, o.rememberModel())
	}
	return tea.Batch(cmds...)
}

// noteMode notes which modes the agent refuses.
func (o *options) noteMode(e conversation.OptionSettled) {
	mode := o.Conversation.OptionByCategory(acpclient.CategoryMode)
	switch {
	case mode == nil || mode.ID != e.Option:
	case e.Err == nil:
		o.refused = nil
	default:
		if o.refused == nil {
			o.refused = map[acpclient.ConfigValueID]bool{}
		}
		o.refused[e.Value.ID] = true
	}
}

// Fresh reports whether the agent has just changed an option by itself.
func (o *options) Fresh(id acpclient.ConfigID) bool {
	at, ok := o.fresh[id]
	return ok && o.program.Now().Sub(at) < freshTime
}

// Slow returns the first option with a switch that the agent has left unanswered for a while,
// and the switch; nil if there is none.
func (o *options) Slow() (*acpclient.SessionConfigOption, conversation.OptionChosen) {
	c := o.Conversation
	for i := range c.Options {
		if to, pending := c.Pending(&c.Options[i]); pending && o.program.Now().Sub(to.At) >= slowSwitch {
			return &c.Options[i], to
		}
	}
	return nil, conversation.OptionChosen{}
}

// TakeBack reverts that switch, and reports whether there was one.
func (o *options) TakeBack() bool {
	slow, _ := o.Slow()
	if slow == nil {
		return false
	}
	session.Post(o.Session, session.SetOption{Option: slow.ID, Value: slow.CurrentValue})
	return true
}

// rememberModel remembers the model that a prompt goes to.
func (o *options) rememberModel() tea.Cmd {
	model := o.Conversation.OptionByCategory(acpclient.CategoryModel)
	if model == nil || model.CurrentValue.ID == o.model {
		return nil
	}
	o.model = model.CurrentValue.ID
	agent, id := o.Agent, o.model
	return bestEffort(func() error { return o.program.RememberModel(agent, id) })
}

// nextMode switches to the next mode, or toggles a mode that is on or off.
func nextMode(l *live) tea.Cmd {
	c := l.Conversation
	o := c.OptionByCategory(acpclient.CategoryMode)
	if o == nil {
		return l.say(noModes)
	}
	now, _ := c.OptionValue(o)
	if o.Type == acpclient.ConfigBoolean {
		session.Post(l.Session, session.SetOption{Option: o.ID, Value: acpclient.BoolValue(!now.Bool)})
		return nil
	}
	values := o.Options.All()
	if len(values) == 0 {
		return l.say(o.Name + " has no values")
	}
	i := slices.IndexFunc(values, func(v acpclient.ConfigSelectOption) bool { return v.Value == now.ID })
	if i == 0 && len(values) == 1 {
		return l.say(o.Name + " has no other value than " + values[0].Name)
	}
	next := values[(i+1)%len(values)].Value
	for n := range len(values) - 1 {
		if v := values[(i+1+n)%len(values)].Value; v != now.ID && !l.options.refused[v] {
			next = v
			break
		}
	}
	session.Post(l.Session, session.SetOption{Option: o.ID, Value: acpclient.SelectValue(next)})
	return nil
}

// modeStyle is the style of the badge of a mode: its colour says what the mode allows.
func modeStyle(autonomy conversation.Autonomy, th *theme.Theme) lipgloss.Style {
	switch autonomy {
	case conversation.LooksOnly:
		return th.BadgeInfo
	case conversation.EditsFreely:
		return th.BadgeWarning
	case conversation.DoesAnything:
		return th.BadgeError
	}
	return th.BadgeMode
}

// statusPart is a part of the status line. Where room is short, the parts with the lowest
// rank go first, and of those the last one. Those about usage, model and mode take their
// short form first.
type statusPart struct {
	text  string
	whole string   // in place of text if the line has room for all, or ""
	short []string // ever shorter
	rank  int
}

// The ranks of the parts of the status line.
const (
	rankAgent = iota
	rankOption
	rankBounds
	rankUsage
	rankChanged // the user acts on it
	rankModel
	rankMode // what the agent may do without asking
)

// settingsParts draws mode, model, and the options that are not at their default, in the
// agent's order. Those about the model follow the model. fresh, which may be nil, reports
// whether the agent has just changed an option by itself. badge means that the first part
// is a badge.
func settingsParts(c *conversation.Conversation, fresh func(acpclient.ConfigID) bool, th *theme.Theme) (parts []statusPart, badge bool) {
	mode, model := c.OptionByCategory(acpclient.CategoryMode), c.OptionByCategory(acpclient.CategoryModel)
	add := func(o *acpclient.SessionConfigOption) {
		style, rank := th.Text, rankOption
		switch {
		case o == mode:
			style, rank = modeStyle(c.Autonomy(), th), rankMode
			badge = badge || len(parts) == 0
		case o == model:
			rank = rankModel
		case o.Category == acpclient.CategoryThoughtLevel:
			style = th.Muted
		}
		fresh := fresh != nil && fresh(o.ID)
		if rank == rankOption && o.Category != acpclient.CategoryMode && c.AtDefault(o) && !fresh {
			return
		}
		if text := drawSetting(c, o, style, longestValue, fresh, th); text != "" {
			var short []string
			if o == model {
				short = append(short, drawSetting(c, o, style, shortModel, fresh, th))
			}
			whole := drawSetting(c, o, style, wholeValue, fresh, th)
			parts = append(parts, statusPart{text, whole, short, rank})
		}
	}
	for i := range c.Options {
		o := &c.Options[i]
		if model != nil && o.Category == acpclient.CategoryModelConfig {
			continue
		}
		add(o)
		for j := range c.Options {
			if o == model && c.Options[j].Category == acpclient.CategoryModelConfig {
				add(&c.Options[j])
			}
		}
	}
	return parts, badge
}

// drawSetting draws an option's value in at most so many cells, and a pending one behind it. The
// first mode is a badge. It returns "" if there is nothing to show.
func drawSetting(c *conversation.Conversation, o *acpclient.SessionConfigOption, style lipgloss.Style, most int, fresh bool, th *theme.Theme) string {
	text := settingWords(o, max(most, longestValue))
	if most < longestValue {
		text = termtext.Truncate(text, most, "…")
	}
	if text == "" {
		return ""
	}
	if o == c.OptionByCategory(acpclient.CategoryMode) {
		text = " " + text + " "
	}
	if fresh {
		style = style.Bold(true).Reverse(true)
	}
	text = style.Render(text)
	if to, pending := c.Pending(o); pending {
		text += th.Muted.Render(" → " + settingValue(o, to.Value) + "…")
	}
	return text
}

// settingWords returns an option's value in at most so many cells, with a label if the value
// alone is unclear; "" if it has none.
func settingWords(o *acpclient.SessionConfigOption, most int) string {
	label, value := settingLabel(o), termtext.Truncate(termtext.Line(conversation.ValueName(o, o.CurrentValue)), most, "…")
	switch {
	case value == "":
		return ""
	case o.CurrentValue.IsBool && o.CurrentValue.Bool && o.Category == acpclient.CategoryMode:
		return label
	case !saysWhatItIs(o.Category, label, value):
		return label + " " + value
	}
	return value
}

// longestValue bounds the name of a value, in cells: names can be whole sentences. Where
// there is room for all of the line, wholeValue does.
const (
	longestValue = 32
	wholeValue   = 80
)

// shortModel bounds the model's name where room is short.
const shortModel = 16

// settingValue returns the name of a value.
func settingValue(o *acpclient.SessionConfigOption, v acpclient.ConfigValue) string {
	return termtext.Truncate(termtext.Line(conversation.ValueName(o, v)), longestValue, "…")
}

// settingLabel returns an option's label in front of its value.
func settingLabel(o *acpclient.SessionConfigOption) string {
	switch o.Category {
	case acpclient.CategoryMode:
		if o.Name == "" {
			return "mode"
		}
	case acpclient.CategoryModel:
		return "model"
	}
	label := termtext.Line(o.Name)
	if first, rest, _ := strings.Cut(label, " "); rest == strings.ToLower(rest) && len(first) > 1 && first[1:] == strings.ToLower(first[1:]) {
		label = strings.ToLower(label) // a word, not a proper name
	}
	return label
}

// vague reports whether a value means nothing without a label.
func vague(value string) bool {
	word, _, _ := strings.Cut(value, "(")
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "default", "auto", "automatic", "standard", "normal", "regular", "none", "on", "off", "yes", "no", "enabled",
		"disabled", "low", "medium", "high", "max", "min", "minimal", "custom", "other":
		return true
	}
	return false
}

// saysWhatItIs reports whether a value needs no label. Modes and models need none if they
// contain a specific word; other values must contain the label.
func saysWhatItIs(category acpclient.ConfigCategory, label, value string) bool {
	if strings.Contains(strings.ToLower(value), strings.ToLower(label)) {
		return true
	}
	switch category {
	case acpclient.CategoryMode, acpclient.CategoryModel:
		return !vague(value) && strings.ContainsFunc(value, unicode.IsLetter)
	}
	return false
}
