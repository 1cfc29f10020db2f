package doctor

import (
	"encoding/json"
	"maps"
)

// capabilitiesV2 are those of an agent that speaks version 2.
type capabilitiesV2 struct {
	// Session is there if the agent has sessions, and then it has all that belongs to them.
	Session map[string]json.RawMessage `json:"session"`
	Auth    map[string]json.RawMessage `json:"auth"`
}

// baseline are the capabilities that every agent with sessions has, by the names that
// version 1 gives them.
var baseline = []string{"list", "resume", "close"}

// asV1 are the capabilities by the names that version 1 gives them.
func (c *capabilitiesV2) asV1() capabilities {
	if c.Session == nil {
		return capabilities{}
	}
	out := capabilities{Session: maps.Clone(c.Session)}
	for _, name := range baseline {
		out.Session[name] = json.RawMessage("{}")
	}
	return out
}

func (c *capabilitiesV2) table() []Capability {
	within := func(group string) (out map[string]json.RawMessage) {
		_ = json.Unmarshal(c.Session[group], &out)
		return out
	}
	out := []Capability{{"session", c.Session != nil}}
	for _, name := range []string{"delete", "fork", "additionalDirectories"} {
		out = append(out, Capability{"session." + name, has(c.Session, name)})
	}
	for _, group := range []struct {
		name string
		has  []string
	}{{"prompt", []string{"image", "audio", "embeddedContext"}}, {"mcp", []string{"stdio", "http"}}} {
		for _, name := range group.has {
			out = append(out, Capability{"session." + group.name + "." + name, has(within(group.name), name)})
		}
	}
	return out
}
