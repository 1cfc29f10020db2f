package config

import (
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
)

// Setting is one effective value of the configuration, and where it comes from.
type Setting struct {
	// Key is the path of the setting, as in "agents.mine.command".
	Key string
	// Value is the value as TOML. Values that may be secret are "…", unless they only
	// name an environment variable.
	Value string
	// Line is the setting's line in the file; 0 if it is not there. Saved means that the user
	// chose it in parley: see [Saved].
	Line  int
	Saved bool
	// Variable is the environment variable that the value comes from, or "".
	Variable string
	// Default marks a default value.
	Default bool
}

// Settings returns all effective settings, from the configuration file, the environment
// and the defaults, in the order of the example file. Its errors are those of [Load].
func Settings(file string, actions *Actions) ([]Setting, error) {
	c, root, err := load(file, actions)
	if err != nil {
		return nil, err
	}
	return effective(fileRows(), root, c), nil
}

// effective returns the settings of rows that a table holds, in their order.
func effective(rows []row[Config], t *table, c *Config) (list []Setting) {
	for _, r := range rows {
		s := Setting{Key: r.key}
		if r.standard != nil {
			s.Value = written(r.standard)
		}
		switch {
		case r.key == "keys":
			keys, _ := t.child(r.key)
			for _, a := range t.doc.actions.List() {
				list = append(list, keys.setting(Setting{Key: string(a.Action), Value: written(anyList(a.Keys))})...)
			}
		case r.key == "default_agent" && !t.has(r.key) && c.DefaultAgent != "": // an agent is marked as the default
			s.Value, s.Line = written(c.DefaultAgent), t.doc.lineOf(path{"agents", c.DefaultAgent, "default"})
			list = append(list, s)
		case r.rows != nil:
			in, _ := t.child(r.key)
			list = append(list, effective(r.rows, in, c)...)
		default:
			list = append(list, t.setting(s)...)
		}
	}
	return list
}

// setting returns a setting of a table from the file, else from the environment, else
// the default.
func (t *table) setting(standard Setting) []Setting {
	if v, set := t.values[standard.Key]; set {
		return t.doc.settings(t.at.child(standard.Key), v)
	}
	if standard.Value == "" {
		return nil
	}
	s := standard
	s.Key, s.Default = t.at.child(standard.Key).String(), true
	if name := os.Getenv(markdownVariable); s.Key == "markdown_style" && name != "" {
		s.Value, s.Variable, s.Default = written(name), markdownVariable, false
	}
	return []Setting{s}
}

// settings returns the values at and below a path, in the order of the file.
func (d *document) settings(at path, v any) []Setting {
	values, isTable := v.(map[string]any)
	if !isTable {
		s := Setting{Key: at.String(), Value: written(v)}
		if at.secret() {
			s.Value, s.Variable = masked(v)
		} else if address, ok := v.(string); ok && at[len(at)-1] == "url" {
			s.Value = written(withoutSecrets(address))
		}
		if s.Saved = d.isChosen(at); !s.Saved {
			s.Line = d.lineOf(at)
		}
		return []Setting{s}
	}
	t := &table{doc: d, at: at, values: values}
	var list []Setting
	for _, key := range t.keys() {
		list = append(list, d.settings(at.child(key), values[key])...)
	}
	return list
}

func (d *document) lineOf(at path) int {
	line, _, _, _ := d.position(d.places[at.id()].key)
	return line
}

// masked returns a value that may be secret, and the variable that it comes from. A
// bare variable name is not secret.
func masked(v any) (value, variable string) {
	if text, _ := v.(string); strings.HasPrefix(text, "$") {
		if name, rest, ok := reference(text[1:]); ok && rest == "" {
			return written(text), name
		}
	}
	return written("…"), ""
}

// withoutSecrets removes the password and the query from a URL.
func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "…"
	}
	if u.User != nil {
		u.User = url.User("…")
	}
	plain := *u
	plain.RawQuery, plain.Fragment = "", ""
	text, err := url.PathUnescape(plain.String())
	if err != nil {
		text = plain.String()
	}
	if u.RawQuery != "" || u.Fragment != "" {
		text += "?…"
	}
	return text
}

// anyList converts a list to the type that the TOML parser returns.
func anyList(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

// written returns a value as TOML, safe to print on a terminal.
func written(v any) string {
	switch v := v.(type) {
	case string:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(printableText(v)) + `"`
	case int64:
		return strconv.FormatInt(v, 10)
	case []any:
		items := make([]string, len(v))
		for i := range v {
			items[i] = written(v[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return printable(fmt.Sprint(v))
}

// printableText is printable, except that it escapes line ends and tabs as TOML does.
func printableText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return []rune(printable(string(r)))[0]
	}, s)
}
