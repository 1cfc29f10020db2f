package config

import (
	"net/url"
	"strconv"

	"parley/internal/policy"
)

// optionValues reads an agent's initial options: strings or booleans by option id.
func (t *table) optionValues() map[string]string {
	pairs, ok := t.child("options")
	if !ok {
		return nil
	}
	values := make(map[string]string, len(pairs.values))
	for _, id := range pairs.keys() {
		if on, is := pairs.values[id].(bool); is {
			values[id] = strconv.FormatBool(on)
			pairs.asked = append(pairs.asked, id)
			continue
		}
		values[id] = pairs.text(id)
	}
	return values
}

// registry reads the location of the agent registry.
func (t *table) registry() string {
	address := t.text("registry")
	if u, err := url.Parse(address); address != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		t.fail("registry", "it begins with https://", "is not the address of a registry")
	}
	return address
}

// agentRules reads the rules in an agent's own table, which apply only to that agent.
func (t *table) agentRules() []policy.Rule {
	rules := t.rules()
	for i := range rules {
		if named := rules[i].Agent; named != "" && named != t.name() {
			t.fail("rules", "write it into [rules]", "has a rule for another agent, %q", named)
		}
		rules[i].Agent = t.name()
	}
	return rules
}
