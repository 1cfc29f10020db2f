package transcript

import (
	"parley/acpclient"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// commandBody is the whole command of a call whose heading does not show it.
type commandBody struct {
	shortBody
	command toolview.Command
}

func newCommandBody(c toolview.Command) *commandBody {
	return &commandBody{shortBody{func(width int, env *environment) []string {
		th := env.theme
		var out []string
		for i, line := range termtext.Break(c.Line, width-2) {
			lead := "  "
			if i == 0 {
				lead = th.Muted.Render("$ ")
			}
			out = append(out, lead+th.Text.Render(line))
		}
		if c.Dir != "" {
			out = append(out, fit(th.Muted.Render("  in "+c.Dir), width))
		}
		return out
	}, textPeek}, c}
}

// tasksBody returns the body of a task list that a call sets.
func tasksBody(tasks []acpclient.PlanEntry) body {
	return &shortBody{func(width int, env *environment) []string {
		var out []string
		for _, task := range tasks {
			out = append(out, toolview.Task(task, env.theme, width)...)
		}
		return out
	}, diffPeek}
}

// questionsBody returns the body of the questions that a call asks.
func questionsBody(questions []toolview.Question) body {
	return &shortBody{func(width int, env *environment) []string {
		th := env.theme
		var out []string
		for _, q := range questions {
			out = append(out, wrap(q.Line(), width, th.Text)...)
			for _, o := range q.Options {
				out = append(out, wrap("• "+o.Line(), width, th.Muted)...)
			}
		}
		return out
	}, textPeek}
}
