package dialog

import (
	"fmt"
	"strings"
	"time"

	"parley/config"
)

// NewFollowing shows a list that updates its items whenever it is used.
func NewFollowing(env Env, l List, items func() []Item) *Selector { return newFollowing(env, l, items) }

func newFollowing(env Env, l List, items func() []Item) *Selector {
	l.Items = items()
	s := NewSelector(env, l)
	s.follow = items
	return s
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
			detail = "a two-minute tour: no account needed"
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
