package conversation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/acpclient"
)

// The ids of the options that stand for the modes and models of an agent without config
// options. Each is the name of the method that sets it, which no agent uses as an id.
const (
	LegacyModeID  acpclient.ConfigID = "session/set_mode"
	LegacyModelID acpclient.ConfigID = "session/set_model"
)

// settings is what is known about the options besides their values.
type settings struct {
	// pending holds the switches of each option that the agent has not answered,
	// oldest first.
	pending map[acpclient.ConfigID][]OptionChosen
	// settled is the number of the latest completed switch of each option.
	settled map[acpclient.ConfigID]int
	// stated holds the options whose value the agent has reported since the last switch or
	// answer.
	stated map[acpclient.ConfigID]bool
	// names are the names of options that the user has switched, since options can disappear.
	names map[acpclient.ConfigID]string
	// initial is the first value that the agent has reported for each option.
	initial map[acpclient.ConfigID]acpclient.ConfigValue
	// optionsGiven means that the agent has config options, which replace its modes and models
	// for display and switching.
	optionsGiven bool
}

// optionName returns the name of an option, even if the agent no longer has it.
func (s *State) optionName(id acpclient.ConfigID) string {
	if o := s.Option(id); o != nil {
		return o.Name
	}
	return cmp.Or(s.names[id], legacyNames[id], "The option")
}

// Legacy reports whether an option stands for the agent's modes or models, which its config
// options have not replaced. They may do so after the user has chosen it.
func (s *State) Legacy(id acpclient.ConfigID) bool {
	_, stands := legacyNames[id]
	return stands && (!s.optionsGiven || s.Option(id) == nil)
}

// replaceOptions sets the state of all options. It ignores options of an unknown type, as the
// protocol requires, and options and values whose ID another one has, since only the ID is sent;
// the stored event still has them.
func (s *State) replaceOptions(all []acpclient.SessionConfigOption) {
	all = first(all, mostOptions)
	known := make([]acpclient.SessionConfigOption, 0, len(all))
	taken := map[acpclient.ConfigID]bool{}
	for _, o := range all {
		if (o.Type == acpclient.ConfigSelect || o.Type == acpclient.ConfigBoolean) && !taken[o.ID] {
			taken[o.ID] = true
			o.Options = distinct(o.Options)
			if o.Category == acpclient.CategoryModel {
				o.Options = modelNames(o.Options)
			}
			known = append(known, o)
			s.stated[o.ID] = true
			if _, later := s.initial[o.ID]; !later {
				s.initial[o.ID] = o.CurrentValue
			}
		}
	}
	s.Options, s.optionsGiven = known, true
	if len(s.initial) > 2*mostOptions { // for an agent that keeps renaming its options
		gone := func(id acpclient.ConfigID) bool { return s.Option(id) == nil }
		maps.DeleteFunc(s.initial, func(id acpclient.ConfigID, _ acpclient.ConfigValue) bool { return gone(id) })
		maps.DeleteFunc(s.stated, func(id acpclient.ConfigID, _ bool) bool { return gone(id) })
	}
}

// distinct returns values without those whose ID an earlier one has.
func distinct(groups acpclient.ConfigSelectOptions) acpclient.ConfigSelectOptions {
	taken := map[acpclient.ConfigValueID]bool{}
	groups = slices.Clone(groups)
	for i, g := range groups {
		groups[i].Options = slices.DeleteFunc(slices.Clone(g.Options), func(v acpclient.ConfigSelectOption) bool {
			was := taken[v.Value]
			taken[v.Value] = true
			return was
		})
	}
	return groups
}

// modelNames names a model by its ID if its name is only the ID with a capital, such as
// Qwen3-coder for qwen3-coder: the ID is what the configuration and --option take.
func modelNames(groups acpclient.ConfigSelectOptions) acpclient.ConfigSelectOptions {
	groups = slices.Clone(groups)
	for i, g := range groups {
		groups[i].Options = slices.Clone(g.Options)
		for j, v := range g.Options {
			if id := string(v.Value); strings.ContainsAny(id, "-0123456789") && len(v.Name) == len(id) && strings.EqualFold(v.Name[:1], id[:1]) && v.Name[1:] == id[1:] {
				groups[i].Options[j].Name = id
			}
		}
	}
	return groups
}

// updateOptions sets the state of all options, from the answer to a switch or, if answer is
// nil, from an update, and records the changes.
func (s *State) updateOptions(all []acpclient.SessionConfigOption, answer *OptionSettled) {
	before, given := s.Options, s.optionsGiven
	s.replaceOptions(all)
	if given { // else they replace modes and models
		s.recordOptionChanges(before, answer)
	}
}

// takeLegacy creates options for the modes and models of an agent without config options. What
// the state does not mention stays.
func (s *State) takeLegacy(opened acpclient.SessionState) {
	offer := func(id acpclient.ConfigID, category acpclient.ConfigCategory, current string, values []acpclient.ConfigSelectOption) *acpclient.SessionConfigOption {
		return &acpclient.SessionConfigOption{
			ID: id, Name: legacyNames[id], Category: category, Type: acpclient.ConfigSelect,
			CurrentValue: acpclient.SelectValue(acpclient.ConfigValueID(current)), Options: distinct(acpclient.Ungrouped(values...)),
		}
	}
	mode, model := s.Option(LegacyModeID), s.Option(LegacyModelID)
	var values []acpclient.ConfigSelectOption
	if opened.Modes != nil {
		for _, m := range opened.Modes.AvailableModes {
			values = append(values, acpclient.ConfigSelectOption{Value: acpclient.ConfigValueID(m.ID), Name: m.Name, Description: m.Description})
		}
		mode, values = offer(LegacyModeID, acpclient.CategoryMode, string(opened.Modes.CurrentModeID), values), nil
	}
	if opened.Models != nil {
		for _, m := range opened.Models.AvailableModels {
			values = append(values, acpclient.ConfigSelectOption{Value: acpclient.ConfigValueID(m.ModelID), Name: cmp.Or(m.Name, m.ModelID), Description: m.Description})
		}
		model = offer(LegacyModelID, acpclient.CategoryModel, opened.Models.CurrentModelID, values)
	}
	s.Options = nil
	for _, o := range []*acpclient.SessionConfigOption{mode, model} {
		if o != nil && len(o.Options.All()) > 0 {
			s.Options = append(s.Options, *o)
		}
	}
}

var legacyNames = map[acpclient.ConfigID]string{LegacyModeID: "Mode", LegacyModelID: "Model"}

// applyMode sets the current mode. Agents with config options and modes may report a change
// only in this older way, so the option of the category mode follows it. A config option takes
// only values that it offers; an unlisted mode is shown by its id.
func (s *State) applyMode(id acpclient.SessionModeID) {
	o := s.OptionByCategory(acpclient.CategoryMode)
	if o == nil || o.Type != acpclient.ConfigSelect {
		return
	}
	value := acpclient.ConfigValueID(id)
	offered := slices.ContainsFunc(o.Options.All(), func(v acpclient.ConfigSelectOption) bool { return v.Value == value })
	if offered || o.ID == LegacyModeID {
		before := s.Options
		s.stated[o.ID] = true
		s.setOption(o.ID, acpclient.SelectValue(value))
		s.recordOptionChanges(before, nil)
	}
}

// setOption sets the value of one option, without modifying what was received.
func (s *State) setOption(id acpclient.ConfigID, v acpclient.ConfigValue) {
	s.Options = slices.Clone(s.Options)
	if o := s.Option(id); o != nil {
		o.CurrentValue = v
	}
}

func (e OptionChosen) fold(s *State) {
	s.LastNumber = max(s.LastNumber, e.Seq)
	s.names[e.Option] = s.optionName(e.Option)
	s.pending[e.Option] = append(s.pending[e.Option], e)
	delete(s.stated, e.Option)
}

// fold applies the agent's answer to a switch. The agent's latest word counts:
// an answer without a state sets the value that was sent, unless the agent has reported one
// meanwhile or has answered a later switch.
func (e OptionSettled) fold(s *State) {
	asked := slices.ContainsFunc(s.pending[e.Option], func(p OptionChosen) bool { return p.Seq == e.Seq })
	s.pending[e.Option] = slices.DeleteFunc(s.pending[e.Option], func(p OptionChosen) bool { return p.Seq <= e.Seq })
	if len(s.pending[e.Option]) == 0 {
		delete(s.pending, e.Option)
	}
	stated := s.stated[e.Option]
	delete(s.stated, e.Option)
	if e.Err != nil {
		return
	}
	overtaken := e.Seq < s.settled[e.Option]
	s.settled[e.Option] = max(e.Seq, s.settled[e.Option])
	var answer *OptionSettled
	if asked && !overtaken {
		answer = &e
	}
	if e.Options != nil { // the agent's full current state
		s.updateOptions(e.Options, answer)
		delete(s.stated, e.Option)
		return
	}
	before := s.Options
	if !overtaken && !stated {
		s.setOption(e.Option, e.Value)
	}
	s.recordOptionChanges(before, answer)
}

// Option returns the option with this id, nil if there is none.
func (s *State) Option(id acpclient.ConfigID) *acpclient.SessionConfigOption {
	return optionIn(s.Options, func(o *acpclient.SessionConfigOption) bool { return o.ID == id })
}

// OptionByCategory returns the first option of a category, nil if there is none. The agent
// lists options by priority.
func (s *State) OptionByCategory(cat acpclient.ConfigCategory) *acpclient.SessionConfigOption {
	return optionIn(s.Options, func(o *acpclient.SessionConfigOption) bool { return o.Category == cat })
}

// OptionWord returns the user's word for an option: its id, or the name of one that stands for
// a method of the protocol. OptionNamed accepts both.
func OptionWord(id acpclient.ConfigID) string {
	return cmp.Or(strings.ToLower(legacyNames[id]), string(id))
}

// OptionNamed finds an option by its id, or else by its name; nil if there is none.
func OptionNamed(options []acpclient.SessionConfigOption, name string) *acpclient.SessionConfigOption {
	if o := optionIn(options, func(o *acpclient.SessionConfigOption) bool { return string(o.ID) == name }); o != nil {
		return o
	}
	return optionIn(options, func(o *acpclient.SessionConfigOption) bool { return strings.EqualFold(o.Name, name) })
}

// optionIn returns the first matching option, or nil.
func optionIn(options []acpclient.SessionConfigOption, fits func(*acpclient.SessionConfigOption) bool) *acpclient.SessionConfigOption {
	for i := range options {
		if fits(&options[i]) {
			return &options[i]
		}
	}
	return nil
}

// OptionValue returns the latest requested value of an option if the agent has not answered,
// with pending, else the current one.
func (s *State) OptionValue(o *acpclient.SessionConfigOption) (v acpclient.ConfigValue, pending bool) {
	if p := s.pending[o.ID]; len(p) > 0 {
		return p[len(p)-1].Value, true
	}
	return o.CurrentValue, false
}

// Pending returns the latest unanswered switch of an option to another value.
func (s *State) Pending(o *acpclient.SessionConfigOption) (to OptionChosen, ok bool) {
	p := s.pending[o.ID]
	if len(p) == 0 || p[len(p)-1].Value == o.CurrentValue {
		return OptionChosen{}, false
	}
	return p[len(p)-1], true
}

// AtDefault reports whether an option has the value that the agent reported first, and no
// switch is pending.
func (s *State) AtDefault(o *acpclient.SessionConfigOption) bool {
	v, stated := s.initial[o.ID]
	_, pending := s.Pending(o)
	return stated && v == o.CurrentValue && !pending
}

// CategoryValue returns the name of [State.OptionValue] of the first option of a category, ""
// without one.
func (s *State) CategoryValue(cat acpclient.ConfigCategory) (name string, pending bool) {
	o := s.OptionByCategory(cat)
	if o == nil {
		return "", false
	}
	v, pending := s.OptionValue(o)
	return ValueName(o, v), pending
}

// ValueNamed finds a value of an option by its id, else by its name; for a boolean option, by
// a word such as "on".
func ValueNamed(o *acpclient.SessionConfigOption, name string) (acpclient.ConfigValue, bool) {
	if o.Type == acpclient.ConfigBoolean {
		switch strings.ToLower(name) {
		case "true", "on", "yes":
			return acpclient.BoolValue(true), true
		case "false", "off", "no":
			return acpclient.BoolValue(false), true
		}
		return acpclient.ConfigValue{}, false
	}
	all := o.Options.All()
	i := slices.IndexFunc(all, func(v acpclient.ConfigSelectOption) bool { return string(v.Value) == name })
	if i < 0 {
		i = slices.IndexFunc(all, func(v acpclient.ConfigSelectOption) bool { return strings.EqualFold(v.Name, name) })
	}
	if i < 0 {
		return acpclient.ConfigValue{}, false
	}
	return acpclient.SelectValue(all[i].Value), true
}

// ValueName returns the agent's name for a value of an option, or on or off.
func ValueName(o *acpclient.SessionConfigOption, v acpclient.ConfigValue) string {
	if v.IsBool {
		if v.Bool {
			return "on"
		}
		return "off"
	}
	for _, s := range o.Options.All() {
		if s.Value == v.ID {
			return s.Name
		}
	}
	return string(v.ID)
}

// optionChange is a change of an option that the user did not ask for.
type optionChange struct {
	id   acpclient.ConfigID
	name string
	// from and to are the names of the values; nil if the option did not exist, or does not
	// any more.
	from, to *string
	// instead is the value that the user had asked for, or "".
	instead string
}

// ChangedByAgent returns the options that the agent has changed unasked with the last event.
func (c *Conversation) ChangedByAgent() []acpclient.ConfigID {
	var ids []acpclient.ConfigID
	for _, change := range c.effect.options {
		ids = append(ids, change.id)
	}
	return ids
}

// recordOptionChanges records what the agent has changed since the options were as before.
// answer is the switch that it has just answered, or nil.
func (s *State) recordOptionChanges(before []acpclient.SessionConfigOption, answer *OptionSettled) {
	if s.Phase != PhaseReady || len(before) == 0 {
		return
	}
	for i := range s.Options {
		o := &s.Options[i]
		was := optionIn(before, func(b *acpclient.SessionConfigOption) bool { return b.ID == o.ID })
		if change, ok := s.changeOf(was, o, answer); ok {
			s.effect.options = append(s.effect.options, change)
		}
	}
	for i := range before {
		if o := &before[i]; s.Option(o.ID) == nil {
			s.effect.options = append(s.effect.options, optionChange{id: o.ID, name: o.Name, from: currentName(o)})
		}
	}
}

// showOptionChanges adds a note about the agent's changes of options.
func (c *Conversation) showOptionChanges() {
	changes := c.effect.options
	if len(changes) == 0 {
		return
	}
	if n := len(c.Items); n > 0 && c.Items[n-1] == Item(c.changes) {
		if merged, ok := mergeChanges(c.noted, changes); ok {
			c.noted = merged
			c.changes.Title = changeText(merged)
			c.changes.changed()
			return
		}
	}
	c.changes, c.noted = &Note{Severity: acpclient.NoticeInfo, Title: changeText(changes)}, changes
	c.addItem(c.changes)
}

// changeOf compares an option with its earlier state, nil if it is new, or with the value that
// the user asked for. A value that the user has asked for is no change.
func (s *State) changeOf(before, now *acpclient.SessionConfigOption, answer *OptionSettled) (optionChange, bool) {
	change := optionChange{id: now.ID, name: now.Name, to: currentName(now)}
	if before == nil {
		return change, true
	}
	change.from = currentName(before)
	pending := s.pending[now.ID]
	differs := before.CurrentValue != now.CurrentValue
	if answer != nil && answer.Option == now.ID && len(pending) == 0 {
		if now.CurrentValue == answer.Value {
			return change, false
		}
		change.instead = ValueName(now, answer.Value)
		return change, true
	}
	asked := slices.ContainsFunc(pending, func(p OptionChosen) bool { return p.Value == now.CurrentValue }) ||
		answer != nil && answer.Option == now.ID && answer.Value == now.CurrentValue
	return change, differs && !asked
}

func currentName(o *acpclient.SessionConfigOption) *string {
	name := ValueName(o, o.CurrentValue)
	return &name
}

// mergeChanges adds changes to earlier ones. It fails if an option changed between the two,
// which the result could not show.
func mergeChanges(earlier, later []optionChange) ([]optionChange, bool) {
	all := slices.Clone(earlier)
	for _, change := range later {
		i := slices.IndexFunc(all, func(e optionChange) bool { return e.id == change.id })
		if i < 0 {
			all = append(all, change)
			continue
		}
		if !sameName(all[i].to, change.from) {
			return nil, false
		}
		change.from = all[i].from
		all[i] = change
	}
	return all, true
}

func sameName(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// mostChanges bounds the changes that a note lists.
const mostChanges = 8

// changeText describes changes in one line.
func changeText(changes []optionChange) string {
	var parts []string
	for _, change := range changes[:min(len(changes), mostChanges)] {
		parts = append(parts, change.String())
	}
	if n := len(changes) - mostChanges; n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(parts, ", ") + " (changed by the agent)"
}

func (o optionChange) String() string {
	var text string
	switch {
	case o.to == nil:
		return o.name + " is no longer offered"
	case o.from == nil:
		text = fmt.Sprintf("%s is new: %s", o.name, *o.to)
	case o.instead != "" && *o.from == *o.to:
		text = o.name + ": " + *o.to
	case *o.from == *o.to:
		text = fmt.Sprintf("%s: %s again", o.name, *o.to)
	default:
		text = fmt.Sprintf("%s: %s → %s", o.name, *o.from, *o.to)
	}
	if o.instead != "" {
		text += " instead of " + o.instead
	}
	return text
}
