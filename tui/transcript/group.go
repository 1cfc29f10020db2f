package transcript

import (
	"fmt"
	"path/filepath"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// group draws a group of quiet calls in one line: how many there are of each kind, and
// what the first ones read. When it is open, its calls follow.
type group struct {
	base
	item *conversation.Group
}

func (g *group) draw(s *sheet, _, width int) {
	th := g.env.theme
	line := th.Title.Render(g.counts())
	if room := width - termtext.Width(line) - 2; !g.expanded && room > 0 {
		line += "  " + th.Muted.Render(g.names(room))
	}
	s.add(fit(line, width))
}

// counts returns how many calls of each kind there are.
func (g *group) counts() string {
	var words []string
	for _, kind := range []struct {
		kind      acpclient.ToolKind
		one, many string
	}{
		{acpclient.ToolRead, "read", "reads"}, {acpclient.ToolSearch, "search", "searches"}, {acpclient.ToolFetch, "fetch", "fetches"},
	} {
		switch n := g.item.Count(kind.kind); n {
		case 0:
		case 1:
			words = append(words, "1 "+kind.one)
		default:
			words = append(words, fmt.Sprintf("%d %s", n, kind.many))
		}
	}
	return strings.Join(words, ", ")
}

// names returns what the first calls read, as many as fit, without repetitions in a
// row.
func (g *group) names(room int) string {
	const (
		parting = ", "
		more    = "…"
		most    = 100 // how many calls it looks at
	)
	out, last, n := "", "", 0
	for call := range g.item.Calls() {
		name := g.name(call)
		if n++; n > most {
			return out + parting + more
		}
		if name == last {
			continue
		}
		next := name
		if out != "" {
			next = out + parting + name
		}
		// All but the last leave room for the ellipsis.
		need := termtext.Width(next)
		if n < g.item.Len() {
			need += termtext.Width(parting + more)
		}
		if need > room {
			if out == "" {
				return termtext.Truncate(next, room, more)
			}
			return out + parting + more
		}
		out, last = next, name
	}
	return out
}

// name returns what a call reads: the name of its file, else its title without the
// verb, which the counts have.
func (g *group) name(call *conversation.ToolCall) string {
	if call.Kind == acpclient.ToolRead {
		if works := g.env.places.ShownLocations(call.Locations); len(works) > 0 {
			return termtext.Line(filepath.Base(works[0].Path))
		}
	}
	title, _ := g.env.places.Heading(call)
	verb := toolview.KindOf(call.Kind).Verb + " "
	if len(title) > len(verb) && strings.EqualFold(title[:len(verb)], verb) {
		title = strings.TrimSpace(title[len(verb):])
	}
	return title
}

func (g *group) mark() string {
	if g.expanded {
		return g.env.theme.Muted.Render(opened)
	}
	return g.env.theme.Muted.Render(folded)
}

func (g *group) compact() bool { return true }

// excerpt returns the texts of all calls.
func (g *group) excerpt() toolview.Excerpt {
	var texts []string
	for call := range g.item.Calls() {
		if text := strings.TrimRight(toolview.ExcerptOf(call).Text, "\n"); text != "" {
			texts = append(texts, text)
		}
	}
	return toolview.Excerpt{Text: strings.Join(texts, "\n\n")}
}

func (g *group) title() string { return fmt.Sprintf("%d calls", g.item.Len()) }
