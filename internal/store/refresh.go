package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Refresh reads into the index what was written to the logs since the last time.
// Concurrent calls wait for each other.
func (x *Index) Refresh(ctx context.Context) error {
	select {
	case x.refreshing <- struct{}{}:
		defer func() { <-x.refreshing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	now := x.store.stamp()
	compare := x.compare
	if now != (stamp{}) && now == x.covered {
		compare = x.compareOpen
	}
	stale, gone, err := compare(ctx)
	if err != nil {
		return err
	}
	x.covered = stamp{}
	for len(stale) > 0 {
		if stale, err = x.takeSome(ctx, stale); err != nil {
			return fmt.Errorf("update the session index: %w", err)
		}
	}
	for _, id := range gone {
		if err := x.forget(ctx, id); err != nil {
			return fmt.Errorf("take the session %s out of the index: %w", id, err)
		}
	}
	x.covered = now
	return nil
}

// stamp is when the directories of the logs and of their marks last changed. While it
// stays the same, only logs with a mark can grow: without one, a log is written by Rename
// alone, which changes the directory's time.
type stamp struct{ logs, marks int64 }

// stampAge is how old a change must be before a later one is sure to have another time:
// some file systems keep times in steps of two seconds.
const stampAge = 2 * time.Second

// stamp returns the zero value if it is unknown or too young.
func (s *Store) stamp() stamp {
	logs, err := os.Stat(s.dir)
	marks, none := os.Stat(filepath.Join(s.dir, openDir))
	if err != nil || none != nil || time.Since(logs.ModTime()) < stampAge || time.Since(marks.ModTime()) < stampAge {
		return stamp{}
	}
	return stamp{logs.ModTime().UnixNano(), marks.ModTime().UnixNano()}
}

// compareOpen is compare for the logs that have a mark.
func (x *Index) compareOpen(ctx context.Context) (stale []staleLog, gone []ID, err error) {
	marks, err := os.ReadDir(filepath.Join(x.store.dir, openDir))
	if err != nil {
		return nil, nil, fmt.Errorf("list the open sessions: %w", err)
	}
	for _, m := range marks {
		f, ok := x.store.log(ID(m.Name()))
		if !ok {
			continue
		}
		at, err := positionOf(ctx, x.db, f.id)
		if err != nil {
			return nil, nil, fmt.Errorf("read the session index: %w", err)
		}
		if at.read != f.size {
			stale = append(stale, staleLog{f, at})
		}
	}
	return stale, nil, nil
}

// staleLog is a log that the index does not fully cover.
type staleLog struct {
	logFile
	at position
}

// compare finds the logs that have grown since they were read, and those that exist
// only in the index.
func (x *Index) compare(ctx context.Context) (stale []staleLog, gone []ID, err error) {
	files, err := x.store.logs()
	if err != nil {
		return nil, nil, err
	}
	known, err := x.known(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read the session index: %w", err)
	}
	for _, f := range files {
		at, indexed := known[f.id]
		delete(known, f.id)
		if !indexed || at.read != f.size {
			stale = append(stale, staleLog{f, at})
		}
	}
	return stale, slices.Collect(maps.Keys(known)), nil
}

// takeTime limits one transaction that reads logs. Many logs in one transaction are
// much cheaper than one each, but other writers wait meanwhile.
const takeTime = time.Second

// takeSome reads logs for about takeTime and returns the remaining ones.
func (x *Index) takeSome(ctx context.Context, stale []staleLog) (rest []staleLog, err error) {
	began := time.Now()
	err = x.change(ctx, func(tx *sql.Tx) error {
		for len(stale) > 0 && time.Since(began) < takeTime {
			if err := x.take(ctx, tx, stale[0]); err != nil {
				return err
			}
			stale = stale[1:]
		}
		return nil
	})
	return stale, err
}

// known returns the position in each log.
func (x *Index) known(ctx context.Context) (map[ID]position, error) {
	rows, err := x.db.QueryContext(ctx, "SELECT id, key, size, read FROM sessions")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	known := map[ID]position{}
	for rows.Next() {
		var id ID
		var p position
		if err := rows.Scan(&id, &p.key, &p.size, &p.read); err != nil {
			return nil, err
		}
		known[id] = p
	}
	return known, rows.Err()
}

// querier is the database, or a transaction that excludes other writers.
type querier interface {
	QueryRowContext(ctx context.Context, query string, values ...any) *sql.Row
}

// positionOf returns the position in a log.
func positionOf(ctx context.Context, db querier, id ID) (p position, err error) {
	err = db.QueryRowContext(ctx, "SELECT key, size, read FROM sessions WHERE id = ?", id).Scan(&p.key, &p.size, &p.read)
	if errors.Is(err, sql.ErrNoRows) {
		return position{}, nil
	}
	return p, err
}

// position is how far a log has been read into the index: size bytes of whole records,
// when the file had read bytes. The zero position means that the log is not in the
// index.
type position struct{ key, size, read int64 }

// take reads what was added to a log since it was last read. It starts again if the log
// has become shorter.
func (x *Index) take(ctx context.Context, tx *sql.Tx, log staleLog) error {
	f := log.logFile
	at, err := positionOf(ctx, tx, f.id)
	if err != nil || at != log.at && at.read >= f.size {
		return err // no row: another program has read it meanwhile
	}
	s := scanner{summary: Summary{Meta: Meta{ID: f.id}}}
	if at.key != 0 && f.size < at.size {
		if err := drop(ctx, tx, at.key); err != nil {
			return err
		}
		at = position{}
	}
	if at.key == 0 {
		r, err := tx.ExecContext(ctx, "INSERT INTO sessions (id, size, read, updated, summary, cwd, origin, agent, session, shown) VALUES (?, 0, 0, 0, '{}', '', '', '', '', 0)", f.id)
		if err != nil {
			return err
		}
		if at.key, err = r.LastInsertId(); err != nil {
			return err
		}
	} else if err := scanSummary(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM sessions WHERE key = ?", at.key), &s.summary); err != nil {
		return err
	}
	var last Kind // the agent may repeat a prompt at the end of the indexed part
	err = tx.QueryRowContext(ctx, "SELECT kind FROM passages WHERE session = ? ORDER BY key DESC LIMIT 1", at.key).Scan(&last)
	if s.echoes = last == FromUser && s.summary.Turns > 0; err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	s.emit = func(p *passage) error {
		r, err := tx.ExecContext(ctx, "INSERT INTO passages (session, offset, kind) VALUES (?, ?, ?)", at.key, p.offset, p.kind)
		if err != nil {
			return err
		}
		row, err := r.LastInsertId()
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO words (rowid, text) VALUES (?, ?)", row, p.text.String())
		return err
	}
	for r, err := range x.store.records(f.id, at.size, nil) {
		if err != nil {
			if errors.Is(err, ErrNotStored) {
				return drop(ctx, tx, at.key) // deleted meanwhile
			}
			return err
		}
		if r.End == 0 {
			break // still being written
		}
		s.record(r)
		at.size = r.End
	}
	s.flush()
	if s.err != nil {
		return s.err
	}
	return saveSummary(ctx, tx, at, f, &s.summary)
}

func saveSummary(ctx context.Context, tx *sql.Tx, at position, f logFile, s *Summary) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE sessions SET size = ?, read = ?, updated = ?, summary = ?, cwd = ?, origin = ?, agent = ?, session = ?, shown = ? WHERE key = ?",
		at.size, f.size, f.changed.UnixNano(), string(text), s.Cwd, s.From, s.Agent, s.Session, s.Prompt != "", at.key)
	return err
}

func drop(ctx context.Context, tx *sql.Tx, key int64) error {
	for _, q := range []string{
		"DELETE FROM words WHERE rowid IN (SELECT key FROM passages WHERE session = ?)",
		"DELETE FROM passages WHERE session = ?",
		"DELETE FROM sessions WHERE key = ?",
	} {
		if _, err := tx.ExecContext(ctx, q, key); err != nil {
			return err
		}
	}
	return nil
}

// forget removes a session whose log is gone from the index. A log that exists again
// was created, and read by another program, while the logs were listed.
func (x *Index) forget(ctx context.Context, id ID) error {
	if path, err := x.store.path(id); err == nil {
		if _, err := os.Lstat(path); err == nil {
			return nil
		}
	}
	return x.change(ctx, func(tx *sql.Tx) error {
		at, err := positionOf(ctx, tx, id)
		if err != nil || at.key == 0 {
			return err
		}
		return drop(ctx, tx, at.key)
	})
}
