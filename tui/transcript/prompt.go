package transcript

import (
	"strings"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// A collapsed prompt of more than promptMost lines shows promptPeek of them.
const (
	promptPeek = 8
	promptMost = 12
)

// prompt draws a prompt as plain text. It folds a long one.
type prompt struct {
	item     *conversation.Message
	env      *environment
	expanded bool
	last     uint64
	kept     cached
	pictures uint64 // the version of the pictures in kept
}

func (p *prompt) update(env *environment, expanded bool) {
	pictures := env.pictures.at()
	if p.env != env || p.expanded != expanded || p.pictures != pictures {
		p.kept.drop()
	}
	p.env, p.expanded, p.pictures, p.last = env, expanded, pictures, p.item.Version()
}

func (p *prompt) sections() int {
	if !p.expanded {
		return 1
	}
	return max(1, chunks(len(p.all(p.env.width))))
}

func (p *prompt) lines(section, width int) []string {
	all := p.all(width)
	if !p.expanded {
		return all
	}
	return between(all, section*chunk, (section+1)*chunk)
}

// all returns all lines of the prompt, folded unless it is expanded.
func (p *prompt) all(width int) []string {
	return p.kept.get(p.last, width, func(width int) []string {
		var out []string
		for i := range p.item.Parts {
			if part := &p.item.Parts[i]; part.Block != nil {
				out = append(out, fit(p.env.places.Block(part.Block).Styled(p.env.theme), width))
				out = append(out, p.env.pictures.lines(part.Block, width)...)
			} else if text := strings.TrimSpace(part.Text()); text != "" {
				out = append(out, p.text(text, width)...)
			}
		}
		if out == nil {
			out = []string{""}
		}
		return out
	})
}

// text draws text of the prompt, only the beginning of a long one that is folded.
func (p *prompt) text(text string, width int) []string {
	part := text
	if !p.expanded {
		part = firstLines(text, promptMost+1)
	}
	lines := wrap(part, width, p.env.theme.User)
	if p.expanded || part == text && len(lines) <= promptMost {
		return lines
	}
	shown := min(promptPeek, len(lines))
	more := len(lines) - shown
	if rest := text[len(part):]; rest != "" {
		more += strings.Count(rest, "\n") + 1
	}
	return append(lines[:shown:shown], p.env.theme.Muted.Render(moreLines(more)))
}

// band draws a line on the prompt's background across the whole width, with the mark in
// the margin. Without a background, each line has a bar instead.
func (p *prompt) band(mark, line string, width int) string {
	th := p.env.theme
	if mark == "" && th.Prompt == "" {
		mark = th.UserMark.Render("┃")
	}
	line = mark + strings.Repeat(" ", max(0, gutter-termtext.Width(mark))) + line
	if th.Prompt == "" {
		return line
	}
	return termtext.Ground(line, width, th.Prompt)
}

func (p *prompt) mark() string {
	if p.env.theme.Prompt == "" {
		return ""
	}
	return p.env.theme.UserMark.Render("❯")
}

func (p *prompt) compact() bool { return false }

func (p *prompt) excerpt() toolview.Excerpt { return messageExcerpt(p.item) }

func (p *prompt) title() string { return "Prompt" }
