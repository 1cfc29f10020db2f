package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"parley/acpclient"
)

// Query chooses among the stored sessions; what is empty does not count.
type Query struct {
	// Cwd is the session's directory, or the one for which its worktree was made.
	Cwd string
	// Agent is the agent's id in the configuration, Session its own id of the session.
	Agent   string
	Session acpclient.SessionID
	// All takes in those in which nobody has asked anything.
	All bool
	// Limit is how many there may be, 0 for all, and Offset how many are left out
	// before them.
	Limit, Offset int
}

// where is the query in SQL, with the values for it.
func (q Query) where() (string, []any) {
	var conditions []string
	var values []any
	if !q.All {
		conditions = append(conditions, "shown = 1")
	}
	for column, value := range map[string]string{"agent": q.Agent, "session": string(q.Session)} {
		if value != "" {
			conditions = append(conditions, "sessions."+column+" = ?")
			values = append(values, value)
		}
	}
	if q.Cwd != "" {
		conditions = append(conditions, "(sessions.cwd = ? OR sessions.origin = ?)")
		values = append(values, q.Cwd, q.Cwd)
	}
	if conditions == nil {
		return "1", nil
	}
	return strings.Join(conditions, " AND "), values
}

const columns = "sessions.summary, sessions.updated, sessions.read"

// List gives the sessions, the one written last first.
func (x *Index) List(ctx context.Context, q Query) ([]Summary, error) {
	where, values := q.where()
	limit := q.Limit
	if limit == 0 {
		limit = -1
	}
	rows, err := x.db.QueryContext(ctx, "SELECT "+columns+" FROM sessions WHERE "+where+" ORDER BY updated DESC LIMIT ? OFFSET ?", append(values, limit, q.Offset)...)
	if err != nil {
		return nil, fmt.Errorf("list the stored sessions: %w", err)
	}
	defer rows.Close()
	var list []Summary
	for rows.Next() {
		var s Summary
		if err := scanSummary(rows, &s); err != nil {
			return nil, fmt.Errorf("list the stored sessions: %w", err)
		}
		list = append(list, s)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list the stored sessions: %w", err)
	}
	return list, nil
}

func scanSummary(rows *sql.Rows, s *Summary) error {
	var text string
	var updated int64
	if err := rows.Scan(&text, &updated, &s.Size); err != nil {
		return err
	}
	s.Updated = fromNano(updated)
	return json.Unmarshal([]byte(text), s)
}

// Hit is a session in which words were found.
type Hit struct {
	Summary
	// Kind is whose text the newest passage is that has the words, and Offset where it
	// begins in the log.
	Kind   Kind
	Offset int64
}

// candidates is how many passages are looked at for each session that is asked for:
// many may be of the same.
const candidates = 40

// defaultHits is how many sessions a search gives that does not say.
const defaultHits = 100

// Search gives the sessions in which all the words stand in one passage, the newest
// passage first. Case and accents do not count, and the last word may be the beginning
// of one: people search while they type.
func (x *Index) Search(ctx context.Context, words string, q Query) ([]Hit, error) {
	match := matchOf(words)
	if match == "" {
		return nil, nil
	}
	hits, err := x.hits(ctx, match, q)
	if err != nil {
		return nil, fmt.Errorf("search the stored sessions: %w", err)
	}
	return hits, nil
}

// hits are the sessions in which a search in the index's language finds something.
func (x *Index) hits(ctx context.Context, match string, q Query) ([]Hit, error) {
	where, values := q.where()
	limit := q.Limit
	if limit == 0 {
		limit = defaultHits
	}
	// Ordering by row is free; by rank every match would have to be looked at.
	rows, err := x.db.QueryContext(ctx, "SELECT passages.session, passages.kind, passages.offset FROM words"+
		" CROSS JOIN passages ON passages.key = words.rowid CROSS JOIN sessions ON sessions.key = passages.session"+
		" WHERE words MATCH ? AND "+where+" ORDER BY words.rowid DESC LIMIT ?",
		append(append([]any{match}, values...), (limit+q.Offset)*candidates)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var hits []Hit
	seen := map[int64]bool{}
	for rows.Next() && len(seen) < limit+q.Offset {
		var h Hit
		var key int64
		if err := rows.Scan(&key, &h.Kind, &h.Offset); err != nil {
			return nil, err
		}
		if seen[key] {
			continue
		}
		if seen[key] = true; len(seen) <= q.Offset {
			continue
		}
		if err := x.summary(ctx, key, &h.Summary); err != nil {
			return nil, err
		}
		hits = append(hits, h)
	}
	return hits, rows.Err()
}

// summary is what a list says of the session of a row.
func (x *Index) summary(ctx context.Context, key int64, s *Summary) error {
	rows, err := x.db.QueryContext(ctx, "SELECT "+columns+" FROM sessions WHERE key = ?", key)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return rows.Err()
	}
	return scanSummary(rows, s)
}

// tokens are the words of a text, as the index takes it apart.
func tokens(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Mn, r) })
}

// matchOf writes words in the index's language: each quoted, so that none is an
// operator there.
func matchOf(text string) string {
	words := tokens(text)
	for i, w := range words {
		words[i] = `"` + w + `"`
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, " ") + "*"
}

// around is how much of the text around a word is shown, in characters to each side.
const around = 60

// Snippet is a line of the passage that was found, with the words in it.
func (s *Store) Snippet(h Hit, words string) (string, error) {
	var text string
	scan := scanner{}
	scan.emit = func(p *passage) error {
		if text == "" {
			text = p.text.String()
		}
		return nil
	}
	for r, err := range s.Records(h.ID, h.Offset) {
		if err != nil {
			return "", err
		}
		if scan.record(r); text != "" {
			break
		}
	}
	scan.flush()
	return excerpt(text, tokens(words)), nil
}

// excerpt is what stands around the first of the words in a text, on one line.
func excerpt(text string, words []string) string {
	at := -1
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		lower = text // places in the one are not places in the other
	}
	for _, w := range words {
		if at = strings.Index(lower, strings.ToLower(w)); at >= 0 {
			break
		}
	}
	at = max(at, 0)
	before, after := []rune(text[:at]), []rune(text[at:])
	line, cut := "", false
	if cut = len(before) > around; cut {
		line, before = "…", before[len(before)-around:]
	}
	if len(after) > around+around {
		after = append(after[:around+around:around+around], '…')
	}
	return line + strings.TrimSpace(strings.Join(strings.Fields(string(before)+string(after)), " "))
}
