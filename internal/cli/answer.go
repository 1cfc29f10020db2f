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
		c, err := host.AttachTo(ctx, id, len(args) == 1, currentVersion())
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
	conversation.Seen
	head    string
	text    string
	options []option
	// note says why it cannot be answered otherwise; "" is nothing.
	note string
	give func(context.Context, option) error
}

// number names the question as it is now.
func (a *asked) number() string {
	if a.Revision == 1 {
		return strconv.Itoa(a.ID)
	}
	return fmt.Sprintf("%d.%d", a.ID, a.Revision)
}

// option is an answer to a question. It is listed as line, which begins with its name.
type option struct {
	id, name, line, kind string
}

// openQuestions returns the open questions, the oldest first.
func openQuestions(c *host.Client) []asked {
	var all []asked
	conv := c.Past()
	for _, p := range conv.Permissions {
		all = append(all, permission(c, conv, p))
	}
	for _, e := range conv.Elicitations {
		all = append(all, elicitation(c, e))
	}
	slices.SortStableFunc(all, func(a, b asked) int { return a.ID - b.ID })
	return all
}

func permission(c *host.Client, conv *conversation.Conversation, p *conversation.Permission) asked {
	a := asked{Seen: p.Seen, head: "may the agent do this?"}
	if p.File != nil {
		a.head = "parley asks: may the agent do this?"
	}
	about := c.About()
	targets, positions := &toolview.PathTargets{Roots: append([]string{about.Cwd}, about.Dirs...)}, &toolview.DiffPositions{}
	targets.Add(toolview.Resolve(targets.Roots, toolview.NamedPaths(p.Asked)))
	positions.Add(toolview.FindPositions(about.Cwd, toolview.Creations(p.Asked.Content)))
	a.text = toolview.AskedText(toolview.PathsIn(conv.Cwd).Asked(p, toolview.AskerOf(conv, p.ToolCall), targets, positions))
	a.options = permissionOptions(p.Options)
	a.give = func(ctx context.Context, o option) error {
		return session.Try(ctx, c, session.Answer{Question: p.Seen, Option: acpclient.PermissionOptionID(o.id)})
	}
	return a
}

func permissionOptions(offered []acpclient.PermissionOption) (all []option) {
	for _, o := range app.PermissionAnswers(offered) {
		all = append(all, option{id: string(o.Option), name: o.Name, line: o.Line(), kind: string(o.Kind)})
	}
	return all
}

func elicitation(c *host.Client, e *conversation.Elicitation) asked {
	a := asked{Seen: e.Seen, head: "the agent asks for input."}
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
			a.options = append(a.options, option{id: string(acpclient.ElicitAccept), name: "Accept", line: "Accept, as it is shown"})
		}
		if len(f.Fields) > 0 {
			a.note = "To fill it in: parley attach " + c.About().Host
		}
	}
	a.options = append(a.options,
		option{id: string(acpclient.ElicitDecline), name: "Decline", line: "Decline"},
		option{id: string(acpclient.ElicitCancel), name: "Cancel", line: "Cancel: no answer"})
	a.give = func(ctx context.Context, o option) error {
		r := acpclient.CreateElicitationResponse{Action: acpclient.ElicitationAction(o.id)}
		if r.Action == acpclient.ElicitAccept {
			r.Content = content
		}
		return session.Try(ctx, c, session.AnswerElicitation{Question: e.Seen, Response: r})
	}
	return a
}

// String returns the question as it is listed.
func (a asked) String(id string) string {
	lines := []string{"Question " + a.number() + ": " + a.head, "", a.text, ""}
	for i, o := range a.options {
		line := fmt.Sprintf("%d. %s", i+1, o.line)
		if o.kind != "" {
			line += "  [" + termtext.VisibleLine(o.kind) + "]"
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
	o, err := a.named(word)
	if err != nil {
		return err
	}
	if err := a.give(ctx, o); err != nil {
		return app.WithHint("'parley answer "+c.About().Host+"' lists the open questions.", "question %s: not answered: %w", a.number(), err)
	}
	err = until(ctx, c, func(e conversation.Event) bool {
		switch e := e.(type) {
		case conversation.PermissionClosed:
			return e.ID == a.ID
		case conversation.ElicitationClosed:
			return e.ID == a.ID
		}
		return false
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "question %s: %s\n", a.number(), o.line)
	return nil
}

// named returns the option of a number or a name, as they are listed. A word of digits is a
// number. Of options whose names look the same none has a name.
func (a *asked) named(word string) (option, error) {
	if n, err := strconv.Atoi(strings.TrimSpace(word)); err == nil {
		if n < 1 || n > len(a.options) {
			return option{}, app.WithHint(a.choices(), "question %s has no option %d", a.number(), n)
		}
		return a.options[n-1], nil
	}
	var found []option
	for _, o := range a.options {
		if looks := appearance(word); looks != "" && (looks == appearance(o.name) || looks == appearance(o.line)) {
			found = append(found, o)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return option{}, app.WithHint(a.choices(), "question %s has no option %q", a.number(), word)
	}
	return option{}, app.WithHint(a.choices(), "%d options of question %s are called %q: use a number", len(found), a.number(), word)
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
	for i, o := range a.options {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, o.line))
	}
	return strings.Join(lines, "\n")
}
