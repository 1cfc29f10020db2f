package script

import (
	"encoding/json"
	"maps"
	"strings"
	"time"
)

// Speaker is a run that speaks the protocol.
type Speaker interface {
	Runner
	// Say sends a message or a thought: kind is the name of its update.
	Say(kind, text string) error
	Update(update json.RawMessage) error
	// Notify sends a notification; params may be nil.
	Notify(method string, params json.RawMessage) error
	// Request sends a request, whose answer is for the variable name. An id of "" means the next one.
	Request(method string, params json.RawMessage, name, id string) error
	Wait(d time.Duration) error
}

// Verbs returns the verbs of all scripts, and those of one agent.
func Verbs[R Speaker](own map[string]Verb[R]) map[string]Verb[R] {
	all := map[string]Verb[R]{
		"say":   says[R]("agent_message_chunk"),
		"think": says[R]("agent_thought_chunk"),
		"update": func(a *Args) Action[R] {
			return ExpandedJSON(a.NeedJSON(), func(r R, raw json.RawMessage) error { return r.Update(raw) })
		},
		"notify": func(a *Args) Action[R] {
			method, params := a.Method(), a.JSON()
			if params == "" {
				return func(r R) error { return r.Notify(method, nil) }
			}
			return ExpandedJSON(params, func(r R, raw json.RawMessage) error { return r.Notify(method, raw) })
		},
		"request": func(a *Args) Action[R] {
			method, params, name, id := a.Method(), a.NeedJSON(), a.As(), ""
			if a.Take("id") {
				id = a.NeedJSON()
			}
			return ExpandedJSON(params, func(r R, raw json.RawMessage) error { return r.Request(method, raw, name, id) })
		},
		"sleep": func(a *Args) Action[R] {
			d := a.Duration()
			return func(r R) error { return r.Wait(d) }
		},
		"let": func(a *Args) Action[R] {
			name := a.Named("variable")
			return Expanded(a.Text(), func(r R, text string) error { r.base().Let(name, text); return nil })
		},
	}
	maps.Copy(all, own)
	return all
}

func says[R Speaker](kind string) Verb[R] {
	return func(a *Args) Action[R] {
		text := a.Text()
		var quoted string
		if json.Unmarshal([]byte(text), &quoted) == nil && strings.HasPrefix(strings.TrimSpace(text), `"`) {
			text = quoted
		}
		return Expanded(text, func(r R, text string) error { return r.Say(kind, text) })
	}
}
