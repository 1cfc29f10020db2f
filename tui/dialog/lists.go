package dialog

import (
	"fmt"
	"strings"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
)

// NewCategory lists the values of the first option of a category, and follows the
// conversation. It returns nil if there is no option that can be set.
func NewCategory(env Env, c *conversation.Conversation, cat acpclient.ConfigCategory) *Selector {
	o := c.OptionByCategory(cat)
	if o == nil {
		return nil
	}
	return NewOption(env, c, o.ID)
}

// NewOption lists the values of an option, and follows the conversation. It returns nil if
// there is no such option that can be set.
func NewOption(env Env, c *conversation.Conversation, id acpclient.ConfigID) *Selector {
	o := c.Option(id)
	if o == nil || o.Type != acpclient.ConfigSelect && o.Type != acpclient.ConfigBoolean {
		return nil
	}
	return newFollowing(env, List{Title: o.Name}, func() []Item { return valueItems(c, id) })
}

// NewFollowing shows a list that updates its items whenever it is used.
func NewFollowing(env Env, l List, items func() []Item) *Selector { return newFollowing(env, l, items) }

func newFollowing(env Env, l List, items func() []Item) *Selector {
	l.Items = items()
	s := NewSelector(env, l)
	s.follow = items
	return s
}

func valueItems(c *conversation.Conversation, id acpclient.ConfigID) []Item {
	o := c.Option(id)
	if o == nil {
		return nil
	}
	value, pending := c.OptionValue(o)
	item := func(group string, v acpclient.ConfigValue, title, detail string) Item {
		return Item{
			ID: string(v.ID), Title: title, Detail: detail, Group: group,
			Current: v == value, Pending: v == value && pending, Do: SetOption{id, v},
		}
	}
	if o.Type == acpclient.ConfigBoolean {
		on, off := acpclient.BoolValue(true), acpclient.BoolValue(false)
		items := []Item{item("", on, "on", ""), item("", off, "off", "")}
		items[0].ID, items[1].ID = "on", "off"
		return items
	}
	var items []Item
	for _, g := range o.Options {
		for _, v := range g.Options {
			items = append(items, item(g.Name, acpclient.SelectValue(v.Value), v.Name, v.Description))
		}
	}
	return items
}

// AgentItems returns the items of agents to start.
func AgentItems(agents []config.Agent) []Item {
	groups := map[config.Source]string{
		config.SourceConfigured: "Configured",
		config.SourceInstalled:  "Installed",
		config.SourceFound:      "Found on this machine",
		config.SourceBuiltIn:    "Built in",
	}
	items := make([]Item, len(agents))
	for i, a := range agents {
		name := a.Name
		if name == "" {
			name = a.ID
		}
		detail := strings.Join(append([]string{a.Command}, a.Args...), " ")
		if a.Address != "" {
			detail = "listens at " + a.Listens()
		}
		if a.Source == config.SourceBuiltIn {
			detail = "what parley does, in two minutes: no account needed"
		}
		if a.Origin != nil {
			detail = a.Origin.Version + "  " + detail
		}
		if a.Reason != "" {
			detail = a.Reason
		}
		items[i] = Item{ID: a.ID, Title: name, Detail: detail, Group: groups[a.Source], Current: a.Default, Dim: a.Reason != "", Do: StartAgent{a}}
	}
	return items
}

// SessionItem returns the item of a session: its title, the time of last use, if known,
// and further details.
func SessionItem(title string, used, now time.Time, about ...string) Item {
	detail := strings.Join(about, "  ")
	if !used.IsZero() {
		detail = fmt.Sprintf("%-9s  %s", ago(now.Sub(used)), detail)
	}
	return Item{Title: title, Detail: detail}
}

// ago describes a time span roughly.
func ago(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	case d < 2*day:
		return "yesterday"
	case d < 60*day:
		return fmt.Sprintf("%d d ago", d/day)
	case d < 730*day:
		return fmt.Sprintf("%d mo ago", d/(30*day))
	}
	return fmt.Sprintf("%d y ago", d/(365*day))
}
