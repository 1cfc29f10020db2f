package config

import (
	"net/url"
	"slices"
	"strconv"

	"parley/internal/policy"
)

// optionValues reads what the options of an agent begin with: texts by the ids of the
// options, true and false as such.
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

// registry reads where the registry of agents is.
func (t *table) registry() string {
	address := t.text("registry")
	if u, err := url.Parse(address); address != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		t.fail("registry", "it begins with https://", "is not the address of a registry")
	}
	return address
}

// agentRules reads the rules of an agent's own part of the file. They are for no other.
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

// takeRules adds the rules of all agents to those of the configuration.
func (c *Config) takeRules() {
	c.Rules = slices.Clip(c.Rules)
	for _, a := range c.Agents {
		c.Rules = append(c.Rules, a.Rules...)
	}
}
