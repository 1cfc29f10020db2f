package conversation

import (
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
)

// agentChanges is what the agent has changed about the options without being asked.
type agentChanges struct {
	// changed lists the options that the last event has changed.
	changed []acpclient.ConfigID
	// told is the note about the latest changes, which further changes are merged into
	// while it is the last item, and toldChanges is what it says.
	told        *Note
	toldChanges []optionChange
}

// optionChange is a change of an option that the person did not ask for.
type optionChange struct {
	id   acpclient.ConfigID
	name string
	// from and to are the names of the values; nil if there is no such option.
	from, to *string
	// instead is the value that the person asked for, or "".
	instead string
}

// ChangedByAgent returns the options that the agent has changed with the last event
// without being asked for that.
func (c *Conversation) ChangedByAgent() []acpclient.ConfigID { return c.changed }

// tellChanges notes what the agent has changed about the options. before is the previous
// state of the options, answer the switch that the agent has just answered, if any.
func (c *Conversation) tellChanges(before []acpclient.SessionConfigOption, answer *OptionSettled) {
	if c.Phase != PhaseReady || len(before) == 0 {
		return
	}
	var changes []optionChange
	for i := range c.Options {
		o := &c.Options[i]
		if change, ok := c.changeOf(optionIn(before, o.ID), o, answer); ok {
			changes = append(changes, change)
		}
	}
	for i := range before {
		if o := &before[i]; c.Option(o.ID) == nil {
			changes = append(changes, optionChange{id: o.ID, name: o.Name, from: currentName(o)})
		}
	}
	if len(changes) == 0 {
		return
	}
	for _, change := range changes {
		c.changed = append(c.changed, change.id)
	}
	if n := len(c.Items); n > 0 && c.Items[n-1] == Item(c.told) {
		if merged, ok := mergeChanges(c.toldChanges, changes); ok {
			c.toldChanges = merged
			c.told.Title = changeText(merged)
			c.told.changed()
			return
		}
	}
	c.told, c.toldChanges = &Note{Severity: acpclient.NoticeInfo, Title: changeText(changes)}, changes
	c.addItem(c.told)
}

// changeOf returns how an option differs from its previous state, nil if it is new, or
// from what the person asked for. A value that the person waits for is no change.
func (c *Conversation) changeOf(before, now *acpclient.SessionConfigOption, answer *OptionSettled) (optionChange, bool) {
	change := optionChange{id: now.ID, name: now.Name, to: currentName(now)}
	if before == nil {
		return change, true
	}
	change.from = currentName(before)
	pending := c.pending[now.ID]
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

func optionIn(options []acpclient.SessionConfigOption, id acpclient.ConfigID) *acpclient.SessionConfigOption {
	i := slices.IndexFunc(options, func(o acpclient.SessionConfigOption) bool { return o.ID == id })
	if i < 0 {
		return nil
	}
	return &options[i]
}

func currentName(o *acpclient.SessionConfigOption) *string {
	name := ValueName(o, o.CurrentValue)
	return &name
}

// mergeChanges adds changes to earlier ones. It fails if an option was changed between
// the two: the result would not say so.
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
		return o.name + " is gone"
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
