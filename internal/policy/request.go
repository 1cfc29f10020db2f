package policy

// Request is what an agent wants to do, as far as that can be told for certain.
type Request struct {
	// Agent is the configured name of the agent, Mode the id of the mode that it
	// is in.
	Agent, Mode string
	Kind        Kind
	// Paths are all files that would be touched.
	Paths []Path
	// Command is what a shell would run, Args a program with its arguments. At
	// most one of them is set.
	Command string
	Args    []string
	// URL is the address that would be fetched, Tool the name of an MCP server's
	// tool.
	URL  string
	Tool string
	// Unclear, if not empty, says why it cannot be told what would be done. Such
	// a request is never allowed by a rule.
	Unclear string
}

// Path is a file that would be touched.
type Path struct {
	// Name is the path relative to the session's directory where it is inside
	// one of the roots, with slashes; else it is absolute.
	Name string
	// Inside says that it is inside the roots, links followed.
	Inside bool
}

// Decision is what the rules say about a request.
type Decision struct {
	Verdict Verdict
	// Rule is the rule that decided, nil if none is about the request. Of a
	// command of several parts that is allowed it is the rule of the first.
	Rule *Rule
	// Why says in words why a request is asked about that a rule seems to allow.
	Why string
}

// Decide judges a request by rules.
func Decide(rules []Rule, r Request) Decision {
	var applying []Rule
	for _, rule := range rules {
		if (rule.Agent == "" || rule.Agent == r.Agent) && (rule.Mode == "" || rule.Mode == r.Mode) && rule.Kind == r.Kind {
			applying = append(applying, rule)
		}
	}
	if d := strictest(applying, r); d != nil {
		return *d
	}
	if r.Unclear != "" {
		return Decision{Verdict: Ask, Why: r.Unclear}
	}
	return permitted(applying, r)
}

// strictest looks for a rule that denies or asks. Such a rule is taken to be
// about a request as soon as it is about any part of it.
func strictest(rules []Rule, r Request) *Decision {
	var found *Decision
	for i := range rules {
		rule := &rules[i]
		if rule.Verdict == Allow || found != nil && found.Verdict >= rule.Verdict || !rule.touches(r) {
			continue
		}
		found = &Decision{Verdict: rule.Verdict, Rule: rule}
	}
	return found
}

// permitted looks for rules that allow all of a request.
func permitted(rules []Rule, r Request) Decision {
	var allowing []Rule
	for _, rule := range rules {
		if rule.Verdict == Allow {
			allowing = append(allowing, rule)
		}
	}
	switch r.Kind {
	case Execute:
		return permittedCommand(allowing, r)
	case Fetch, MCP:
		for i := range allowing {
			if allowing[i].touches(r) {
				return Decision{Verdict: Allow, Rule: &allowing[i]}
			}
		}
		return Decision{Verdict: Ask}
	case Read, Edit, Delete, Move, Search:
		return permittedPaths(allowing, r)
	}
	return Decision{Verdict: Ask}
}

// permittedPaths allows what only touches paths that are allowed, each inside
// the roots.
func permittedPaths(rules []Rule, r Request) Decision {
	if len(r.Paths) == 0 {
		return Decision{Verdict: Ask, Why: "the agent names no file"}
	}
	var first *Rule
	for _, p := range r.Paths {
		if !p.Inside {
			return Decision{Verdict: Ask, Why: p.Name + " is outside the session's directories"}
		}
		rule := allowsPath(rules, p)
		if rule == nil {
			return Decision{Verdict: Ask}
		}
		if first == nil {
			first = rule
		}
	}
	return Decision{Verdict: Allow, Rule: first}
}

func allowsPath(rules []Rule, p Path) *Rule {
	for i := range rules {
		if rules[i].Pattern == "" || matchPath(rules[i].Pattern, p.Name) {
			return &rules[i]
		}
	}
	return nil
}

// touches reports whether a rule is about a request or a part of it.
func (r *Rule) touches(q Request) bool {
	if r.Pattern == "" {
		return true
	}
	switch r.Kind {
	case Execute:
		return r.touchesCommand(q)
	case Fetch:
		return matchHost(r.Pattern, q.URL)
	case MCP:
		return matchName(r.Pattern, q.Tool)
	}
	for _, p := range q.Paths {
		if matchPath(r.Pattern, p.Name) {
			return true
		}
	}
	return false
}
