package policy

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxProposed limits the rules of one proposal, so that users read them.
const maxProposed = 6

// Propose returns rules that would allow a request in the future, the narrowest
// proposal first: each is a list of rules that are needed together. If no rule may allow the
// request, or if another of the rules denies it or asks anyway, why says so; it is "" for a request
// that no rule is meant for: a question, or another mode.
func (c *Rules) Propose(r Request) (found [][]Rule, why string) {
	row := rowOf(r.Kind)
	switch {
	case r.Kind == switchMode || r.Kind == question:
		return nil, ""
	case r.Unclear != "":
		return nil, r.Unclear
	case row == nil || row.subject.proposes == nil:
		return nil, "rules cannot allow tools of this kind"
	}
	if r.Kind == Execute {
		for _, p := range r.parts() {
			why = cmp.Or(why, p.unclear)
		}
	}
	for _, proposal := range proposals(r) {
		d := c.with(proposal).Decide(r)
		why = cmp.Or(why, d.Why)
		again := slices.ContainsFunc(found, func(f []Rule) bool { return slices.Equal(f, proposal) })
		if len(proposal) > 0 && len(proposal) <= maxProposed && !again && d.Verdict == Allow && !slices.ContainsFunc(proposal, misread) {
			found = append(found, proposal)
		}
	}
	return found, cmp.Or(why, "no rule can describe it")
}

// Ordinary reports whether a request reads or edits single files, or runs known programs, and names, for
// certain, no file outside the session's directories and none of SensitiveFiles: a rule that names no file,
// and allows any arguments, would allow it. What deletes, moves or searches is not: it may be about a folder.
func (r Request) Ordinary() bool {
	var rules []Rule
	switch r.Kind {
	case Read, Edit:
		rules = []Rule{{Verdict: Allow, Kind: r.Kind}}
	case Execute:
		_, broad := commandPatterns(r)
		for _, p := range broad {
			if !strings.HasSuffix(p, " *") {
				return false // parley does not know what the program touches
			}
			rules = append(rules, Rule{Verdict: Allow, Kind: r.Kind, Pattern: p})
		}
	}
	named := func(p Path) bool { return !p.Inside || p.Secret != "" || p.Runs != "" || p.Own }
	many := func(p Path) bool { return p.Folder || p.Above || p.Special }
	return len(rules) > 0 && len(r.Others) == 0 && !slices.ContainsFunc(r.Named, named) && !slices.ContainsFunc(r.Paths, many) && Compile(rules).Decide(r).Verdict == Allow
}

// misread reports whether a rule would not be read or shown as it is written.
func misread(rule Rule) bool {
	again, err := Parse(rule.String())
	return err != nil || again != rule || hidden(rule.Pattern) || strings.Contains(rule.Pattern, "\n")
}

// proposals returns the rules that may be proposed for a request.
func proposals(r Request) [][]Rule {
	var out [][]Rule
	for _, patterns := range rowOf(r.Kind).subject.proposes(r) {
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
