package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Refresh brings the index up to date with the logs: it reads what was written since
// it did so last, and nothing else.
func (x *Index) Refresh(ctx context.Context) error {
	files, err := x.store.logs()
	if err != nil {
		return err
	}
	known, err := x.known(ctx)
	if err != nil {
		return fmt.Errorf("read the index of the sessions: %w", err)
	}
	for _, f := range files {
		at, there := known[f.id]
		delete(known, f.id)
		if there && at.read == f.size {
			continue
		}
		if err := x.take(ctx, f, at); err != nil {
			return fmt.Errorf("bring the index of the sessions up to date: %w", err)
		}
	}
	for id := range known {
		if err := x.forget(ctx, id); err != nil {
			return fmt.Errorf("take the session %s out of the index: %w", id, err)
		}
	}
	return nil
}

// known is how far each log is in the index.
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

// position is how far a log is in the index: size bytes of it, whole records all, when
// it had read bytes. The zero position is that of a log that is not.
type position struct{ key, size, read int64 }

// take reads what was added to a log since it was at a position. A log that has become
// shorter is read anew.
func (x *Index) take(ctx context.Context, f logFile, at position) error {
	return x.change(ctx, func(tx *sql.Tx) error {
		s := scanner{summary: Summary{Meta: Meta{ID: f.id}}}
		if at.key != 0 && f.size < at.size {
			if err := drop(ctx, tx, at.key); err != nil {
				return err
			}
			at = position{}
		}
		if at.key == 0 {
			r, err := tx.ExecContext(ctx, "INSERT INTO sessions (id, size, read, updated, summary, cwd, agent, session, shown) VALUES (?, 0, 0, 0, '{}', '', '', '', 0)", f.id)
			if err != nil {
				return err
			}
			if at.key, err = r.LastInsertId(); err != nil {
				return err
			}
		} else if err := summaryOf(ctx, tx, at.key, &s.summary); err != nil {
			return err
		}
		s.emit = func(p *passage) error { return addPassage(ctx, tx, at.key, p) }
		for r, err := range x.store.Records(f.id, at.size) {
			if err != nil {
				if errors.Is(err, ErrNotStored) {
					return drop(ctx, tx, at.key) // it was deleted meanwhile
				}
				return err
			}
			if r.End == 0 {
				break // it is being written
			}
			s.record(r)
			at.size = r.End
		}
		s.flush()
		if s.err != nil {
			return s.err
		}
		return saveSummary(ctx, tx, at, f, &s.summary)
	})
}

func summaryOf(ctx context.Context, tx *sql.Tx, key int64, s *Summary) error {
	var text string
	if err := tx.QueryRowContext(ctx, "SELECT summary FROM sessions WHERE key = ?", key).Scan(&text); err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), s)
}

func saveSummary(ctx context.Context, tx *sql.Tx, at position, f logFile, s *Summary) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE sessions SET size = ?, read = ?, updated = ?, summary = ?, cwd = ?, agent = ?, session = ?, shown = ? WHERE key = ?",
		at.size, f.size, f.changed.UnixNano(), string(text), s.Cwd, s.Agent, s.Session, s.Prompt != "", at.key)
	return err
}

func addPassage(ctx context.Context, tx *sql.Tx, key int64, p *passage) error {
	r, err := tx.ExecContext(ctx, "INSERT INTO passages (session, offset, kind) VALUES (?, ?, ?)", key, p.offset, p.kind)
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

// drop takes a session out of all tables.
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

// forget takes a session out of the index whose log is gone.
func (x *Index) forget(ctx context.Context, id ID) error {
	return x.change(ctx, func(tx *sql.Tx) error {
		var key int64
		err := tx.QueryRowContext(ctx, "SELECT key FROM sessions WHERE id = ?", id).Scan(&key)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return drop(ctx, tx, key)
	})
}

// fromNano is a time as the index has it.
func fromNano(n int64) time.Time { return time.Unix(0, n) }
