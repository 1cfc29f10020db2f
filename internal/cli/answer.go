package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	return &cobra.Command{
		Use:   "answer ID [[QUESTION] OPTION]",
		Short: "List and answer the questions of a session that keeps running",
		Long: `answer lists the open questions of a session that keeps running: all of what is
asked, and the options. With a QUESTION and an OPTION it answers that question. The
option is its number, name or ID; the question is the number in the list, and may be
left out if only one is open. If what is asked has changed since, the number is
another one, and the old one answers nothing.`,
		Example: `  parley answer 4f2c        list the questions
  parley answer 4f2c 7 1    answer question 7 with its first option`,
		Args: arguments(1, 3, "a session ID, a question and an option"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			id, err := runningNamed(ctx, args[:1])
			if err != nil {
				return err
			}
			q := newQuestions()
			c, err := host.AttachFrom(ctx, id, len(args) == 1, currentVersion(), q.apply)
			if err != nil {
				return err
			}
			defer leave(c)
			open := q.open(c)
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
			o, err := chosen(open, id, args[1:len(args)-1])
			if err != nil {
				return err
			}
			return o.answer(ctx, s, c, args[len(args)-1])
		},
	}
}

// questions folds a session, and knows which open questions have changed since they were
// asked.
type questions struct {
	conv *conversation.Conversation
	seen map[int]*seenQuestion
}

// seenQuestion is an open question as it was after the last event.
type seenQuestion struct {
	call    *conversation.ToolCall
	text    string
	changes int
}

func newQuestions() *questions {
	return &questions{conv: conversation.New(), seen: map[int]*seenQuestion{}}
}

// apply folds an event.
func (q *questions) apply(e conversation.Event) {
	q.conv.Apply(e)
	for _, p := range q.conv.Permissions {
		was := q.seen[p.ID]
		if was == nil {
			q.seen[p.ID] = &seenQuestion{call: p.Asked, text: q.text(p, nil, nil)}
			continue
		}
		if was.call == p.Asked {
			continue
		}
		was.call = p.Asked
		if now := q.text(p, nil, nil); now != was.text {
			was.text = now
			was.changes++
		}
	}
}

// text returns what a permission asks about.
func (q *questions) text(p *conversation.Permission, targets *toolview.PathTargets, positions *toolview.DiffPositions) string {
	by := toolview.AskerOf(q.conv, p.ToolCall)
	return strings.TrimRight(toolview.PathsIn(q.conv.Cwd).PermissionText(p, by, targets, positions), "\n")
}

// asked is an open question that can be answered.
type asked struct {
	number  string // with the number of changes, if there are any
	id      int
	changed bool
	head    string
	text    string
	options []option
	// note says why it cannot be answered otherwise; "" is nothing.
	note string
	give func(option) error
}

// option is an answer to a question.
type option struct {
	id, name, kind string
}

// open returns the open questions, the oldest first.
func (q *questions) open(c *host.Client) []asked {
	var all []asked
	for _, p := range q.conv.Permissions {
		all = append(all, q.permission(c, p))
	}
	for _, e := range q.conv.Elicitations {
		all = append(all, elicitation(c, e))
	}
	slices.SortStableFunc(all, func(a, b asked) int { return a.id - b.id })
	return all
}

func (q *questions) permission(c *host.Client, p *conversation.Permission) asked {
	changes := q.seen[p.ID].changes
	a := asked{number: strconv.Itoa(p.ID), id: p.ID, changed: changes > 0, head: "may the agent do this?"}
	if changes > 0 {
		a.number += "." + strconv.Itoa(changes)
	}
	if p.File != nil {
		a.head = "parley asks: may the agent do this?"
	}
	about := c.About()
	targets, positions := &toolview.PathTargets{Roots: append([]string{about.Cwd}, about.Dirs...)}, &toolview.DiffPositions{}
	targets.Add(toolview.Resolve(targets.Roots, toolview.NamedPaths(p.Asked)))
	positions.Add(toolview.FindPositions(about.Cwd, toolview.Creations(p.Asked.Content)))
	var parts []string
	for _, words := range []string{p.Title, p.Description} {
		if words = strings.TrimSpace(words); words != "" {
			parts = append(parts, termtext.Visible(words))
		}
	}
	parts = append(parts, q.text(p, targets, positions))
	if why := termtext.VisibleLine(p.Why); why != "" {
		parts = append(parts, "No rule applies: "+why)
	}
	a.text = strings.Join(parts, "\n\n")
	for _, o := range app.PermissionAnswers(p.Options) {
		a.options = append(a.options, option{id: string(o.Option), name: o.Line(), kind: string(o.Kind)})
	}
	a.give = func(o option) error { return c.Answer(p.ID, acpclient.PermissionOptionID(o.id)) }
	return a
}

func elicitation(c *host.Client, e *conversation.Elicitation) asked {
	a := asked{number: strconv.Itoa(e.ID), id: e.ID, head: "the agent asks for input."}
	var content map[string]any
	accepts := false
	if e.Request.Mode == acpclient.ElicitURL {
		a.head, a.text = "the agent asks you to open a URL.", app.ExamineURL(e.Request.URL).Asked(e.Request.Message)
		a.note = "To open it: parley attach " + c.About().Host
	} else {
		f := app.NewForm(e)
		a.text = f.Message()
		for _, field := range f.Fields {
			line := "- " + field.Label()
			if rules := field.Rules(); rules != "" {
				line += " (" + strings.ReplaceAll(rules, " · ", ", ") + ")"
			}
			if value := field.Words(); value != "" {
				line += ": " + value
			}
			a.text += "\n" + line
		}
		var problem string
		var invalid int
		content, invalid, problem = f.Content()
		accepts = problem == "" && invalid < 0 && !slices.ContainsFunc(f.Fields, func(f *app.FormField) bool { return f.Required })
		if accepts {
			a.options = append(a.options, option{id: string(acpclient.ElicitAccept), name: "Accept, as it is shown"})
		}
		if len(f.Fields) > 0 {
			a.note = "To fill it in: parley attach " + c.About().Host
		}
	}
	a.options = append(a.options,
		option{id: string(acpclient.ElicitDecline), name: "Decline"},
		option{id: string(acpclient.ElicitCancel), name: "Cancel: no answer"})
	a.give = func(o option) error {
		r := acpclient.CreateElicitationResponse{Action: acpclient.ElicitationAction(o.id)}
		if r.Action == acpclient.ElicitAccept {
			r.Content = content
		}
		c.AnswerElicitation(e.ID, r)
		return nil
	}
	return a
}

// String returns the question as it is listed.
func (a asked) String(id string) string {
	lines := []string{"Question " + a.number + ": " + a.head, "", a.text, ""}
	for i, o := range a.options {
		line := fmt.Sprintf("%d. %s", i+1, o.name)
		if o.kind != "" {
			line += "  [" + termtext.VisibleLine(o.kind) + "]"
		}
		lines = append(lines, line)
	}
	lines = append(lines, "", "To answer it: parley answer "+id+" "+a.number+" OPTION")
	if a.note != "" {
		lines = append(lines, a.note)
	}
	return strings.Join(lines, "\n") + "\n"
}

// chosen returns the question that the arguments name, or the only one.
func chosen(open []asked, session string, number []string) (*asked, error) {
	hint := "'parley answer " + session + "' lists them."
	if len(number) == 0 {
		switch {
		case len(open) == 0:
			return nil, errors.New("no question is open")
		case len(open) > 1:
			return nil, app.WithHint(hint, "%d questions are open: name one", len(open))
		case open[0].changed:
			return nil, app.WithHint(hint, "the question has changed since the agent asked it: name it by its number")
		}
		return &open[0], nil
	}
	for i := range open {
		if open[i].number == number[0] {
			return &open[i], nil
		}
		if id, _, _ := strings.Cut(number[0], "."); id == strconv.Itoa(open[i].id) {
			return nil, app.WithHint("'parley answer "+session+"' shows it as it is now.", "question %s has changed", id)
		}
	}
	return nil, app.WithHint(hint, "no question %q is open", number[0])
}

// answer gives the answer that a word names, and waits until the session has it.
func (a *asked) answer(ctx context.Context, s *streams, c *host.Client, word string) error {
	o, err := a.named(word)
	if err != nil {
		return err
	}
	if err := a.give(o); errors.Is(err, session.ErrAnswered) {
		return fmt.Errorf("not answered: question %s is closed", a.number)
	} else if err != nil {
		return fmt.Errorf("not answered: %w", err)
	}
	err = until(ctx, c, func(e conversation.Event) bool {
		switch e := e.(type) {
		case conversation.PermissionClosed:
			return e.ID == a.id
		case conversation.ElicitationClosed:
			return e.ID == a.id
		}
		return false
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "question %s: %s\n", a.number, o.name)
	return nil
}

// named returns the option of a number, an id or a name, in this order.
func (a *asked) named(word string) (option, error) {
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(a.options) {
		return a.options[n-1], nil
	}
	if i := slices.IndexFunc(a.options, func(o option) bool { return o.id == word }); i >= 0 {
		return a.options[i], nil
	}
	var found []option
	for _, o := range a.options {
		if strings.EqualFold(o.name, word) {
			found = append(found, o)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return option{}, app.WithHint(a.choices(), "question %s has no option %q", a.number, word)
	}
	return option{}, app.WithHint(a.choices(), "%d options of question %s are called %q: use a number", len(found), a.number, word)
}

// choices lists the options.
func (a *asked) choices() string {
	var lines []string
	for i, o := range a.options {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, o.name))
	}
	return strings.Join(lines, "\n")
}
