package cli

import (
	"path/filepath"

	"parley/config"
	"parley/internal/journal"
)

// journal opens the journal of a session's changes; nil if the person wants none. An
// error is no reason not to begin.
func (l *launcher) journal(cwd string, roots []string) (*journal.Journal, error) {
	if l.config.NoJournal {
		return nil, nil
	}
	return journal.Open(journal.Options{
		Dir: filepath.Join(config.StateDir(), "journal"), Ignore: config.StateDir(),
		Cwd: cwd, Roots: roots, Session: l.resume,
		MaxBytes: l.config.JournalBytes, MaxAge: l.config.JournalAge,
	})
}
