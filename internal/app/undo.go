package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/termtext"
)

// Recorded is a session with a journal.
type Recorded interface {
	session.Doer
	Journal() *journal.Summary
}

// Undo undoes and redoes what was changed in a session. Its methods say what they have done.
type Undo struct {
	Session Recorded
	Again   string              // how the user redoes it, "" if they cannot
	Name    func(string) string // the name of a file for display
}

// Turn undoes the agent's changes of the last turn.
func (u Undo) Turn(ctx context.Context) (string, error) {
	if err := session.Try(ctx, u.Session, session.AwaitChanges{}); err != nil {
		return "", err
	}
	done, err := session.Do(ctx, u.Session, session.UndoTurn{})
	words, err := u.said("undid "+TurnText(u.Session.Journal(), done.Turn)+": "+termtext.Count(len(done.Files), "file"), "no changes of the agent to undo", err)
	var left []string
	for _, f := range done.Left {
		left = append(left, u.Name(f.Path)+" ("+f.Why+")")
	}
	if len(left) > 0 {
		words += " · left alone: " + strings.Join(left, ", ")
	}
	return words, err
}

// File undoes the changes of a file.
func (u Undo) File(ctx context.Context, f session.RevertFile) (string, error) {
	_, err := session.Do(ctx, u.Session, f)
	return u.said("undid the changes in "+u.Name(f.Part.Path), "nothing to undo in "+u.Name(f.Part.Path), err)
}

// Hunk undoes one change of a file.
func (u Undo) Hunk(ctx context.Context, h session.RevertHunk) (string, error) {
	_, err := session.Do(ctx, u.Session, h)
	return u.said("undid one change in "+u.Name(h.Comparison.Path), "", err)
}

// Redo reverts the last undo.
func (u Undo) Redo(ctx context.Context) (string, error) {
	done, err := session.Do(ctx, u.Session, session.Redo{})
	u.Again = ""
	return u.said("redid "+termtext.Count(len(done.Files), "file"), "nothing to redo", err)
}

// TurnText names a turn by its prompt.
func TurnText(j *journal.Summary, number int) string {
	for _, t := range j.Turns {
		if t.Number == number && t.Prompt != "" {
			return "“" + termtext.Line(t.Prompt) + "”"
		}
	}
	return fmt.Sprintf("turn %d", number)
}

// said returns what was done and how to redo it, or that there was nothing to do.
func (u Undo) said(done, nothing string, err error) (string, error) {
	switch {
	case nothing != "" && errors.Is(err, journal.ErrNothing):
		return nothing, nil
	case err != nil:
		return "", err
	case u.Again != "":
		done += " · " + u.Again + " redoes it"
	}
	return done, nil
}
