package v2

import (
	"encoding/json"

	"parley/acpclient"
)

// This file is the table of what the versions spell differently. It changes raw messages,
// so that one set of types serves both; what version 1 has no word for stays as it came.

// object is a JSON object, of which a change reads no more than it renames.
type object = map[string]json.RawMessage

// request is a request of version 1 in the words of version 2.
type request struct {
	method string
	params func(object) // nil if both spell them alike
	result func(object) // likewise
}

var requests = map[string]request{
	acpclient.Authenticate.Name:  {method: "auth/login"},
	acpclient.Logout.Name:        {method: "auth/logout"},
	acpclient.SessionList.Name:   {method: "session/list"},
	acpclient.SessionDelete.Name: {method: "session/delete"},
	acpclient.SessionClose.Name:  {method: "session/close"},
	acpclient.SessionNew.Name:    {"session/new", typeServers, renameOptions(acpclient.ProtocolVersion)},
	acpclient.SessionResume.Name: {"session/resume", typeServers, renameOptions(acpclient.ProtocolVersion)},
	acpclient.SessionFork.Name:   {"session/fork", typeServers, renameOptions(acpclient.ProtocolVersion)},
	acpclient.SessionLoad.Name: {"session/resume", func(params object) {
		typeServers(params)
		params["replayFrom"] = json.RawMessage(`{"type":"start"}`)
	}, renameOptions(acpclient.ProtocolVersion)},
	acpclient.SessionSetConfigOption.Name: {"session/set_config_option", func(params object) {
		if params["type"] == nil {
			params["type"] = json.RawMessage(`"id"`)
		}
	}, renameOptions(acpclient.ProtocolVersion)},
}

// methodsOfV1 are the methods of version 2 in the words of version 1. session/resume is
// session/load where it replays.
var methodsOfV1 = func() map[string]string {
	out := map[string]string{}
	for name, r := range requests {
		if name != acpclient.SessionLoad.Name {
			out[r.method] = name
		}
	}
	return out
}()

// updates are the updates of version 2, including proposed ones, with what version 1
// spells differently.
var updates = map[string]func(object){
	"user_message_chunk": nil, "agent_message_chunk": nil, "agent_thought_chunk": nil,
	"user_message": nil, "agent_message": nil, "agent_thought": nil,
	"state_update": nil, "terminal_update": nil, "terminal_output_chunk": nil, "plan_update": nil,
	"available_commands_update": nil, "session_info_update": nil, "usage_update": nil, "notice": nil,
	"compaction_update": nil, "compaction_summary_chunk": nil, "plan_removed": nil, "subagent_update": nil,
	"config_option_update":    renameOptions(acpclient.ProtocolVersion),
	"tool_call_update":        renameToolCall,
	"tool_call_content_chunk": renameContent,
}

// typeServers gives each MCP server its type, which version 1 omits for stdio.
func typeServers(params object) {
	each(params, "mcpServers", func(server object) {
		if text(server["type"]) == "" {
			server["type"] = quoted(acpclient.MCPStdio)
		}
	})
}

// names are the names of a field, in version 1 and in version 2.
type names [Version]string

var (
	optionID  = names{"id", "configId"}
	groupID   = names{"group", "groupId"}
	methodID  = names{"id", "methodId"}
	agentInfo = names{"agentInfo", "info"}
)

// to gives a field its name in a version.
func (n names) to(version int, o object) {
	from := n[Version-version]
	if value, ok := o[from]; ok {
		o[n[version-1]] = value
		delete(o, from)
	}
}

// renameOptions gives the ids of config options, and of the groups of their values, their
// names in a version.
func renameOptions(version int) func(object) {
	return func(o object) {
		each(o, "configOptions", func(option object) {
			came := option["configId"]
			optionID.to(version, option)
			switch acpclient.ConfigOptionType(text(option["type"])) {
			case acpclient.ConfigSelect:
				each(option, "options", func(group object) { groupID.to(version, group) })
			case acpclient.ConfigBoolean:
			default:
				if came != nil {
					option["configId"] = came // an option of unknown type is kept as it came
				}
			}
		})
	}
}

// cleared are the fields of a tool call that null sets back to their defaults. In version 1
// null changes nothing.
var cleared = object{
	"name": quoted(""), "title": quoted(""), "kind": quoted(acpclient.ToolOther), "status": quoted(acpclient.ToolPending),
	"content": json.RawMessage(`[]`), "locations": json.RawMessage(`[]`),
	"rawInput": quoted(""), "rawOutput": quoted(""), "capabilities": json.RawMessage(`{}`),
}

func renameToolCall(call object) {
	for field, value := range cleared {
		if string(call[field]) == "null" {
			call[field] = value
		}
	}
	renameContent(call)
}

// renameContent replaces each diff by one for each hunk, and one for each change of a whole
// file.
func renameContent(o object) {
	content := o["content"]
	var items []json.RawMessage
	if len(content) > 0 && content[0] == '{' { // of a chunk
		items = []json.RawMessage{content}
	} else if json.Unmarshal(content, &items) != nil {
		return
	}
	out := []any{}
	for _, item := range items {
		var d diff
		if acpclient.Unmarshal(item, &d) != nil || d.Type != acpclient.ToolContentDiff {
			out = append(out, item)
			continue
		}
		for _, c := range d.contents() {
			out = append(out, c)
		}
	}
	o["content"] = encoded(out)
}

// renamePermission turns the subject of a question into a tool call, about which version 1
// always asks. A subject of unknown type stays.
func renamePermission(params object) {
	var subject object
	_ = json.Unmarshal(params["subject"], &subject) // nil if it is no object
	call := object{"title": params["title"]}
	switch text(subject["type"]) {
	case "tool_call":
		if len(subject["toolCall"]) > 0 {
			params["toolCall"] = change(subject["toolCall"], renameToolCall)
			delete(params, "subject")
			return
		}
	case "command":
		call["kind"] = quoted(acpclient.ToolExecute)
		call["rawInput"] = encoded(object{"command": subject["command"], "cwd": subject["cwd"]})
		call["_meta"] = subject["_meta"]
		if id := text(subject["toolCallId"]); id != "" {
			call["toolCallId"] = quoted(id)
			delete(call, "title") // the call has its own
		}
		delete(params, "subject")
	}
	params["toolCall"] = encoded(call)
}

// each changes the objects of an array in a field, if there is one.
func each(o object, field string, do func(object)) {
	var items []json.RawMessage
	if json.Unmarshal(o[field], &items) != nil || items == nil {
		return
	}
	for i := range items {
		items[i] = change(items[i], do)
	}
	o[field] = encoded(items)
}

// change changes an object. It returns anything else as it is.
func change(raw json.RawMessage, do func(object)) json.RawMessage {
	var o object
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return raw
	}
	do(o)
	return encoded(o)
}

// encoded returns a value as JSON, which each value of this file has.
func encoded(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func quoted[S ~string](s S) json.RawMessage { return encoded(s) }

// text returns a JSON string's text, "" for anything else.
func text(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}
