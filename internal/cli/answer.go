package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/host"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

func answerCommand(s *streams) *cobra.Command {
	cmd := leaf("answer ID [QUESTION OPTION]", `List and answer the questions of a session that keeps running
answer lists the open questions of a session that keeps running: all of what is
asked, and the options. With a QUESTION and an OPTION it answers that question. The
option is its number or name; the question is the number in the list. If what is
asked has changed since, the number is another one, such as 7.2, and the old one
answers nothing.`, func(cmd *cobra.Command, args []string) error {
		if len(args) == 2 {
			return misused(cmd, "'parley answer "+args[0]+"' lists them.", "name a question and an option")
		}
		return arguments(1, 3, "a session ID, a question and an option")(cmd, args)
	}, func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		id, err := runningNamed(ctx, s, args[:1])
		if err != nil {
			return err
		}
		c, err := host.AttachTo(ctx, host.ClientOptions{Running: id, ReadOnly: len(args) == 1, Version: currentVersion()})
		if err != nil {
			return err
		}
		defer leave(c)
		open := openQuestions(c)
		switch {
		case len(args) == 1 && len(open) == 0:
			fmt.Fprintln(s.Err, "No question is open.")
			return nil
		case len(args) == 1:
			for _, o := range open {
				fmt.Fprintln(s.Out, o.String(id))
			}
			return nil
		}
		o, err := chosen(open, id, args[1])
		if err != nil {
			return err
		}
		return o.answer(ctx, s, c, args[2])
	})
	cmd.Example = `  parley answer 4f2c        list the questions
  parley answer 4f2c 7 1    answer question 7 with its first option`
	return cmd
}

// asked is an open question that can be answered.
type asked struct {
	app.Question
	conversation.Seen
	// note says why it cannot be answered otherwise; "" is nothing.
	note string
}

// number names the question as it is now.
func (a *asked) number() string {
	if a.Revision == 1 {
		return strconv.Itoa(a.ID)
	}
	return fmt.Sprintf("%d.%d", a.ID, a.Revision)
}

// openQuestions returns the open questions, the oldest first.
func openQuestions(c *host.Client) []asked {
	var all []asked
	conv, about := c.Past(), c.About()
	for _, q := range conversation.Questions[conversation.Question](&conv.State) {
		all = append(all, conversation.Match(q, func(p *conversation.Permission) asked {
			facts := &toolview.Facts{Roots: append([]string{about.Cwd}, about.Dirs...)}
			for look := facts.Look(p.Asked); look != nil; look = facts.Look(p.Asked) {
				facts.Add(look())
			}
			return asked{Seen: p.Seen, Question: toolview.PermissionQuestion(conv, p, facts)}
		}, func(e *conversation.Elicitation) asked { return elicitation(e, about.Host) }))
	}
	return all
}

// elicitation returns a question for input of a session in a host.
func elicitation(e *conversation.Elicitation, id string) asked {
	a := asked{Seen: e.Seen, Question: app.Question{Title: "the agent asks for input.", Choices: app.Refusals(e)}}
	if e.Request.Mode == acpclient.ElicitURL {
		a.Title, a.Text = "the agent asks you to open a URL.", app.ExamineURL(e.Request.URL).Asked(e.Request.Message)
		a.note = "To open it: parley attach " + id
		return a
	}
	f := app.NewForm(e)
	a.Text = f.Message()
	for _, field := range f.Fields {
		line := "- " + field.Label()
		if rules := field.Rules(); rules != "" {
			line += " (" + strings.ReplaceAll(rules, " · ", ", ") + ")"
		}
		if value := field.Words(); value != "" {
			line += ": " + value
		}
		a.Text += "\n" + line
		a.note = "To fill it in: parley attach " + id
	}
	content, invalid, problem := f.Content()
	if problem == "" && invalid < 0 && !slices.ContainsFunc(f.Fields, func(f *app.FormField) bool { return f.Required }) {
		a.Choices = slices.Insert(a.Choices, 0, app.Choice{Name: "Accept, as it is shown", Act: app.Respond(e, acpclient.ElicitAccept, content)})
	}
	return a
}

// String returns the question as it is listed.
func (a asked) String(id string) string {
	text := strings.ReplaceAll("\n"+a.Text, "\n", "\n  ") // no line of it looks like one of parley's
	lines := []string{"Question " + a.number() + ": " + a.Title, text, ""}
	for i, c := range a.Choices {
		line := fmt.Sprintf("%d. %s", i+1, c.Line())
		if c.Kind != "" {
			line += "  [" + termtext.VisibleLine(string(c.Kind)) + "]"
		}
		lines = append(lines, line)
	}
	lines = append(lines, "", "To answer it: parley answer "+id+" "+a.number()+" OPTION")
	if a.note != "" {
		lines = append(lines, a.note)
	}
	return strings.Join(lines, "\n") + "\n"
}

// chosen returns the question of a number in the list.
func chosen(open []asked, session, number string) (*asked, error) {
	number = strings.TrimSpace(number)
	for i := range open {
		if open[i].number() == number {
			return &open[i], nil
		}
	}
	for _, a := range open {
		if id, _, _ := strings.Cut(number, "."); id == strconv.Itoa(a.ID) {
			return nil, app.WithHint("'parley answer "+session+"' shows it as it is now.", "question %s has changed, nothing was answered", id)
		}
	}
	return nil, app.WithHint("'parley answer "+session+"' lists them.", "no question %q is open", number)
}

// answer gives the answer that a word names, and waits until the session has it.
func (a *asked) answer(ctx context.Context, s *streams, c *host.Client, word string) error {
	choice, err := a.named(word)
	if err != nil {
		return err
	}
	if err := session.Try(ctx, c, choice.Act); err != nil {
		return app.WithHint("'parley answer "+c.About().Host+"' lists the open questions.", "question %s: not answered: %w", a.number(), err)
	}
	err = until(ctx, c, func(e conversation.Event) bool {
		closed, is := e.(conversation.QuestionClosed)
		return is && closed.ID == a.ID
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "question %s: %s\n", a.number(), choice.Line())
	return nil
}

// named returns the choice of a number or a name, as they are listed. A word of digits is a
// number. Of choices whose names look the same none has a name. An elicitation has its actions as names.
func (a *asked) named(word string) (app.Choice, error) {
	if n, err := strconv.Atoi(strings.TrimSpace(word)); err == nil {
		if n < 1 || n > len(a.Choices) {
			return app.Choice{}, app.WithHint(a.choices(), "question %s has no option %d", a.number(), n)
		}
		return a.Choices[n-1], nil
	}
	var found []app.Choice
	for _, c := range a.Choices {
		names := []string{c.Name, c.Line()}
		if act, is := c.Act.(session.Answer); is && act.Form != nil {
			names = append(names, string(act.Form.Action))
		}
		looks := appearance(word)
		if looks != "" && slices.ContainsFunc(names, func(name string) bool { return appearance(name) == looks }) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return app.Choice{}, app.WithHint(a.choices(), "question %s has no option %q", a.number(), word)
	}
	return app.Choice{}, app.WithHint(a.choices(), "%d options of question %s are called %q: use a number", len(found), a.number(), word)
}

// appearance returns what is left of a name without case, blanks and hidden characters.
func appearance(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, name)
}

// choices lists the options.
func (a *asked) choices() string {
	var lines []string
	for i, c := range a.Choices {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, c.Line()))
	}
	return strings.Join(lines, "\n")
}
