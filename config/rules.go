package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"parley/internal/policy"
)

// ProjectFile is the path of a project's own configuration, relative to its directory.
// It may contain only rules, and what a new worktree is given.
var ProjectFile = filepath.Join(".parley", "config.toml")

// MaxProjectFile limits the size of a project's configuration, in bytes.
const MaxProjectFile = 64 << 10

// Project is a project's own configuration.
type Project struct {
	Rules    []policy.Rule
	Worktree Worktree
}

// ParseProject reads a project's configuration from data. file is its name in the
// sources of the rules and in errors, which are those of [Load]. Anything else in it is
// an error.
func ParseProject(file string, data []byte) (Project, error) {
	if len(data) > MaxProjectFile {
		return Project{}, &Error{File: printable(file), Message: fmt.Sprintf("cannot be read: it is larger than %d KiB", MaxProjectFile>>10)}
	}
	d, root := open(file, data, nil)
	if root == nil {
		return Project{}, d.err()
	}
	p := Project{Rules: root.rules()}
	readRows(&p, root, []row[Project]{{key: "worktree", rows: worktreeRows(func(p *Project) *Worktree { return &p.Worktree })}})
	for _, key := range root.keys() {
		if key != "rules" && key != "worktree" {
			d.failKey(root.at.child(key), true, "move it to your own configuration", fmt.Sprintf("%s has no effect in a project: only [rules] and [worktree] do", printable(key)))
		}
	}
	if err := d.err(); err != nil {
		return Project{}, err
	}
	return p, nil
}

// rules reads [rules], of the file, a project or an agent.
func (t *table) rules() []policy.Rule {
	in, _ := t.child("rules")
	var rules []policy.Rule
	for _, v := range []policy.Verdict{policy.Allow, policy.Ask, policy.Deny} {
		rules = append(rules, in.rulesOf(v)...)
	}
	in.done()
	return rules
}

// rulesOf reads the rules of a verdict.
func (t *table) rulesOf(v policy.Verdict) (rules []policy.Rule) {
	key := v.String()
	for i, text := range t.texts(key, true) {
		rule, err := policy.ParseFor(v, text)
		at := t.at.child(key).child(strconv.Itoa(i))
		if _, there := t.doc.places[at.id()]; !there { // one string alone
			at = t.at.child(key)
		}
		if err != nil {
			t.doc.fail(at, ruleHint(err), "%v", err)
			continue
		}
		rule.Source = fmt.Sprintf("%s:%d", t.doc.file, t.doc.lineOf(at))
		rules = append(rules, rule)
	}
	return rules
}

// ruleHint suggests what a rule was probably meant to be.
func ruleHint(err error) string {
	kind, ok := errors.AsType[*policy.UnknownKindError](err)
	if !ok {
		return ""
	}
	if meant := kindSynonyms[kind.Kind]; meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	if near := Nearest(kind.Kind, policy.Kinds()); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "" // the error lists the kinds
}

// kindSynonyms maps words that other programs use to kinds of rules, where the spelling
// is too different for nearest.
var kindSynonyms = map[string]string{
	"Bash": "execute", "bash": "execute", "run": "execute", "shell": "execute", "command": "execute", "exec": "execute",
	"Write": "edit", "write": "edit", "WebFetch": "fetch", "webfetch": "fetch", "web": "fetch", "url": "fetch",
	"remove": "delete", "rm": "delete", "rename": "move", "grep": "search", "glob": "search", "find": "search", "tool": "mcp",
}
