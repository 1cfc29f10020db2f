package headless

import (
	"fmt"
	"strings"
	"time"

	"parley/internal/app"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// Compared is the result of one of several agents that got the same prompt.
type Compared struct {
	// Name tells it apart from the others.
	Name string `json:"name"`
	*Result
	// Took is the time from the start to the end of the session, Seconds the same in JSON.
	Took    time.Duration `json:"-"`
	Seconds float64       `json:"seconds"`
	// Spent is what it has spent.
	Spent conversation.Spent `json:"-"`
	// Worktree is where it worked, nil if that was the directory of all.
	Worktree *ComparedTree `json:"worktree,omitempty"`
	// Changed is what it has changed there, nil if unknown.
	Changed *app.Tally `json:"changed,omitempty"`
	// Check is the outcome of the check, nil if none ran.
	Check *compare.Checked `json:"check,omitempty"`
	// Kept means that its changes were merged into the working tree.
	Kept bool `json:"kept,omitempty"`
}

// ComparedTree is the worktree of a [Compared].
type ComparedTree struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Branch string `json:"branch"`
}

// Unstarted is the result of a session that could not be made.
func Unstarted(s Status, why error) *Result {
	r := newRun(Options{})
	r.end(s, why.Error())
	return &r.result
}

// Best returns the index of the result to keep, -1 if there is none: of those that have passed
// the check and have changed something, the one with the fewest changed lines; of equals, the
// first. One that did what a rule denies is none.
func Best(all []Compared) int {
	best := -1
	lines := func(i int) int { return all[i].Changed.Added + all[i].Changed.Removed }
	for i, c := range all {
		if !c.Passed() || c.Changed == nil || c.Changed.Files == 0 {
			continue
		}
		if best < 0 || lines(i) < lines(best) {
			best = i
		}
	}
	return best
}

// Passed reports whether it has passed the check and did nothing that a rule denies.
func (c Compared) Passed() bool { return c.Check != nil && c.Check.Passed && c.Status != Bypassed }

// Overall returns the status of a comparison. If an agent did what a rule denies, or the user has
// interrupted it, that is it. With a check, one that passes is enough; otherwise all have to
// answer, and the first that has not says what is wrong.
func Overall(all []Compared, checked, interrupted bool) Status {
	first, passed := Answered, false
	for _, c := range all {
		if c.Status == Bypassed {
			return Bypassed
		}
		passed = passed || c.Passed()
		if first == Answered {
			first = c.Status
		}
	}
	switch {
	case interrupted:
		return Cancelled
	case !checked:
		return first
	case passed:
		return Answered
	}
	return CheckFailed
}

// ComparedJSON returns the results as an indented list of objects with a line end.
func ComparedJSON(all []Compared) ([]byte, error) {
	clean := make([]Compared, len(all))
	for i, c := range all {
		c.Result, c.Seconds = c.Result.clean(), c.Took.Round(time.Millisecond).Seconds()
		clean[i] = c
	}
	return termtext.EncodeJSON(clean, "  ")
}

// ComparedTable returns the results as lines, the first of which has the names of the columns.
func ComparedTable(all []Compared) []string {
	rows := [][]string{{"Agent", "Status", "Time", "Tokens", "Cost", "Files", "Lines", "Check", "Worktree"}}
	for _, c := range all {
		row := []string{c.Name, strings.ReplaceAll(string(c.Status), "_", " "), termtext.Took(c.Took), "", "", "", "", "", ""}
		if c.Spent.Tokens > 0 {
			row[3] = app.TokensText(c.Spent.Tokens)
		}
		if c.Spent.Cost != nil {
			row[4] = conversation.Money(c.Spent.Cost)
		}
		if c.Changed != nil {
			row[5], row[6] = fmt.Sprint(c.Changed.Files), fmt.Sprintf("+%d -%d", c.Changed.Added, c.Changed.Removed)
		}
		if c.Check != nil {
			row[7] = map[bool]string{true: "passed", false: "failed"}[c.Check.Passed]
		}
		if c.Worktree != nil {
			row[8] = c.Worktree.Name
		}
		rows = append(rows, row)
	}
	return termtext.Table(rows)
}
