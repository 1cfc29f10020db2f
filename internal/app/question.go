package app

import (
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
)

// Question is something that parley asks the user. Each front end shows it in its own way,
// such as a dialog or numbered lines.
type Question struct {
	Title string
	Text  string
	// Lines are shown unchanged below the text. They may be untrusted text.
	Lines []string
	// Detail is untrusted text, such as a program's stderr, shown from its end.
	Detail  string
	Choices []Choice
	// Enter, if not nil, accepts a line of text in place of a choice, and so does EnterHere, in the
	// front end; see [Choice]. Hint describes the line, and Entered is its initial text.
	Enter         func(text string) (Outcome, error)
	EnterHere     func(text string)
	Hint, Entered string
	// While reports whether the question still makes sense; nil means always.
	While func() bool
}

// Outcome is the consequence of an answer.
type Outcome struct {
	// Say is what to tell the user, or "".
	Say string
	// Ask is the next question, or nil.
	Ask *Question
}

// Choice is one answer to a question.
type Choice struct {
	Name string
	// More distinguishes choices of the same name; it may be untrusted text.
	More string
	// Key is its letter key, or "".
	Key string
	// Risky marks a choice that ends or loses something: only the key that accepts gives it.
	Risky bool
	// Open are stored sessions that the choice opens.
	Open []Spec
	// Do carries the choice out. It may be slow; nil does nothing. Here does so in the front end
	// instead, and must not be slow.
	Do   func() (Outcome, error)
	Here func()
}

func (c Choice) Line() string { return withMore(c.Name, c.More) }

// UndoSeenQuestion asks whether to undo a file's changes that parley did not see the agent
// make.
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

// HintError is an error with a hint on what the user can do.
type HintError struct {
	Err  error
	Hint string
}

func (e *HintError) Error() string { return e.Err.Error() }
func (e *HintError) Unwrap() error { return e.Err }

// WithHint returns a formatted error with a hint.
func WithHint(hint, format string, args ...any) error {
	return &HintError{Err: fmt.Errorf(format, args...), Hint: hint}
}

// PermissionAnswer is an option of a permission, with sanitised texts.
type PermissionAnswer struct {
	Option acpclient.PermissionOptionID
	Kind   acpclient.PermissionOptionKind
	// FirstOfKind means that no earlier option has the same kind.
	FirstOfKind bool
	Name        string
	// More distinguishes options of the same name or says how far the answer reaches, and is
	// "" if the name says it all. Warns means that it says how far.
	More  string
	Warns bool
}

func (a PermissionAnswer) Line() string { return withMore(a.Name, a.More) }

// withMore adds an explanation to a name, unless it is "".
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

// scopeOf says how far an option reaches if its name does not: agents name and order options
// as they like.
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
