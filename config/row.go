package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// row is a key of a table of the configuration file, and all that there is to say about
// it: from rows come the reader, the defaults, the example and the list of settings. It is
// read into a T.
type row[T any] struct {
	key string
	// about explains the key in the example, in lines of at most 88 characters.
	about string
	// standard is the default, as TOML has it; nil if there is none.
	standard any
	// examples are values for the example, written as TOML, one for each example of the
	// table; "" leaves the key out of that one. Without any, the first has the default.
	examples []string
	// read reads the key into a T; if the key is missing, it sets the default.
	read func(to *T, t *table, key string)
	// rows are the keys of the table under this key; then read is nil.
	rows []row[T]
	// hint is the hint for an unknown key in rows.
	hint string
	// names, if not nil, writes the example of a table with keys that users choose.
	names func(*strings.Builder, *Actions)
}

// shown returns the row with other values in the example.
func (r row[T]) shown(examples ...string) row[T] {
	r.examples = examples
	return r
}

// standing returns the row with a default, which read sets.
func (r row[T]) standing(standard any) row[T] {
	r.standard = standard
	return r
}

// flag is a switch that is off by default.
func flag[T any](key string, at func(*T) *bool, about string) row[T] {
	return row[T]{key: key, about: about, standard: false, read: func(to *T, t *table, key string) { *at(to) = t.flag(key) }}
}

// flagOn is a switch that is on by default; off is what it switches off.
func flagOn[T any](key string, off func(*T) *bool, about string) row[T] {
	return row[T]{key: key, about: about, standard: true, read: func(to *T, t *table, key string) {
		on := t.flag(key)
		*off(to) = t.has(key) && !on
	}}
}

// number is a whole number within bounds.
func number[T any](key string, standard, least, most int64, set func(*T, int64), about string) row[T] {
	return row[T]{key: key, about: about, standard: standard, read: func(to *T, t *table, key string) {
		n, ok := t.number(key, least, most)
		if !ok {
			n = standard
		}
		set(to, n)
	}}
}

// choice is one of a few words.
func choice[T any, V ~string](key string, standard V, known []V, at func(*T) *V, about string) row[T] {
	return row[T]{key: key, about: about, standard: string(standard), read: func(to *T, t *table, key string) {
		*at(to) = oneOf(t, key, standard, known)
	}}
}

// value is a value that is read by a method of table, which returns the default for a missing key.
func value[T, V any](key string, at func(*T) *V, read func(t *table, key string) V, about string) row[T] {
	return row[T]{key: key, about: about, read: func(to *T, t *table, key string) { *at(to) = read(t, key) }}
}

// duration is a time of at least a minute, such as "12h".
func duration[T any](key string, standard time.Duration, at func(*T) *time.Duration, about string) row[T] {
	written := strings.TrimSuffix(strings.TrimSuffix(standard.String(), "0s"), "0m")
	return row[T]{key: key, about: about, standard: written, read: func(to *T, t *table, key string) {
		*at(to) = standard
		text, ok := read[string](t, key, fmt.Sprintf("a time such as %q", written))
		if !ok {
			return
		}
		d, err := time.ParseDuration(text)
		switch {
		case err != nil:
			t.fail(key, `write hours and minutes, as in "1h30m"`, "cannot be %q", text)
		case d < time.Minute:
			t.fail(key, "", `must be at least "1m"`)
		default:
			*at(to) = d
		}
	}}
}

// readRows reads the keys of a table.
func readRows[T any](to *T, t *table, rows []row[T]) {
	for _, r := range rows {
		if r.rows == nil {
			r.read(to, t, r.key)
			continue
		}
		if v, there := t.values[r.key]; there && kind(v) != "a table" && r.hint != "" {
			t.asked = append(t.asked, r.key)
			t.fail(r.key, r.hint, "must be a table, not %s", kind(v))
			continue
		}
		in, _ := t.child(r.key)
		in.hint = r.hint
		readRows(to, in, r.rows)
		in.done()
	}
}

// keysOf returns all keys of a table, those of the tables in it included.
func keysOf[T any](rows []row[T]) (keys []string) {
	for _, r := range rows {
		keys = append(append(keys, r.key), keysOf(r.rows)...)
	}
	return keys
}

// writeRows appends the rows of the file, or of a table, to the example.
func writeRows[T any](b *strings.Builder, rows []row[T], actions *Actions, inTable bool) {
	for _, r := range rows {
		if r.about != "" && !inTable {
			b.WriteByte('\n')
		}
		writeAbout(b, r.about)
		switch {
		case r.names != nil:
			r.names(b, actions)
		case r.rows != nil:
			fmt.Fprintf(b, "#[%s]\n", r.key)
			writeRows(b, r.rows, actions, true)
		default:
			fmt.Fprintf(b, "#%s = %s\n", r.key, r.example(0))
		}
	}
}

// writeExample appends one of the examples of a table with a name that users choose: one
// line of text stands behind its key.
func writeExample[T any](b *strings.Builder, table string, rows []row[T], which int) {
	fmt.Fprintf(b, "#[%s]\n", table)
	for _, r := range rows {
		value := r.example(which)
		if value == "" {
			continue
		}
		line := fmt.Sprintf("#%s = %s", r.key, value)
		if strings.Contains(r.about, "\n") {
			writeAbout(b, r.about)
		} else if r.about != "" && !slices.ContainsFunc(r.examples[:min(which, len(r.examples))], func(earlier string) bool { return earlier != "" }) {
			line = fmt.Sprintf("%-33s # %s", line, r.about)
		}
		b.WriteString(line + "\n")
	}
}

// example returns the value in one of the examples of the table, "" if it is not there.
func (r row[T]) example(which int) string {
	switch {
	case which < len(r.examples):
		return r.examples[which]
	case which == 0 && len(r.examples) == 0 && r.standard != nil:
		return written(r.standard)
	}
	return ""
}

func writeAbout(b *strings.Builder, about string) {
	for line := range strings.Lines(about) {
		b.WriteString("# " + strings.TrimSuffix(line, "\n") + "\n")
	}
}
