package linemode

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/tui/toolview"
)

// rewind lists the session's prompts, rewinds the files to before one of them, or undoes
// that.
func (l *live) rewind(words string) {
	j := l.Session.Journal()
	prompts := l.Conversation.Prompts()
	switch n, err := strconv.Atoi(words); {
	case words == "":
		l.p.reviews(func(ctx context.Context) (string, error) { return listPrompts(ctx, l.Session, prompts) })
	case words == "undo" && j.LastRewind == 0:
		l.p.out.line("There is no rewind to undo.")
	case words == "undo":
		l.p.reviews(func(ctx context.Context) (string, error) {
			done, err := session.Do(ctx, l.Session, session.Redo{})
			return "Undid the rewind: " + app.CountFiles(len(done.Files)) + " changed.", err
		})
	case err != nil || n < 1 || n > len(prompts):
		l.p.out.line("No such prompt. /rewind lists them.")
	case app.TurnOf(j, prompts[n-1]) == 0:
		l.p.out.line("parley has not recorded the files of this prompt.")
	default:
		l.askToRewind(prompts[n-1])
	}
}

func listPrompts(ctx context.Context, s app.Session, prompts []conversation.Prompt) (string, error) {
	if len(prompts) == 0 {
		return "No prompt was sent in this session.", nil
	}
	if err := session.Try(ctx, s, session.AwaitChanges{}); err != nil {
		return "", err
	}
	since, err := session.Do(ctx, s, session.CountChanges{})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, p := range prompts {
		line := fmt.Sprintf("%d. %s", p.Number, app.PromptLine(conversation.QueuedPrompt{Prompt: p.Blocks}))
		if t := since[app.TurnOf(s.Journal(), p)]; t.Files > 0 {
			line += fmt.Sprintf(" (since: %s, %s)", app.CountFiles(t.Files), toolview.Counts{Added: t.Added, Removed: t.Removed})
		}
		lines = append(lines, line)
	}
	return strings.Join(append(lines, "/rewind N rewinds the files to before prompt N, /rewind undo undoes that. Only the screen rewinds the conversation, too."), "\n"), nil
}

// askToRewind says what a rewind of the files does, and asks whether to do it.
func (l *live) askToRewind(prompt conversation.Prompt) {
	p, s := l.p, l.Session
	p.beside(func() func() {
		err := session.Try(p.ctx, s, session.AwaitChanges{})
		var plan *journal.RewindPlan
		if err == nil {
			plan, err = session.Do(p.ctx, s, session.PlanRewind{Turn: app.TurnOf(s.Journal(), prompt)})
		}
		return func() {
			switch {
			case err != nil:
				p.out.line("Nothing was done: " + err.Error())
				return
			case plan.Tally().Files == 0:
				p.out.line("There is nothing to rewind.")
				return
			}
			p.later(p.numbered(app.Question{
				Title: fmt.Sprintf("Rewind the files to before prompt %d?", prompt.Number), Text: strings.TrimSpace("The conversation stays. " + app.RewindLimits(plan)),
				Lines: app.RewindLines(plan, toolview.PathsIn(l.Conversation.Cwd).Path),
				Choices: []app.Choice{
					{Name: "Rewind the files", Do: func() (app.Outcome, error) {
						done, err := session.Do(p.ctx, s, session.Rewind{Plan: plan})
						if err == nil {
							app.NoteRewind(s, prompt.Number, done)
						}
						return app.Outcome{}, err
					}},
					{Name: "Leave them"},
				},
			}))
		}
	})
}
