// Package policy decides by rules what an agent may do without asking the user, and
// knows which files always need a question.
//
// A rule is a verdict over a kind of tool and a pattern, written as a line:
//
//	allow read
//	allow edit(src/**)
//	allow execute(go test *)
//	deny  execute(git push *)
//	allow fetch(*.example.com) agent=claude mode=code
//	allow mcp(docs__search)
//
// Deny wins over ask, and ask over allow, regardless of their order. If no rule matches, the
// user is asked. No rule allows by the agent's title of a tool call, only by the paths,
// commands, URLs and names that it would act on; when any of these is uncertain, the
// user is asked.
package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Verdict is the decision of a rule.
type Verdict uint8

// The verdicts, the weakest first.
const (
	Allow Verdict = iota + 1
	Ask
	Deny
)

var verdicts = []string{Allow: "allow", Ask: "ask", Deny: "deny"}

// String returns the verdict as in rules.
func (v Verdict) String() string {
	if v == 0 || int(v) >= len(verdicts) {
		v = Ask
	}
	return verdicts[v]
}

// Rule is one rule.
type Rule struct {
	Verdict Verdict
	Kind    Kind
	// Pattern is empty for everything of a kind. It is a glob over paths relative to
	// the session's directory, words of a command, a host, or a tool's name.
	Pattern string
	// Agent and Mode, if not empty, restrict the rule to an agent and a mode.
	Agent, Mode string
	// Source says where the rule is written, for display. It is not part of the rule.
	Source string
}

// String returns the rule in the form of Parse.
func (r Rule) String() string {
	s := r.Verdict.String() + " " + string(r.Kind)
	if r.Pattern != "" {
		s += "(" + r.Pattern + ")"
	}
	if r.Agent != "" {
		s += " agent=" + r.Agent
	}
	if r.Mode != "" {
		s += " mode=" + r.Mode
	}
	return s
}

// Parse parses a rule with its verdict, as in "allow execute(go test *)".
func Parse(line string) (Rule, error) {
	verdict, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	v := slices.Index(verdicts, verdict)
	if v < 1 {
		return Rule{}, fmt.Errorf("the rule %q: %q is not a verdict: use allow, ask or deny", line, verdict)
	}
	return ParseFor(Verdict(v), rest)
}

// ParseFor parses a rule without its verdict, as in "execute(go test *)".
func ParseFor(v Verdict, text string) (Rule, error) {
	r, err := parse(v, strings.TrimSpace(text))
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return Rule{}, fmt.Errorf("the rule %q: %w", v.String()+" "+strings.TrimSpace(text), err)
	}
	return r, nil
}

func parse(v Verdict, text string) (Rule, error) {
	r := Rule{Verdict: v}
	end := strings.IndexAny(text, "( ")
	if end < 0 {
		end = len(text)
	}
	r.Kind = Kind(text[:end])
	rest := text[end:]
	if strings.HasPrefix(rest, "(") {
		closing := strings.LastIndexByte(rest, ')')
		if closing < 0 {
			return r, errors.New("the pattern has no closing parenthesis")
		}
		r.Pattern = strings.TrimSpace(rest[1:closing])
		if r.Pattern == "" {
			return r, errors.New("the pattern is empty: leave the parentheses out to mean all of a kind")
		}
		rest = rest[closing+1:]
	}
	for _, word := range strings.Fields(rest) {
		name, value, ok := strings.Cut(word, "=")
		switch {
		case !ok || value == "":
			return r, fmt.Errorf("%q is not a condition: use agent=NAME or mode=ID", word)
		case name == "agent":
			r.Agent = value
		case name == "mode":
			r.Mode = value
		default:
			return r, fmt.Errorf("unknown condition %q: use agent=NAME or mode=ID", name)
		}
	}
	return r, nil
}

// check refuses what a rule must never say.
func (r Rule) check() error {
	if r.Kind == switchMode {
		return errors.New("parley always asks before the mode changes: no rule can answer it")
	}
	row := rowOf(r.Kind)
	if row == nil {
		return &UnknownKindError{Kind: string(r.Kind)}
	}
	switch about := row.subject; {
	case r.Pattern != "" && about.pattern == "":
		return fmt.Errorf("the kind %s takes no pattern", r.Kind)
	case r.Verdict == Allow && about.permits == nil:
		return fmt.Errorf("%s cannot be allowed as a whole, only asked about or denied", r.Kind)
	case r.Verdict == Allow && about.narrow != "" && strings.Trim(r.Pattern, "* ") == "":
		return fmt.Errorf("%s cannot be allowed as a whole: say which in parentheses, as in %s", r.Kind, about.narrow)
	case r.Pattern != "":
		return about.check(r.Pattern)
	}
	return nil
}
