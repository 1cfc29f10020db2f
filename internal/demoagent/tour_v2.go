package demoagent

import (
	"encoding/json"

	"github.com/aymanbagabas/go-udiff"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
)

// The tour is written for version 1 of the protocol. This file translates its messages
// for a client that speaks version 2.

type object = map[string]any

// updateV2 translates an update. It returns nil if version 2 has no such update.
func updateV2(u object) object {
	switch u["sessionUpdate"] {
	case "agent_message_chunk":
		if u["messageId"] == nil { // of the greeting
			u["messageId"] = "banner"
		}
	case "current_mode_update":
		return nil
	case "tool_call", "tool_call_update":
		u["sessionUpdate"] = "tool_call_update"
		return toolCallV2(u)
	case "plan":
		return object{"sessionUpdate": "plan_update", "plan": object{"type": "items", "planId": "plan", "entries": u["entries"]}}
	case "config_option_update":
		u["configOptions"] = optionsV2(u["configOptions"])
	case "available_commands_update":
		for _, c := range objects(u["availableCommands"]) {
			c["type"] = "command"
			if input, ok := c["input"].(object); ok {
				input["type"] = "text"
			}
		}
	}
	return u
}

// toolCallV2 translates the content of a tool call, in place.
func toolCallV2(call object) object {
	content, _ := call["content"].([]any)
	for i, item := range content {
		switch item := item.(object); item["type"] {
		case "diff":
			before, had := item["oldText"].(string)
			operation, from, path := acpclient.FileModify, item["path"].(string), item["path"].(string)
			if !had {
				operation, from = acpclient.FileAdd, "/dev/null"
			}
			content[i] = object{
				"type":    "diff",
				"changes": []object{{"operation": operation, "path": path, "fileType": "text"}},
				"patch":   object{"format": v2.GitPatch, "text": "diff --git " + path + " " + path + "\n" + udiff.Unified(from, path, before, item["newText"].(string))},
			}
		case "text": // a block that is not wrapped
			content[i] = object{"type": "content", "content": item}
		}
	}
	return call
}

// optionsV2 translates config options, in place.
func optionsV2(options any) any {
	for _, o := range objects(options) {
		o["configId"] = o["id"]
		delete(o, "id")
		for _, group := range objects(o["options"]) {
			if id, ok := group["group"]; ok {
				group["groupId"] = id
				delete(group, "group")
			}
		}
	}
	return options
}

func objects(list any) (out []object) {
	all, _ := list.([]any)
	for _, item := range all {
		out = append(out, item.(object))
	}
	return out
}

// untyped returns a value as decoded JSON.
func untyped(v any) (out any) {
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil { // the tour has made it itself
		panic(err)
	}
	return out
}
