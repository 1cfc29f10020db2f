package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxProposed limits the rules of one proposal, so that users read them.
const maxProposed = 6

// Propose returns rules that would allow a request in the future, the narrowest
// proposal first: each is a list of rules that are needed together. It returns nil if
// no rule may allow the request, or if another of the rules denies it or asks anyway.
func Propose(rules []Rule, r Request) [][]Rule {
	if r.Unclear != "" {
		return nil
	}
	var found [][]Rule
	for _, proposal := range proposals(r) {
		again := slices.ContainsFunc(found, func(f []Rule) bool { return slices.Equal(f, proposal) })
		if len(proposal) > 0 && len(proposal) <= maxProposed && !again && works(rules, proposal, r) {
			found = append(found, proposal)
		}
	}
	return found
}

// WhyNone says why Propose returns nothing for a request, "" for a request that no rule is
// meant for: a question, or another mode.
func WhyNone(rules []Rule, r Request) string {
	row := rowOf(r.Kind)
	switch {
	case r.Kind == switchMode || r.Kind == question:
		return ""
	case r.Unclear != "":
		return r.Unclear
	case row == nil || row.subject.proposes == nil:
		return "rules cannot allow tools of this kind"
	}
	if r.Kind == Execute {
		for _, p := range r.parts() {
			if p.unclear != "" {
				return p.unclear
			}
		}
	}
	for _, proposal := range proposals(r) {
		if d := Decide(slices.Concat(rules, proposal), r); d.Why != "" {
			return d.Why
		}
	}
	return "no rule can describe it"
}

// works reports whether a request would be allowed with more rules, each formatted and
// parsed again.
func works(rules, more []Rule, r Request) bool {
	for _, rule := range more {
		again, err := Parse(rule.String())
		if err != nil || again != rule || hidden(rule.Pattern) || strings.Contains(rule.Pattern, "\n") {
			return false
		}
	}
	return Decide(slices.Concat(rules, more), r).Verdict == Allow
}

// proposals returns the rules that may be proposed for a request.
func proposals(r Request) [][]Rule {
	row := rowOf(r.Kind)
	if row == nil || row.subject.proposes == nil {
		return nil
	}
	var out [][]Rule
	for _, patterns := range row.subject.proposes(r) {
		var rules []Rule
		for _, p := range patterns {
			if rule := (Rule{Verdict: Allow, Kind: r.Kind, Pattern: p}); !slices.Contains(rules, rule) {
				rules = append(rules, rule)
			}
		}
		out = append(out, rules)
	}
	return out
}

// commandPatterns returns patterns for every part of a command: the exact words, and
// the program with any other words if those are known.
func commandPatterns(r Request) (exact, broad []string) {
	nameable := true
	for _, p := range r.parts() {
		if p.unclear != "" || len(p.words) == 0 {
			return nil, nil
		}
		if r.stays(p) {
			continue
		}
		whole := quoteWords(p.words)
		if whole == "" || slices.ContainsFunc(p.words, func(w string) bool { return strings.Contains(w, "*") }) {
			whole, nameable = "", false // a star in a rule is not a star of the command
		}
		exact = append(exact, whole)
		switch prog, chosen := known(p.words); {
		case prog != nil && prog.commands == nil && !prog.silent && prog.operands != noValue:
			broad = append(broad, quoteWords(p.words[:chosen])+" *")
		case whole == "":
			return nil, nil
		default:
			broad = append(broad, whole)
		}
	}
	if !nameable {
		exact = nil
	}
	return exact, broad
}

// quoteWords writes words as a shell reads them, "" if that is impossible.
func quoteWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		q, err := syntax.Quote(w, syntax.LangPOSIX)
		if err != nil {
			return ""
		}
		quoted[i] = q
	}
	return strings.Join(quoted, " ")
}
