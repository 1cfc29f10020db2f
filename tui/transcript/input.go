package transcript

import (
	"parley/acpclient"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// commandBody is a command whole, for calls whose heading says something else.
type commandBody struct{ command toolview.Command }

func (b *commandBody) draw(width int, env *environment) []string {
	th := env.theme
	var out []string
	for i, line := range termtext.Break(b.command.Line, width-2) {
		lead := "  "
		if i == 0 {
			lead = th.Muted.Render("$ ")
		}
		out = append(out, lead+th.Text.Render(line))
	}
	if b.command.Dir != "" {
		out = append(out, fit(th.Muted.Render("  in "+b.command.Dir), width))
	}
	return out
}

func (b *commandBody) len(width int, env *environment) int { return len(b.draw(width, env)) }

func (b *commandBody) slice(from, to, width int, env *environment) []string {
	return between(b.draw(width, env), from, to)
}

func (b *commandBody) peek(width int, env *environment) ([]string, int) {
	return head(b.draw(width, env), textPeek)
}

// tasksBody is the task list that a call sets.
type tasksBody struct{ tasks []acpclient.PlanEntry }

func (b *tasksBody) draw(width int, env *environment) []string {
	var out []string
	for _, task := range b.tasks {
		out = append(out, toolview.Task(task, env.theme, width)...)
	}
	return out
}

func (b *tasksBody) len(width int, env *environment) int { return len(b.draw(width, env)) }

func (b *tasksBody) slice(from, to, width int, env *environment) []string {
	return between(b.draw(width, env), from, to)
}

func (b *tasksBody) peek(width int, env *environment) ([]string, int) {
	return head(b.draw(width, env), diffPeek)
}

// questionsBody is what a call asks the person.
type questionsBody struct{ questions []toolview.Question }

func (b *questionsBody) draw(width int, env *environment) []string {
	th := env.theme
	var out []string
	for _, q := range b.questions {
		out = append(out, wrap(q.Line(), width, th.Text)...)
		for _, o := range q.Options {
			out = append(out, wrap("• "+o.Line(), width, th.Muted)...)
		}
	}
	return out
}

func (b *questionsBody) len(width int, env *environment) int { return len(b.draw(width, env)) }

func (b *questionsBody) slice(from, to, width int, env *environment) []string {
	return between(b.draw(width, env), from, to)
}

func (b *questionsBody) peek(width int, env *environment) ([]string, int) {
	return head(b.draw(width, env), textPeek)
}
