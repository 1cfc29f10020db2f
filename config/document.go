package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// maxErrors limits the errors reported for one file.
const maxErrors = 50

// document is a TOML file being read: its values, where each key is, and the errors
// found so far.
type document struct {
	file string
	data []byte
	// places maps the path of every key, and of every item of a list, to where it is; keys
	// maps the first byte of every part of a key to the path of that, of the first part to the
	// whole path, and of an item to none.
	places map[string]place
	keys   map[int]path
	errs   []*Error
	// actions are those of [keys].
	actions *Actions
	// saved are the agents of [Saved], and choices the keys whose values are from there.
	saved   []Agent
	choices []path
}

// place is where a key and its value begin first; for a table both are the same.
type place struct{ key, value int }

// path is the position of a key in the tree of tables.
type path []string

func (p path) child(key string) path { return append(slices.Clip(p), key) }

func (p path) id() string { return strings.Join(p, "\x00") }

// String returns the path in dotted form.
func (p path) String() string { return printable(strings.Join(p, ".")) }

// secret reports whether values at or below this path may be secret.
func (p path) secret() bool { return slices.Contains(p, "env") || slices.Contains(p, "headers") }

// open parses data. If it is not TOML at all, open records the error and returns a nil
// table.
func open(file string, data []byte, actions *Actions) (*document, *table) {
	// Some editors begin files with a byte order mark.
	data = slices.Clip(bytes.TrimPrefix(data, []byte("\ufeff")))
	d := &document{file: printable(file), data: data, places: map[string]place{}, keys: map[int]path{}, actions: actions}
	values := map[string]any{}
	err := toml.Unmarshal(data, &values)
	d.locate()
	if err != nil {
		d.syntax(err)
		return d, nil
	}
	return d, &table{doc: d, values: values, noun: "key"}
}

// locate finds the keys and values of the document, as far as it can be parsed.
func (d *document) locate() {
	var p unstable.Parser
	p.Reset(d.data)
	var section path
	for p.NextExpression() {
		switch node := p.Expression(); node.Kind {
		case unstable.Table, unstable.ArrayTable:
			section = d.locateKey(nil, node)
		case unstable.KeyValue:
			d.locateKey(section, node)
		}
	}
}

// locateKey finds the key of a table or a pair, and the value of a pair.
func (d *document) locateKey(at path, node *unstable.Node) path {
	first, end := -1, 0
	for it := node.Key(); it.Next(); {
		part := it.Node()
		begin := int(part.Raw.Offset)
		at, end = at.child(string(part.Data)), begin+int(part.Raw.Length)
		if first < 0 {
			first = begin
		}
		d.keys[begin] = at
		if _, seen := d.places[at.id()]; !seen {
			d.places[at.id()] = place{begin, begin}
		}
	}
	d.keys[first] = at
	if node.Kind == unstable.KeyValue {
		rest := d.data[end:]
		d.locateValue(at, end+len(rest)-len(bytes.TrimLeft(rest, "= \t")), node.Value())
	}
	return at
}

// locateValue finds the value of a key or an item, and what is in it.
func (d *document) locateValue(at path, begin int, value *unstable.Node) {
	switch p, seen := d.places[at.id()]; {
	case !seen: // an item
		d.places[at.id()], d.keys[begin] = place{begin, begin}, path{}
	case p.key == p.value:
		d.places[at.id()] = place{p.key, begin}
	}
	if value.Kind != unstable.InlineTable && value.Kind != unstable.Array {
		return
	}
	item := 0
	for it := value.Children(); it.Next(); item++ {
		if child := it.Node(); child.Kind == unstable.KeyValue {
			d.locateKey(at, child)
		} else {
			d.locateValue(at.child(strconv.Itoa(item)), int(child.Raw.Offset), child)
		}
	}
}

// position returns the line and column of the byte at offset, the column in characters,
// both from 1, and the first and last byte of the line.
func (d *document) position(offset int) (line, column, start, end int) {
	start = bytes.LastIndexByte(d.data[:offset], '\n') + 1
	end = len(d.data)
	if n := bytes.IndexByte(d.data[offset:], '\n'); n >= 0 {
		end = offset + n
	}
	line = bytes.Count(d.data[:start], []byte("\n")) + 1
	return line, utf8.RuneCount(d.data[start:offset]) + 1, start, end
}

// line returns the line from start to end as an error may show it. It shows the value
// only if the line is one key with one value and hide is not set, because another value
// on the line could be secret. It does not show a line that begins inside a value.
func (d *document) line(start, end int, hide bool) string {
	text := strings.TrimSuffix(string(d.data[start:end]), "\r")
	first := end - len(bytes.TrimLeft(d.data[start:end], " \t["))
	if d.keys[first] == nil {
		return ""
	}
	for i := first + 1; i < end; i++ {
		hide = hide || len(d.keys[i]) > 0
	}
	if hide {
		text = withoutValue(text)
	}
	return shown(text)
}

// fail records an error in the value at p, or at the key of a table.
func (d *document) fail(p path, hint, format string, args ...any) {
	d.record(p, d.places[p.id()].value, p.secret(), hint, fmt.Sprintf(format, args...))
}

// failKey records an error in the key at p; with hide, its value is not shown.
func (d *document) failKey(p path, hide bool, hint, message string) {
	d.record(p, d.places[p.id()].key, hide, hint, message)
}

// record records an error about p, which begins at an offset.
func (d *document) record(p path, offset int, hide bool, hint, message string) {
	if len(d.errs) == maxErrors {
		return
	}
	e := &Error{File: d.file, Message: shown(message), Hint: printable(hint)}
	if d.isChosen(p) {
		e.File = printable(SavedBeside(d.file).Path)
	} else if _, there := d.places[p.id()]; there {
		var start, end int
		e.Line, e.Column, start, end = d.position(offset)
		e.Text = d.line(start, end, hide)
	}
	d.errs = append(d.errs, e)
}

// isChosen reports whether the value at p is not from the document.
func (d *document) isChosen(p path) bool {
	return slices.ContainsFunc(d.choices, func(c path) bool { return slices.Equal(c, p) })
}

// add records an error in another file.
func (d *document) add(err error) {
	var e *Error
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range many.Unwrap() {
			d.add(one)
		}
	} else if errors.As(err, &e) && len(d.errs) < maxErrors {
		d.errs = append(d.errs, e)
	}
}

// withoutValue hides the value of a line with a key. The key and what is before the value
// keep their columns.
func withoutValue(line string) string {
	key, value, found := strings.Cut(line, "=")
	if !found {
		return line
	}
	return key + "=" + value[:len(value)-len(strings.TrimLeft(value, " \t"))] + "…"
}

// syntax records an error of the TOML parser. It cannot tell keys from values on that
// line, so it shows only a key that parley knows.
func (d *document) syntax(err error) {
	e := &Error{File: d.file, Message: shown(strings.TrimPrefix(err.Error(), "toml: "))}
	offset, start, end := 0, 0, 0
	if at, is := errors.AsType[*toml.DecodeError](err); is {
		row, column := at.Position()
		for range row - 1 {
			offset += bytes.IndexByte(d.data[offset:], '\n') + 1
		}
		offset = min(offset+column-1, len(d.data))
		e.Line, e.Column, start, end = d.position(offset)
		key, _, _ := bytes.Cut(d.data[start:end], []byte("="))
		if slices.Contains(knownKeys(d.actions), string(bytes.TrimSpace(key))) {
			e.Text = shown(withoutValue(string(d.data[start:end])))
		}
	}
	switch {
	case strings.Contains(e.Message, "at start of value"):
		e.Hint = `write strings in quotes, as in key = "value"`
	case strings.HasSuffix(e.Message, "strings cannot have new lines") || strings.HasPrefix(e.Message, "unterminated "):
		e.Message = "missing closing quote"
		if before, _, known := strings.Cut(e.Text, "…"); known {
			e.Column = utf8.RuneCountInString(before) + 1
		}
	case strings.HasSuffix(e.Message, " is incomplete"):
		e.Message = map[bool]string{true: `missing "]" at the end of the list`, false: `missing "}" at the end of the table`}[strings.HasPrefix(e.Message, "array")]
	case strings.Contains(e.Message, " already ") && d.keys[offset] != nil:
		at := d.keys[offset]
		first := d.lineOf(at)
		e.Text, e.Message, e.Hint = d.line(start, end, at.secret()), fmt.Sprintf("%s is already set on line %d", at, first), "keep one of the two"
	}
	d.errs = append(d.errs, e)
}

// err joins the recorded errors, in the order of the file.
func (d *document) err() error {
	slices.SortStableFunc(d.errs, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	errs := make([]error, len(d.errs))
	for i, e := range d.errs {
		errs[i] = e
	}
	return errors.Join(errs...)
}

// table reads the values of one table and remembers which keys were read; done reports
// the others. So each known key is named only where it is read.
type table struct {
	doc    *document
	at     path
	values map[string]any
	asked  []string
	// noun is what errors call a key of this table.
	noun string
	// hint, if not "", is the hint for an unknown key that is like no known one.
	hint string
}

func (t *table) name() string { return t.at[len(t.at)-1] }

func (t *table) has(key string) bool {
	_, ok := t.values[key]
	return ok
}

func (t *table) fail(key, hint, format string, args ...any) {
	t.doc.fail(t.at.child(key), hint, "%s "+format, append([]any{t.at.child(key)}, args...)...)
}

// failKey is fail for an error in the key itself.
func (t *table) failKey(key, hint, format string, args ...any) {
	at := t.at.child(key)
	t.doc.failKey(at, at.secret(), hint, at.String()+" "+fmt.Sprintf(format, args...))
}

// read returns the value of key as a T. ok is false if the key is missing or, which is
// an error, of another type.
func read[T any](t *table, key, want string) (value T, ok bool) {
	t.asked = append(t.asked, key)
	v, there := t.values[key]
	if !there {
		return value, false
	}
	value, ok = v.(T)
	if !ok {
		t.fail(key, "", "must be %s, not %s", want, kind(v))
	}
	return value, ok
}

func (t *table) text(key string) string {
	s, ok := read[string](t, key, "a string")
	if ok && strings.ContainsRune(s, 0) {
		t.fail(key, "", "contains a NUL character")
	}
	return s
}

func (t *table) flag(key string) bool {
	b, _ := read[bool](t, key, "true or false")
	return b
}

// number reads an integer within bounds. ok is false if there is none.
func (t *table) number(key string, least, most int64) (n int64, ok bool) {
	n, ok = read[int64](t, key, "a whole number")
	if ok && (n < least || n > most) {
		hint := ""
		if least == 0 {
			hint = "0 means no limit"
		}
		t.fail(key, hint, "must be from %d to %d", least, most)
		return 0, false
	}
	return n, ok
}

// texts reads a list of strings. With single, one string alone is fine too.
func (t *table) texts(key string, single bool) []string {
	if _, one := t.values[key].(string); single && one {
		return []string{t.text(key)}
	}
	want := "a list of strings"
	if single {
		want = "a string or a list of strings"
	}
	list, ok := read[[]any](t, key, want)
	if !ok {
		return nil
	}
	texts := make([]string, 0, len(list))
	for i, v := range list {
		s, ok := v.(string)
		if !ok || strings.ContainsRune(s, 0) {
			t.fail(key, "", "must be %s, but item %d is %s", want, i+1, kind(v))
			return nil
		}
		texts = append(texts, s)
	}
	return texts
}

// words reads a list of strings.
func (t *table) words(key string) []string { return t.texts(key, false) }

// environment reads a table of environment variables.
func (t *table) environment(key string) Secrets { return t.secrets(key, isEnvName) }

// headers reads a table of HTTP headers.
func (t *table) headers(key string) Secrets { return t.secrets(key, isHeaderName) }

// secrets reads a table of strings whose names must satisfy valid. Its errors never
// show a value.
func (t *table) secrets(key string, valid func(string) bool) Secrets {
	pairs, ok := t.child(key)
	if !ok {
		return Secrets{}
	}
	values := make(map[string]string, len(pairs.values))
	for _, name := range pairs.keys() {
		values[name] = pairs.text(name)
		if !valid(name) {
			pairs.failKey(name, "", "is not a valid name")
		}
		pairs.references(name, values[name])
	}
	return NewSecrets(values)
}

// references checks the references in the texts of a key; see [Expand].
func (t *table) references(key string, texts ...string) {
	for _, text := range texts {
		if _, err := Expand(text, nil); err != nil {
			t.fail(key, "", "cannot be used: %v", err)
		}
	}
}

func (t *table) child(key string) (*table, bool) {
	values, ok := read[map[string]any](t, key, "a table")
	return &table{doc: t.doc, at: t.at.child(key), values: values, noun: "key"}, ok
}

// children reads a table of tables, in the order of the file.
func (t *table) children(key string) []*table {
	parent, _ := t.child(key)
	var tables []*table
	for _, name := range parent.keys() {
		if !isID(name) {
			parent.failKey(name, `use letters, digits, ".", "-" and "_"`, "is not a valid name")
		}
		if child, ok := parent.child(name); ok {
			tables = append(tables, child)
		}
	}
	return tables
}

// keys returns the table's keys in the order of the file.
func (t *table) keys() []string {
	return slices.SortedFunc(maps.Keys(t.values), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.offset(a), t.offset(b)), cmp.Compare(a, b))
	})
}

// offset is where a key is in the file; those that are not there come last.
func (t *table) offset(key string) int {
	if at, there := t.doc.places[t.at.child(key).id()]; there {
		return at.key
	}
	return len(t.doc.data)
}

// done records an error for every key that was not read.
func (t *table) done() {
	for _, key := range t.keys() {
		if slices.Contains(t.asked, key) {
			continue
		}
		where := ""
		if len(t.at) > 0 {
			where = " in " + t.at.String()
		}
		// The value plays no part in the error, and could be a misnamed secret.
		t.doc.failKey(t.at.child(key), true, t.suggest(key), fmt.Sprintf("unknown %s %q%s", t.noun, key, where))
	}
}

func (t *table) suggest(key string) string {
	if meant := synonyms[strings.ToLower(key)]; slices.Contains(t.asked, meant) {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	if t.hint != "" && Nearest(key, t.asked) == "" {
		return t.hint
	}
	if hint := didYouMean(key, t.asked, "known "+t.noun+"s"); hint != "" {
		return hint
	}
	if near := sharesWord(key, t.asked); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if t.noun == nounAction {
		return "'parley config show --all' lists the actions"
	}
	return ""
}

// sharesWord returns the candidate that has most words in common with a key, "" if none
// has any: send for send_prompt, history_prev for prev_history.
func sharesWord(key string, candidates []string) string {
	best, most := "", 0
	words := strings.Split(strings.ToLower(key), "_")
	for _, c := range candidates {
		shared := 0
		for _, word := range strings.Split(c, "_") {
			if slices.Contains(words, word) {
				shared++
			}
		}
		if shared > most {
			best, most = c, shared
		}
	}
	return best
}

// kind names the type of a decoded TOML value.
func kind(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case bool:
		return "true or false"
	case int64, float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}

// isID limits names of agents and servers to what fits on a command line and in a file
// name.
func isID(s string) bool {
	odd := func(r rune) bool { return !isNameRune(r) && r != '-' && r != '.' }
	return s != "" && s[0] != '-' && s[0] != '.' && !strings.ContainsFunc(s, odd)
}

// synonyms maps words that other programs use to our keys, where the spelling is too
// different for nearest.
var synonyms = map[string]string{
	"color": "theme", "colour": "theme", "colors": "theme", "colours": "theme", "style": "theme",
	"dark_theme": "theme_dark", "light_theme": "theme_light", "animation": "reduced_motion", "animations": "reduced_motion", "reduce_motion": "reduced_motion",
	"notifications": "attention", "notification": "attention", "unicode": "glyphs",
	"markdown": "markdown_style", "markdown_theme": "markdown_style", "glamour": "markdown_style", "glamour_style": "markdown_style",
	"agent": "default_agent", "default": "default_agent",
	"agent_servers": "agents", "mcp_servers": "mcp", "mcpservers": "mcp", "servers": "mcp",
	"keybindings": "keys", "keybinds": "keys", "keymap": "keys", "bindings": "keys",
	"title": "name", "label": "name", "display_name": "name",
	"cmd": "command", "program": "command", "binary": "command", "exec": "command", "path": "command",
	"arguments": "args", "params": "args",
	"dir": "cwd", "directory": "cwd", "workdir": "cwd", "working_directory": "cwd",
	"environment": "env", "variables": "env",
	"permissions": "rules", "permission": "rules", "policy": "rules", "forbid": "deny", "reject": "deny", "permit": "allow",
	"endpoint": "url", "address": "url", "transport": "type",
}

// knownKeys are all keys that the configuration can have, for a document that does not
// parse.
func knownKeys(actions *Actions) []string {
	keys := slices.Concat(keysOf(fileRows()), keysOf(agentRows()), keysOf(serverRows()))
	for _, a := range actions.List() {
		keys = append(keys, string(a.Action))
	}
	return keys
}

// Error is one error in a configuration file. [Load] and [Parse] join all that they
// find, in the order of the file, with [errors.Join].
//
// No field contains a control character, or the value of an environment variable or a
// header.
type Error struct {
	File string
	// Line and Column count from 1, the column in characters. Both are 0 if the error
	// concerns the file as a whole.
	Line, Column int
	// Message says what is wrong, Hint what to do about it. Hint may be empty.
	Message, Hint string
	// Text is the line with the error. Values that could be secret, or that do not
	// matter for the error, appear as "…". Text may be empty.
	Text string
}

// Error returns the position in the form that editors can jump to, the message, and the
// line with a mark under the error.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": " + e.Message)
	if e.Hint != "" {
		b.WriteString(": " + e.Hint)
	}
	if e.Text == "" {
		return b.String()
	}
	gutter := fmt.Sprintf("%5d", e.Line)
	fmt.Fprintf(&b, "\n%s | %s", gutter, e.Text)
	if e.Column <= utf8.RuneCountInString(e.Text) {
		fmt.Fprintf(&b, "\n%s | %s^", strings.Repeat(" ", len(gutter)), strings.Repeat(" ", e.Column-1))
	}
	return b.String()
}

// shown makes text of the file fit for an error: printable and not too long.
func shown(s string) string {
	const most = 160 // characters
	s = printable(s)
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// printable replaces what a terminal could act on: the file may come from anywhere.
// Every character stays one character, so that columns stay right.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsGraphic(r):
			return utf8.RuneError
		}
		return r
	}, s)
}

// Nearest returns the candidate closest to a misspelt word, or "" if none is close enough.
func Nearest(word string, candidates []string) string {
	const longest = 40 // letters; no candidate is as long
	if len(word) > longest {
		return ""
	}
	word = strings.ToLower(word)
	best, bestDistance := "", 1+max(1, utf8.RuneCountInString(word)/3)
	for _, c := range candidates {
		lower := strings.ToLower(c)
		d := distance(word, lower)
		if d > 1 && len(word) > 2 && strings.HasPrefix(lower, word) {
			d = 1 // "perm" for "permission": far by letters, near by meaning
		}
		if d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// didYouMean returns the hint for an unknown word: the nearest candidate, else all
// candidates if they are few.
func didYouMean(word string, candidates []string, called string) string {
	if near := Nearest(word, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	const readable = 12
	if n := len(candidates); n == 0 || n > readable {
		return ""
	}
	return called + ": " + strings.Join(candidates, ", ")
}

// distance counts the letters to insert, delete, replace or swap with their neighbour
// to get from a to b (optimal string alignment).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
