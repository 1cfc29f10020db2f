package app

import (
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
)

// Question is something that parley asks the user. A front end shows it in its own way:
// as a dialog, or as lines with numbers.
type Question struct {
	Title string
	Text  string
	// Lines stand below the text, each as it is. They may be foreign text.
	Lines   []string
	Choices []Choice
	// Enter, if not nil, takes a line of text in place of a choice. Hint says which.
	Enter func(text string) (Outcome, error)
	Hint  string
}

// Outcome is what follows from an answer.
type Outcome struct {
	// Say is what to tell the user, "" if nothing.
	Say string
	// Ask is the next question, nil if there is none.
	Ask *Question
}

// Choice is one answer to a question.
type Choice struct {
	Name string
	// More tells choices of the same name apart; it may be foreign text.
	More string
	// Key is the letter of a key for it; "" is none.
	Key string
	// Risky marks what is hard to take back.
	Risky bool
	// Open are stored sessions that the answer opens.
	Open []Open
	// DropWorktree asks whether to drop the worktree of the session: the front end knows
	// who works there.
	DropWorktree bool
	// Do carries the answer out. It may take its time; nil does nothing.
	Do func() (Outcome, error)
}

// Line returns the choice as one line.
func (c Choice) Line() string { return withMore(c.Name, c.More) }

// UndoSeenQuestion asks whether to undo the changes of a file that parley did not see the
// agent make.
func UndoSeenQuestion(name string, undo func() (Outcome, error)) Question {
	return Question{
		Title: "Undo a change that may be your own?",
		Text:  "The file changed during a turn, and parley did not see the agent write it:",
		Lines: []string{name},
		Choices: []Choice{
			{Name: "Leave it", Key: "l"},
			{Name: "Undo it", Key: "u", Risky: true, Do: undo},
		},
	}
}

// HintError is an error with what the user can do about it.
type HintError struct {
	Err  error
	Hint string
}

func (e *HintError) Error() string { return e.Err.Error() }
func (e *HintError) Unwrap() error { return e.Err }

// WithHint makes an error with a hint.
func WithHint(hint, format string, args ...any) error {
	return &HintError{Err: fmt.Errorf(format, args...), Hint: hint}
}

// PermissionAnswer is an option of a permission, with texts that are fit to be shown.
type PermissionAnswer struct {
	Option acpclient.PermissionOptionID
	Kind   acpclient.PermissionOptionKind
	// FirstOfKind means that no option above it has the kind.
	FirstOfKind bool
	Name        string
	// More tells options of the same name apart, or says how far the answer reaches; ""
	// if the name says all. Warns means that it says how far.
	More  string
	Warns bool
}

// Line returns the answer as one line.
func (a PermissionAnswer) Line() string { return withMore(a.Name, a.More) }

// withMore adds an explanation to a name; "" is none.
func withMore(name, more string) string {
	if more != "" {
		return name + " (" + more + ")"
	}
	return name
}

// PermissionAnswers returns all options, in the agent's order.
func PermissionAnswers(options []acpclient.PermissionOption) []PermissionAnswer {
	kinds := map[acpclient.PermissionOptionKind]bool{}
	names := map[string]int{}
	for _, o := range options {
		names[termtext.VisibleLine(o.Name)]++
	}
	list := make([]PermissionAnswer, len(options))
	for i, o := range options {
		a := PermissionAnswer{Option: o.OptionID, Kind: o.Kind, FirstOfKind: !kinds[o.Kind], Name: termtext.VisibleLine(o.Name)}
		kinds[o.Kind] = true
		if a.Name == "" || names[a.Name] > 1 {
			a.More = termtext.VisibleLine(string(o.OptionID))
		}
		if a.Name == "" {
			a.Name = "unnamed option"
		}
		if scope := scopeOf(o.Kind, a.Name); scope != "" {
			a.More, a.Warns = strings.TrimSpace(scope+"  "+a.More), true
		}
		list[i] = a
	}
	return list
}

// scopeOf says how far an option reaches, where its name does not say so: agents list the
// options in any order and call them what they like.
func scopeOf(kind acpclient.PermissionOptionKind, name string) string {
	name = strings.ToLower(name)
	says := slices.ContainsFunc([]string{"always", "ask again", "from now on", "session"}, func(words string) bool { return strings.Contains(name, words) })
	switch kind {
	case acpclient.AllowAlways, acpclient.RejectAlways:
		if !says {
			return "always"
		}
	case acpclient.AllowOnce, acpclient.RejectOnce:
		if says {
			return "only this once"
		}
	}
	return ""
}
