package pages

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/journal"
)

// act keeps or reverts. A revert can be redone at once; the message says how.
func (v *Review) act(a config.Action) tea.Cmd {
	if v.acting {
		v.say("wait: files are being written", nil)
		return nil
	}
	switch a {
	case config.ActionChangesUndo:
		return v.write(v.undoTurn)
	case config.ActionChangesRedo:
		return v.write(v.redo)
	}
	path := v.path()
	if path == "" {
		v.say("no file here", nil)
		return nil
	}
	hunk := v.pane != nil && len(v.pane.cmp.Hunks) > 0
	if hunk && v.pane.hunk() < 0 {
		return nil // they are not drawn yet
	}
	switch a {
	case config.ActionChangesKeep:
		if hunk {
			return v.keepHunk()
		}
		return v.keepFile(path)
	case config.ActionChangesKeepAll:
		return v.keepFile(path)
	case config.ActionChangesRevert:
		if hunk {
			return v.revertHunk()
		}
		return v.revertFile(path)
	case config.ActionChangesBackAll:
		return v.revertFile(path)
	}
	return nil
}

// write runs do, which writes files, in a command. do returns what to say.
func (v *Review) write(do func(context.Context) (string, error)) tea.Cmd {
	v.acting = true
	ctx := v.opt.Context
	return func() tea.Msg {
		words, err := do(ctx)
		return actedMsg{words, err}
	}
}

// again says how to redo what was taken back.
func (v *Review) again() string {
	if keys := v.opt.Keys.For(config.ActionChangesRedo); len(keys) > 0 {
		return " · " + keys[0] + " redoes it"
	}
	return ""
}

func (v *Review) undoTurn(ctx context.Context) (string, error) {
	done, err := v.journal.UndoTurn(ctx)
	switch {
	case errors.Is(err, journal.ErrNothing):
		return "no turn to undo", nil
	case err != nil:
		return "", err
	}
	return fmt.Sprintf("undid %s: %s%s", v.turnWords(done.Turn), files(len(done.Files)), v.again()), nil
}

func (v *Review) redo(ctx context.Context) (string, error) {
	done, err := v.journal.Redo(ctx)
	switch {
	case errors.Is(err, journal.ErrNothing):
		return "nothing to redo", nil
	case err != nil:
		return "", err
	}
	return "redid " + files(len(done.Files)), nil
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

func (v *Review) revertFile(path string) tea.Cmd {
	since := v.since()
	name := v.at.Path(path)
	return v.write(func(ctx context.Context) (string, error) {
		_, err := v.journal.RevertFile(ctx, path, since)
		if errors.Is(err, journal.ErrNothing) {
			return "nothing to undo in " + name, nil
		}
		return "undid the changes in " + name + v.again(), err
	})
}

func (v *Review) revertHunk() tea.Cmd {
	cmp, hunk := v.pane.cmp, v.pane.hunk()
	v.hunk = hunk
	return v.write(func(ctx context.Context) (string, error) {
		_, err := v.journal.RevertHunk(ctx, cmp, hunk)
		return "undid one change in " + v.at.Path(cmp.Path) + v.again(), err
	})
}

// keepFile marks a file as kept, or as open again.
func (v *Review) keepFile(path string) tea.Cmd {
	kept := false
	for _, f := range v.list.files {
		kept = kept || f.Path == path && f.Kept
	}
	name := v.at.Path(path)
	return v.write(func(context.Context) (string, error) {
		if kept {
			v.journal.OpenFile(path)
			return name + " is no longer kept", nil
		}
		v.journal.KeepFile(path)
		return "kept " + name + ": undoing the turn leaves it", nil
	})
}

func (v *Review) keepHunk() tea.Cmd {
	cmp, hunk := v.pane.cmp, v.pane.hunk()
	v.hunk = hunk
	return v.write(func(context.Context) (string, error) {
		v.journal.KeepHunk(cmp, hunk)
		return "kept one change in " + v.at.Path(cmp.Path), nil
	})
}

// edit opens the file at the line that the person is at.
func (v *Review) edit() tea.Cmd {
	path, line := v.path(), 0
	if path == "" {
		return nil
	}
	if v.pane != nil {
		line = v.pane.newLine()
	}
	return v.opt.Host.Edit(path, line)
}

// copyPatch copies the changes of the file that is shown.
func (v *Review) copyPatch() tea.Cmd {
	if v.pane == nil || v.pane.diff == nil {
		v.say("open a file's changes first", nil)
		return nil
	}
	patch, err := v.pane.diff.Patch()
	if err != nil {
		v.say("", err)
		return nil
	}
	return v.opt.Host.Copy("the changes as a patch", patch)
}
