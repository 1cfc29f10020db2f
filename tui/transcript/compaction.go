package transcript

import (
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// compaction draws a compaction of the context: a rule with its state; expanded, with
// the summary.
type compaction struct {
	base
	item  *conversation.Compaction
	parts textParts
	last  uint64
}

// Compaction implements conversation.Visitor.
func (m *maker) Compaction(i *conversation.Compaction) { m.made = &compaction{item: i} }

func (c *compaction) update(env *environment, expanded bool) bool {
	if c.env != env || c.last != c.item.Version() {
		c.last = c.item.Version()
		c.parts = textParts(nil).follow(c.item.Summary, env.dimmed)
	}
	return c.base.update(env, expanded)
}

func (c *compaction) sections() int {
	if c.expanded {
		return 1 + c.parts.sections()
	}
	return 1
}

func (c *compaction) draw(s *sheet, section, width int) {
	if section > 0 {
		c.parts.draw(s, section-1, width, c.env, nil)
		return
	}
	th := c.env.theme
	words := map[acpclient.CompactionStatus]string{
		acpclient.CompactionInProgress: "Compacting the context…",
		acpclient.CompactionCompleted:  "The context was compacted",
		acpclient.CompactionFailed:     "The context could not be compacted",
		acpclient.CompactionCancelled:  "Compacting the context was cancelled",
	}[c.item.Status]
	if words == "" {
		words = "Compaction: " + termtext.Line(string(c.item.Status))
	}
	if c.item.Error != "" {
		words += ": " + termtext.Line(c.item.Error)
	}
	line := th.Muted.Render(words) + " "
	s.add(fit(line+th.Rule.Render(strings.Repeat("─", max(0, width-termtext.Width(line)))), width))
}

func (c *compaction) mark() string { return c.env.theme.Muted.Render("▼") }

func (c *compaction) excerpt() toolview.Excerpt {
	return toolview.Excerpt{Text: c.item.Summary.Plain()}
}

func (c *compaction) title() string { return "Summary of the context" }
