package dialog

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/theme"
)

// Options lists the session's options in the agent's order, and follows the conversation.
// It stays open after a change.
type Options struct {
	env  Env
	conv *conversation.Conversation
	list *Selector
	// values lists the values of one option; nil if closed.
	values *Selector
}

func NewOptions(env Env, c *conversation.Conversation) *Options {
	d := &Options{env: env, conv: c}
	d.list = newFollowing(env, List{Title: "Options", Empty: "The agent has nothing to set."}, func() []Item { return optionItems(d.conv) })
	return d
}

// optionRow is the choice of an option: it lists its values or toggles it.
type optionRow struct{ id string }

func (optionRow) action() {}

// stays implements [Staying].
func (d *Options) stays() {}

func optionItems(c *conversation.Conversation) []Item {
	var items []Item
	for i := range c.Options {
		o := &c.Options[i]
		it := Item{ID: string(o.ID), Title: o.Name, About: o.Description, Do: optionRow{string(o.ID)}}
		switch o.Type {
		case acpclient.ConfigSelect, acpclient.ConfigBoolean:
			v, pending := c.OptionValue(o)
			it.Detail, it.Pending = conversation.ValueName(o, v), pending
		default:
			it.Detail, it.Disabled = "not supported by parley", true
		}
		items = append(items, it)
	}
	return items
}

// open returns the list that has the keys. It closes a list of values whose option is
// gone.
func (d *Options) open() *Selector {
	if d.values != nil && len(d.values.follow()) == 0 {
		d.values = nil
	}
	if d.values != nil {
		return d.values
	}
	return d.list
}

// Key implements [Dialog].
func (d *Options) Key(msg tea.KeyPressMsg) Action {
	s := d.open()
	if s == d.list && msg.String() == "space" && s.input.Text() == "" {
		s.refresh()
		return d.env.done(msg, d.settle(s.choose()))
	}
	return d.env.done(msg, d.settle(s.press(msg)))
}

// settle converts an action of a list into one of the dialog.
func (d *Options) settle(a Action) Action {
	if d.values != nil {
		switch a.(type) {
		case nil:
			return nil
		case Close:
			a = nil
		}
		d.values = nil
		return a
	}
	chosen, ok := a.(optionRow)
	if !ok {
		return a
	}
	o := d.conv.Option(acpclient.ConfigID(chosen.id))
	switch {
	case o == nil:
	case o.Type == acpclient.ConfigBoolean:
		v, _ := d.conv.OptionValue(o)
		return SetOption{o.ID, acpclient.BoolValue(!v.Bool)}
	default:
		d.values = NewOption(d.env, d.conv, o.ID)
	}
	return nil
}

// Paste implements [Dialog].
func (d *Options) Paste(text string) Action { return d.settle(d.open().Paste(text)) }

// Mouse implements [Dialog].
func (d *Options) Mouse(msg tea.MouseMsg, x, y int) Action {
	return d.settle(d.open().Mouse(msg, x, y))
}

// View implements [Dialog].
func (d *Options) View(width, maxHeight int) View { return d.open().View(width, maxHeight) }

// Hints implements [Dialog].
func (d *Options) Hints() []Hint {
	s := d.open()
	if s == d.values {
		s.closing = "back to the options"
	}
	return s.Hints()
}

// SetTheme implements [Dialog].
func (d *Options) SetTheme(th *theme.Theme) {
	d.env.Theme = th
	d.list.SetTheme(th)
	if d.values != nil {
		d.values.SetTheme(th)
	}
}
