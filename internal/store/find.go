package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"parley/acpclient"
)

// Query selects stored sessions; empty fields do not restrict it.
type Query struct {
	// Cwd is the session's directory, or the one for which its worktree was made.
	Cwd string
	// Agent is the agent's id in the configuration, Session its own id for the session.
	Agent   string
	Session acpclient.SessionID
	// All includes sessions without a prompt.
	All bool
	// Limit limits the results, 0 means no limit.
	Limit int
	// After begins a list behind a session, wherever that is by now; a search ignores it.
	After Place
}

// Place is the place of a session in a list, see [Summary.Place].
type Place struct {
	Updated time.Time
	ID      ID
}

// where returns the query as SQL, with its values.
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

// List returns the sessions, last written first.
func (x *Index) List(ctx context.Context, q Query) (list []Summary, err error) {
	defer func() {
		if err != nil {
			list, err = nil, fmt.Errorf("list the stored sessions: %w", err)
		}
	}()
	where, values := q.where()
	if q.After != (Place{}) {
		where += " AND (updated, id) < (?, ?)"
		values = append(values, q.After.Updated.UnixNano(), q.After.ID)
	}
	rows, err := x.db.QueryContext(ctx, "SELECT "+columns+" FROM sessions WHERE "+where+" ORDER BY updated DESC, id DESC LIMIT ?",
		append(values, cmp.Or(q.Limit, -1))...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s Summary
		if err := scanSummary(rows, &s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

// scanSummary scans a row with columns.
func scanSummary(row interface{ Scan(values ...any) error }, s *Summary) error {
	var text string
	var updated int64
	if err := row.Scan(&text, &updated, &s.Size); err != nil {
		return err
	}
	s.Updated = time.Unix(0, updated)
	return json.Unmarshal([]byte(text), s)
}

// Hit is a session that matches a search.
type Hit struct {
	Summary
	// Kind says who wrote the newest matching passage, and Offset where it begins in the
	// log.
	Kind   Kind
	Offset int64
}

// candidates is how many passages to look at per requested session, since several may
// belong to one.
const candidates = 40

// defaultHits is the default limit of a search.
const defaultHits = 100

// Search returns the sessions in which one passage contains all the words, the newest
// passage first. It ignores case and accents, and matches the last word as a prefix,
// for searching while typing.
func (x *Index) Search(ctx context.Context, words string, q Query) (hits []Hit, err error) {
	match := matchOf(words)
	if match == "" {
		return nil, nil
	}
	defer func() {
		if err != nil {
			hits, err = nil, fmt.Errorf("search the stored sessions: %w", err)
		}
	}()
	where, values := q.where()
	limit := cmp.Or(q.Limit, defaultHits)
	// Ordering by row is free; by rank, SQLite would look at every match.
	rows, err := x.db.QueryContext(ctx, "SELECT passages.session, passages.kind, passages.offset FROM words"+
		" CROSS JOIN passages ON passages.key = words.rowid CROSS JOIN sessions ON sessions.key = passages.session"+
		" WHERE words MATCH ? AND "+where+" ORDER BY words.rowid DESC LIMIT ?",
		append(append([]any{match}, values...), limit*candidates)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	seen := map[int64]bool{}
	for rows.Next() && len(seen) < limit {
		var h Hit
		var key int64
		if err := rows.Scan(&key, &h.Kind, &h.Offset); err != nil {
			return nil, err
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		err := scanSummary(x.db.QueryRowContext(ctx, "SELECT "+columns+" FROM sessions WHERE key = ?", key), &h.Summary)
		switch {
		case err == nil:
			hits = append(hits, h)
		case !errors.Is(err, sql.ErrNoRows): // none if the session has been deleted meanwhile
			return nil, err
		}
	}
	return hits, rows.Err()
}

// word matches a word as the index splits a text.
var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL\pN\p{Mn}]+`) })

// matchOf converts words to the index's query language, each quoted so that none is an
// operator.
func matchOf(text string) string {
	words := word().FindAllString(text, -1)
	for i, w := range words {
		words[i] = `"` + w + `"`
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, " ") + "*"
}

// An excerpt shows so many characters before and after a match: little before it, so that
// it is in sight where the line is cut.
const (
	before = 30
	after  = 90
)

// Snippet returns a line of the matching passage that contains the words.
func (s *Store) Snippet(h Hit, words string) (string, error) {
	var text string
	found, over := word().FindAllString(words, -1), false
	scan := scanner{}
	scan.emit = func(p *passage) error {
		if over = p.offset > h.Offset; !over && (text == "" || matchIn(text, found) == 0) {
			text = p.text.String() // several can begin in one record
		}
		return nil
	}
	for r, err := range s.records(h.ID, h.Offset, nil) {
		if err != nil {
			return "", err
		}
		if scan.record(r); over || scan.open.offset > h.Offset {
			break
		}
	}
	scan.flush()
	return excerpt(text, found), nil
}

// excerpt returns the text around the first of the words, on one line.
func excerpt(text string, words []string) string {
	at := matchIn(text, words)
	lead, rest := []rune(text[:at]), []rune(text[at:])
	line, cut := "", false
	if cut = len(lead) > before; cut {
		line, lead = "…", lead[len(lead)-before:]
	}
	if len(rest) > after {
		rest = append(rest[:after:after], '…')
	}
	return line + strings.TrimSpace(strings.Join(strings.Fields(string(lead)+string(rest)), " "))
}

// matchIn returns where the first word of a text is that the index would find, 0 if there
// is none: the last of the words may be the beginning of one.
func matchIn(text string, words []string) int {
	for i := range words {
		words[i] = folded(words[i])
	}
	for _, at := range word().FindAllStringIndex(text, -1) {
		found := folded(text[at[0]:at[1]])
		if slices.Contains(words, found) || len(words) > 0 && strings.HasPrefix(found, words[len(words)-1]) {
			return at[0]
		}
	}
	return 0
}

// folded is a word as the index compares it: without case and accents.
func folded(word string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(word) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}
