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

// run draws several quiet calls in one line: how many there are of each kind, and
// the first things that they looked at. The calls stand below it when it is open.
type run struct {
	item *conversation.Run
	env  *environment
	open bool
	kept cached
}

func (r *run) update(env *environment, expanded bool) {
	if r.env != env || r.open != expanded {
		r.env, r.open = env, expanded
		r.kept.drop()
	}
}

func (r *run) sections() int { return 1 }

func (r *run) lines(_, width int) []string {
	return r.kept.get(r.item.Version(), width, func(width int) []string {
		th := r.env.theme
		line := th.Title.Render(r.counts())
		if room := width - termtext.Width(line) - 2; !r.open && room > 0 {
			line += "  " + th.Muted.Render(r.names(room))
		}
		return []string{fit(line, width)}
	})
}

// counts says how many calls of each kind there are.
func (r *run) counts() string {
	var words []string
	for _, kind := range []struct {
		kind      acpclient.ToolKind
		one, many string
	}{
		{acpclient.ToolRead, "read", "reads"}, {acpclient.ToolSearch, "search", "searches"}, {acpclient.ToolFetch, "fetch", "fetches"},
	} {
		switch n := r.item.Count(kind.kind); n {
		case 0:
		case 1:
			words = append(words, "1 "+kind.one)
		default:
			words = append(words, fmt.Sprintf("%d %s", n, kind.many))
		}
	}
	return strings.Join(words, ", ")
}

// names are what the first calls looked at, each once if it comes in a row, as many
// as there is room for.
func (r *run) names(room int) string {
	const (
		parting = ", "
		more    = "…"
		most    = 100 // calls that are looked at
	)
	out, last, n := "", "", 0
	for call := range r.item.Calls() {
		name := r.name(call)
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
		// All but the last leave room to say that there are others.
		need := termtext.Width(next)
		if n < r.item.Len() {
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

// name is what a call looked at: the name of its file, else its title without the
// verb that the line says already.
func (r *run) name(call *conversation.ToolCall) string {
	if call.Kind == acpclient.ToolRead {
		if works := r.env.places.ShownLocations(call.Locations); len(works) > 0 {
			return termtext.Line(filepath.Base(works[0].Path))
		}
	}
	title, _ := r.env.places.Heading(call)
	verb := toolview.KindOf(call.Kind).Verb + " "
	if len(title) > len(verb) && strings.EqualFold(title[:len(verb)], verb) {
		title = strings.TrimSpace(title[len(verb):])
	}
	return title
}

func (r *run) mark() string {
	if r.open {
		return r.env.theme.Muted.Render(opened)
	}
	return r.env.theme.Muted.Render(folded)
}

func (r *run) compact() bool { return true }

// excerpt is the texts of all calls.
func (r *run) excerpt() toolview.Excerpt {
	var texts []string
	for call := range r.item.Calls() {
		if text := strings.TrimRight(toolview.ExcerptOf(call).Text, "\n"); text != "" {
			texts = append(texts, text)
		}
	}
	return toolview.Excerpt{Text: strings.Join(texts, "\n\n")}
}

func (r *run) title() string { return fmt.Sprintf("%d calls", r.item.Len()) }
