package cli

import (
	"path/filepath"

	"parley/acpclient"
	"parley/config"
	"parley/internal/journal"
)

// journal opens the journal of a session's changes; nil if the person wants none. That of
// a session that is opened again goes on; it has no id if it is new. An error is no reason
// not to begin.
func (l *launcher) journal(cwd string, roots []string, again acpclient.SessionID) (*journal.Journal, error) {
	if l.config.NoJournal {
		return nil, nil
	}
	return journal.Open(journal.Options{
		Dir: filepath.Join(config.StateDir(), "journal"), Ignore: config.StateDir(),
		Cwd: cwd, Roots: roots, Session: string(again),
		MaxBytes: l.config.JournalBytes, MaxAge: l.config.JournalAge,
	})
}
