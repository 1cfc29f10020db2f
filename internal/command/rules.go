package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/rules"
	"parley/internal/session"
	"parley/internal/termtext"
)

// RuleQuestion asks which of the rules that would allow a permission to save, and where, and allows it
// once. It returns nil if there are none, or no option that allows once.
func RuleQuestion(ctx context.Context, s app.Session, c *conversation.Conversation, p *conversation.Permission, project string) *app.Question {
	once := slices.IndexFunc(p.Options, func(o acpclient.PermissionOption) bool { return o.Kind == acpclient.AllowOnce })
	if len(p.Proposals) == 0 || once < 0 {
		return nil
	}
	answer := session.Answer{Question: p.Seen, Option: p.Options[once].OptionID}
	q := &app.Question{
		Title: "Always allow by a rule",
		Text:  "This allows it now and adds a rule for next time: everywhere, or in " + project + ".",
		While: func() bool { return c.Asks(p) && p.Seen == answer.Question },
	}
	for _, everywhere := range []bool{false, true} {
		place := map[bool]string{false: " – in this project", true: " – everywhere"}[everywhere]
		for i, lines := range p.Proposals {
			name := termtext.VisibleLine(lines[0])
			if len(lines) > 1 { // they are shown above
				name = fmt.Sprintf("rule %c", 'A'+i)
			}
			q.Choices = append(q.Choices, app.Choice{Name: name + place, Rule: true, Do: func() (app.Outcome, error) {
				if err := session.Try(ctx, s, rules.AddRules{Everywhere: everywhere, Rules: slices.Clone(lines)}); err != nil {
					return app.Outcome{}, err
				}
				answer := answer
				answer.Rule, answer.Source = strings.Join(lines, "; "), rules.SavedForProject.String()
				done := "saved: " + answer.Rule
				if everywhere {
					answer.Source = rules.SavedEverywhere.String()
				}
				if err := session.Try(ctx, s, answer); err != nil {
					done += ", but " + err.Error()
				}
				return app.Outcome{Say: done}, nil
			}})
			if everywhere {
				continue
			}
			for _, line := range lines {
				if len(p.Proposals) > 1 {
					line = fmt.Sprintf("%c: %s", 'A'+i, line)
				}
				q.Lines = append(q.Lines, line)
			}
		}
	}
	return q
}
