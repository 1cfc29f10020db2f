package app

import "fmt"

// Question is something that parley asks the person. A front end shows it in its own way:
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
	// Say is what to tell the person, "" if nothing.
	Say string
	// Ask is the next question, nil if there is none.
	Ask *Question
}

// Choice is one answer to a question.
type Choice struct {
	Name string
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

// HintError is an error with what the person can do about it.
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
