package linemode

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"parley/internal/app"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/toolview"
)

// changes lists the changed files, or carries out a command on them. Files keep their
// numbers for the whole session.
func (l *live) changes(words string) {
	r := review{app.Undo{Session: l.Session, Again: "/changes redo", Name: toolview.PathsIn(l.Conversation.Cwd).Path}}
	do, number, _ := strings.Cut(words, " ")
	switch {
	case words == "":
		l.p.reviews(r.list)
	case words == "undo":
		l.p.reviews(said(r.Turn))
	case words == "redo":
		l.p.reviews(said(r.Redo))
	case do == "keep":
		l.p.reviews(r.on(number, func(_ context.Context, f journal.File) (string, error) {
			session.Post(r.Session, session.KeepFile{Part: f.Part})
			return r.Name(f.Path) + " is kept: undoing the turn leaves it.", nil
		}))
	case do == "revert":
		l.p.reverts(r, number)
	default:
		l.p.reviews(r.on(words, r.show))
	}
}

// reviews carries out a step of a review in the background, and writes its result.
func (p *program) reviews(step func(context.Context) (string, error)) {
	p.inBackground(func() func() {
		words, err := step(p.ctx)
		if err != nil {
			words = "Nothing was done: " + err.Error()
		}
		return func() { p.out.line(words) }
	})
}

// said makes a sentence of what a step says.
func said(step func(context.Context) (string, error)) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		words, err := step(ctx)
		return termtext.Capital(words) + ".", err
	}
}

// reverts undoes the changes of a file. It asks first if they may be the user's own.
func (p *program) reverts(r review, number string) {
	p.inBackground(func() func() {
		var ask *app.Question
		words, err := r.on(number, func(ctx context.Context, f journal.File) (string, error) {
			revert := func(ctx context.Context) (string, error) { return r.File(ctx, session.RevertFile{Part: f.Part}) }
			if !f.Seen {
				return said(revert)(ctx)
			}
			q := app.UndoSeenQuestion(r.Name(f.Path), func() (app.Outcome, error) {
				words, err := revert(p.ctx)
				return app.Outcome{Say: words}, err
			})
			ask = &q
			return "", nil
		})(p.ctx)
		return func() {
			switch {
			case err != nil:
				p.out.line("Nothing was done: " + err.Error())
			case ask != nil:
				p.later(p.numbered(*ask))
			default:
				p.out.line(words)
			}
		}
	})
}

// review lists, shows, keeps and reverts the changes of a session.
type review struct{ app.Undo }

// files returns the changed files, in the order of their first change.
func (r review) files(ctx context.Context) ([]journal.File, error) {
	if err := session.Try(ctx, r.Session, session.AwaitChanges{}); err != nil {
		return nil, err
	}
	return session.Do(ctx, r.Session, session.ChangedFiles{})
}

func (r review) list(ctx context.Context) (string, error) {
	files, err := r.files(ctx)
	if err != nil {
		return "", err
	}
	var lines []string
	if limits := r.Session.Journal().Limits; limits != "" {
		lines = append(lines, termtext.Capital(limits)+".")
	}
	if len(files) == 0 {
		return strings.Join(append(lines, "No changes in this session."), "\n"), nil
	}
	lines = append(lines, "Changed in this session:")
	for i, f := range files {
		state := r.state(ctx, f)
		if f.Seen {
			state += " (during a turn, not through parley)"
		}
		lines = append(lines, fmt.Sprintf("%d. %s: %s", i+1, r.Name(f.Path), state))
	}
	lines = append(lines, "/changes N shows change N, /changes keep N keeps it, /changes revert N undoes it.")
	return strings.Join(lines, "\n"), nil
}

// state describes the change of a file.
func (r review) state(ctx context.Context, f journal.File) string {
	c, err := session.Do(ctx, r.Session, session.CompareFile{Part: f.Part})
	words := stateOf(f, c, err)
	if err == nil && c.From != "" && !f.Kept {
		words = "moved from " + r.Name(c.From) + ", " + words
	}
	if err == nil && c.Unmarked() {
		words += ", " + app.Unmarked
	}
	if err == nil && c.Reported {
		words += ", " + app.AsReported + ": not undone"
	}
	return words
}

func stateOf(f journal.File, c *journal.Comparison, err error) string {
	switch {
	case f.Kept:
		return "kept"
	case errors.Is(err, journal.ErrNothing):
		return "as it was before"
	case err != nil:
		return "cannot be compared: " + err.Error()
	case c.Before.Lost:
		return "changed; its earlier content is unknown"
	case c.Same() && c.From != "":
		return "not changed"
	case c.Same():
		return "as it was before"
	case app.LinkWords(c) != "":
		return app.LinkWords(c)
	case c.Before.Absent && c.Binary:
		return "new, binary"
	case c.Before.Absent:
		return "new, " + termtext.Count(c.Added, "line")
	case c.Now.Absent:
		return "deleted"
	case c.Binary:
		return "changed, binary"
	case c.Before.Content == c.Now.Content:
		return "its mode was changed"
	}
	return fmt.Sprintf("%s added, %d removed", termtext.Count(c.Added, "line"), c.Removed)
}

// on returns a step that calls do with the numbered file.
func (r review) on(number string, do func(context.Context, journal.File) (string, error)) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		files, err := r.files(ctx)
		if err != nil {
			return "", err
		}
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 1 || n > len(files) {
			return "No such change. /changes lists them.", nil
		}
		return do(ctx, files[n-1])
	}
}

// show writes the changes of a file as a patch.
func (r review) show(ctx context.Context, f journal.File) (string, error) {
	c, err := session.Do(ctx, r.Session, session.CompareFile{Part: f.Part})
	name := r.Name(f.Path)
	switch {
	case errors.Is(err, journal.ErrNothing):
		return name + " is as it was before.", nil
	case err != nil:
		return "", err
	case c.Binary || c.Before.Lost || c.Same() || c.Before.Content == c.Now.Content:
		return name + ": " + r.state(ctx, f) + ".", nil
	}
	before := &c.Before.Content
	if c.Before.Absent {
		before = nil
	}
	return diffview.New(name, before, c.Now.Content).Patch()
}
