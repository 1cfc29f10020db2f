package conversation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"parley/acpclient"
)

// Need says how much a record of a session needs an event, if it has no room for all.
type Need int

const (
	// Needed events decide where the session is, or count its prompts: they stay.
	Needed Need = iota
	// Streamed events are pieces of what the agent says, does and shows.
	Streamed
	// Superseded events count for nothing once there is a later one with their key.
	Superseded
	// Asked events are of a question, which is their key: they are needed while it is open.
	Asked
	// Called events are of a tool call, whose id is their key: they are needed while a question
	// about it is open, and Streamed otherwise.
	Called
	// Opens events open a session, which may fail: what they replace is needed until then.
	Opens
)

// NeedOf says how much an event is needed. A later event with the same key replaces a
// Superseded one; see also [QuestionKey].
func NeedOf(e Event) (need Need, key string) {
	switch e := e.(type) {
	case Text:
		if e.Chunk != acpclient.UserMessageChunk {
			return Streamed, ""
		}
	case TerminalOutput, FileWritten:
		return Streamed, ""
	case NoticeAdded:
		if e.Subject == "" {
			return Streamed, ""
		}
	case QueueChanged:
		return Superseded, "queue"
	case PermissionOpened:
		return Asked, QuestionKey(e.ID)
	case PermissionReferred:
		return Asked, QuestionKey(e.ID)
	case ElicitationOpened:
		return Asked, QuestionKey(e.ID)
	case SessionOpening:
		return Opens, ""
	case UsageCounted:
		return Superseded, "usage"
	case Update:
		switch u := e.Update.(type) {
		case *acpclient.ContentChunk:
			if u.Chunk == acpclient.UserMessageChunk {
				return Needed, ""
			}
		case *acpclient.MessageUpdate:
			if u.Chunk == acpclient.UserMessageChunk {
				return Needed, ""
			}
		case *acpclient.ToolCall:
			return Called, string(u.ToolCallID)
		case *acpclient.ToolCallUpdate:
			return Called, string(u.ToolCallID)
		case *acpclient.ToolCallContentChunk:
			return Called, string(u.ToolCallID)
		case *acpclient.AvailableCommandsUpdate, *acpclient.ConfigOptionUpdate, *acpclient.CurrentModeUpdate, *acpclient.Plan:
			return Superseded, u.UpdateKind() + "\x00" + string(e.Session)
		case *acpclient.UsageUpdate:
			// One without a cost does not replace one that has it.
			return Superseded, fmt.Sprint(u.UpdateKind(), "\x00", u.Cost != nil, "\x00", e.Session)
		case *acpclient.SessionInfoUpdate:
			// Nor does one replace what it does not name.
			return Superseded, fmt.Sprint(u.UpdateKind(), "\x00", u.Title.Set, u.UpdatedAt.Set, "\x00", e.Session)
		case *acpclient.SubagentUpdate, *acpclient.StateUpdate, *acpclient.PromptAccepted:
			return Needed, ""
		}
		return Streamed, ""
	}
	return Needed, ""
}

// QuestionKey returns the key of the Asked events of a question.
func QuestionKey(id int) string { return strconv.Itoa(id) }

// LeftOutHere stands for streamed events that a record has no room for.
func LeftOutHere() Event {
	return Text{Chunk: acpclient.AgentMessageChunk, Text: "[earlier updates, left out]\n\n"}
}

// Lighten returns an event with its large contents replaced by what describes them, as in a
// conversation that holds too much. Texts of the user go only if it is hard. It does not change e. What it cannot make lighter it
// returns as it is.
func Lighten(e Event, hard bool) Event {
	switch e := e.(type) {
	case Text:
		if size := len(e.Text); size > heldAlways {
			e.Text = "[" + leftOut("text", size) + "]\n\n"
		}
		return e
	case TerminalOutput:
		if size := len(e.Data); size > heldAlways {
			e.Data = []byte("[" + leftOut("output", size) + "]\r\n")
		}
		return e
	case FileWritten:
		if len(e.After) > heldAlways || e.Before != nil && len(*e.Before) > heldAlways {
			if e.After, e.Dropped = "", true; e.Before != nil {
				e.Before = new(string)
			}
		}
		return e
	case PromptSent:
		e.Prompt = lightPrompt(e.Prompt, hard)
		return e
	case PromptSteered:
		e.Prompt = lightPrompt(e.Prompt, hard)
		return e
	case NoticeAdded:
		e.Title, e.Detail = firstRunes(e.Title), firstRunes(e.Detail)
		return e
	case TerminalCreated:
		e.Command = firstRunes(e.Command)
		return e
	case ShellStarted:
		e.Command = firstRunes(e.Command)
		return e
	case AgentLost:
		if len(e.Stderr) > heldAlways {
			e.Stderr = "[" + leftOut("stderr", len(e.Stderr)) + "]"
		}
		return e
	case PermissionOpened:
		request := *e.Request
		request.ToolCall, request.Raw = *lightCall(&request.ToolCall), nil
		request.Title, request.Description, request.Subject, request.Meta = firstRunes(request.Title), firstRunes(request.Description), nil, lightMeta(request.Meta)
		request.Options = slices.Clone(shortList(request.Options))
		for i := range request.Options {
			request.Options[i].Name, request.Options[i].Meta = firstRunes(request.Options[i].Name), nil
		}
		e.Request, e.Calls = &request, nil
		return e
	case PermissionReferred:
		e.Why, e.Proposals = firstRunes(e.Why), nil
		return e
	case ElicitationOpened:
		request := *e.Request
		request.Message, request.RequestedSchema, request.Raw, request.Meta = firstRunes(request.Message), nil, nil, nil
		e.Request = &request
		return e
	case Update:
		if u := lightUpdate(e.Update); u != nil {
			e.Update, e.Raw = u, nil
		}
		return e
	}
	return e
}

// lightUpdate returns a lighter update, or nil if there is none.
func lightUpdate(u acpclient.SessionUpdate) acpclient.SessionUpdate {
	switch u := u.(type) {
	case *acpclient.ContentChunk:
		light := *u
		light.Content, light.Meta = lightBlock(u.Content), lightMeta(u.Meta)
		return &light
	case *acpclient.MessageUpdate:
		light := *u
		light.Content, light.Meta = lightField(u.Content), lightMeta(u.Meta)
		return &light
	case *acpclient.SessionMessage:
		light := *u
		light.Content, light.Meta = lightField(u.Content), lightMeta(u.Meta)
		return &light
	case *acpclient.SessionMessageChunk:
		light := *u
		light.Content, light.Meta = lightBlock(u.Content), lightMeta(u.Meta)
		return &light
	case *acpclient.CompactionUpdate:
		light := *u
		light.Summary, light.Error, light.Meta = lightBlocks(u.Summary), firstRunes(u.Error), nil
		return &light
	case *acpclient.CompactionSummaryChunk:
		light := *u
		light.Content, light.Meta = lightBlock(u.Content), nil
		return &light
	case *acpclient.ToolCall:
		light := *u
		light.Title, light.Name, light.Content, light.Locations = firstRunes(u.Title), firstRunes(u.Name), lightContents(u.Content), lightLocations(u.Locations)
		light.RawInput, light.RawOutput, light.Meta = lightRaw("input", u.RawInput), lightRaw("output", u.RawOutput), lightMeta(u.Meta)
		return &light
	case *acpclient.ToolCallUpdate:
		return lightCall(u)
	case *acpclient.ToolCallContentChunk:
		light := *u
		light.Content, light.Meta = lightContents(u.Content), lightMeta(u.Meta)
		return &light
	case *acpclient.SessionInfoUpdate:
		light := *u
		light.Title, light.UpdatedAt, light.Meta = lightWords(u.Title), lightWords(u.UpdatedAt), nil
		return &light
	case *acpclient.SubagentUpdate:
		light := *u
		light.Title, light.Description, light.Meta = lightWords(u.Title), lightWords(u.Description), lightMeta(u.Meta)
		return &light
	case *acpclient.StateUpdate:
		light := *u
		light.Error, light.Background, light.Meta = nil, shortList(u.Background), nil
		return &light
	case *acpclient.Notice:
		light := *u
		light.Title, light.Description, light.Meta = firstRunes(u.Title), firstRunes(u.Description), nil
		return &light
	case *acpclient.TerminalUpdate:
		light := *u
		if light.Meta = lightMeta(u.Meta); u.Output.Value != nil {
			light.Output.Value = &acpclient.TerminalSnapshot{Data: lightOutput(u.Output.Value.Data)}
		}
		return &light
	case *acpclient.TerminalOutputChunk:
		light := *u
		light.Data, light.Meta = lightOutput(u.Data), nil
		return &light
	}
	return nil
}

// lightCall returns what is known of a call without its large parts.
func lightCall(u *acpclient.ToolCallUpdate) *acpclient.ToolCallUpdate {
	light := *u
	for _, words := range []**string{&light.Title, &light.Name} {
		if *words != nil {
			short := firstRunes(**words)
			*words = &short
		}
	}
	light.Content, light.Locations = lightContents(u.Content), lightLocations(u.Locations)
	light.RawInput, light.RawOutput, light.Meta = lightRaw("input", u.RawInput), lightRaw("output", u.RawOutput), lightMeta(u.Meta)
	return &light
}

func lightWords(f acpclient.Field[string]) acpclient.Field[string] {
	if f.Value != nil {
		short := firstRunes(*f.Value)
		f.Value = &short
	}
	return f
}

func lightLocations(all []acpclient.ToolCallLocation) []acpclient.ToolCallLocation {
	all = slices.Clone(shortList(all))
	for i := range all {
		all[i].Path, all[i].Meta = firstRunes(all[i].Path), nil
	}
	return all
}

func lightContents(all acpclient.ToolCallContents) acpclient.ToolCallContents {
	all = slices.Clone(shortList(all))
	for i := range all {
		if contentSize(&all[i]) > heldAlways {
			all[i] = contentLeftOut(&all[i])
		}
	}
	return all
}

func lightField(f acpclient.Field[[]acpclient.ContentBlock]) acpclient.Field[[]acpclient.ContentBlock] {
	if f.Value != nil {
		blocks := lightBlocks(*f.Value)
		f.Value = &blocks
	}
	return f
}

func lightBlocks(all []acpclient.ContentBlock) []acpclient.ContentBlock {
	all = slices.Clone(all)
	for i := range all {
		all[i] = lightBlock(all[i])
	}
	return all
}

// promptAlways is how long a text of the user is at most that stays.
const promptAlways = 8 << 10

func lightPrompt(all []acpclient.ContentBlock, hard bool) []acpclient.ContentBlock {
	all = slices.Clone(all)
	for i := range all {
		if hard || all[i].Type != acpclient.ContentText || blockSize(&all[i]) > promptAlways {
			all[i] = lightBlock(all[i])
		}
	}
	return all
}

func lightBlock(b acpclient.ContentBlock) acpclient.ContentBlock {
	size := blockSize(&b)
	switch {
	case size <= heldAlways:
		return b
	case b.Type == acpclient.ContentText:
		return acpclient.TextBlock("[" + leftOut("text", size) + "]\n\n")
	}
	return blockLeftOut(&b)
}

func lightOutput(data acpclient.Bytes) acpclient.Bytes {
	if len(data) <= heldAlways {
		return data
	}
	return acpclient.Bytes("[" + leftOut("output", len(data)) + "]\r\n")
}

func lightRaw(what string, raw json.RawMessage) json.RawMessage {
	if len(raw) <= heldAlways {
		return raw
	}
	light, _ := json.Marshal("[" + leftOut(what, len(raw)) + "]") // strings always encode
	return light
}

// lightMeta returns what matters most of large _meta: whose call it is.
func lightMeta(m acpclient.Meta) acpclient.Meta {
	if len(m) <= heldAlways {
		return m
	}
	parent := parentOf(m)
	if parent == "" || len(parent) > heldAlways {
		return nil
	}
	return metaOf(&ToolCall{Parent: parent})
}
