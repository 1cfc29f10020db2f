package test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Up decodes a session update as it comes from the wire.
func Up(t testing.TB, update string) conversation.Event {
	t.Helper()
	n := new(acpclient.SessionNotification)
	if err := acpclient.Unmarshal(json.RawMessage(`{"sessionId":"s","update":`+update+`}`), n); err != nil {
		t.Fatalf("%s: %v", update, err)
	}
	return conversation.FromNotification(n)
}

// At returns an event with a time, if it has one.
func At(e conversation.Event, at time.Time) conversation.Event {
	v := reflect.New(reflect.TypeOf(e)).Elem()
	v.Set(reflect.ValueOf(e))
	if f := v.FieldByName("At"); f.IsValid() {
		f.Set(reflect.ValueOf(at))
	}
	return v.Interface().(conversation.Event)
}

func chunk(role, text, id string) string {
	b, _ := json.Marshal(map[string]any{"sessionUpdate": role + "_chunk", "content": map[string]string{"type": "text", "text": text}, "messageId": id})
	return string(b)
}

// AgentSays returns an update with a chunk of an agent message, as JSON.
func AgentSays(text, id string) string { return chunk("agent_message", text, id) }

// Thinks returns an update with a chunk of a thought.
func Thinks(text, id string) string { return chunk("agent_thought", text, id) }

// UserSays returns an update with a chunk of a prompt, as agents replay it.
func UserSays(text, id string) string { return chunk("user_message", text, id) }

// Sent returns the event of a sent prompt.
func Sent(text string) conversation.PromptSent {
	return conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}, At: time.Unix(1, 0)}
}

// DeepEqual are the options to compare whole conversations.
var DeepEqual = cmp.Options{
	cmp.Exporter(func(t reflect.Type) bool { return strings.HasPrefix(t.PkgPath(), "parley/") }),
	cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }),
	cmp.Transformer("text", func(b *strings.Builder) *string {
		if b == nil {
			return nil
		}
		text := b.String()
		return &text
	}),
	cmpopts.EquateEmpty(),
	// Nodes refer to each other in so many ways that following all of them would take
	// forever. Their order says the same.
	cmp.FilterPath(leadsToNodes, cmp.Ignore()),
	cmp.FilterPath(isRoot, cmp.Transformer("outline", outlineOf)),
}

// Diff says how whole conversations differ, "" if they do not. [cmp.Diff] takes fifty times as
// long for equal ones as [reflect.DeepEqual].
func Diff(want, got any, options ...cmp.Option) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, append(options, DeepEqual)...)
}

// leadsToNodes reports whether a field of a node is another node.
func leadsToNodes(p cmp.Path) bool {
	f, ok := p.Last().(cmp.StructField)
	return ok && f.Type() == reflect.TypeFor[*conversation.Node]() && p.Index(-2).Type() == reflect.TypeFor[conversation.Node]()
}

// isRoot reports whether a field of a conversation is the root of the nodes.
func isRoot(p cmp.Path) bool {
	f, ok := p.Last().(cmp.StructField)
	return ok && f.Name() == "root" && f.Type() == reflect.TypeFor[*conversation.Node]()
}

// outlineOf returns the nodes in reading order, each with its depth.
func outlineOf(root *conversation.Node) []string {
	var out []string
	all := func(*conversation.Node) bool { return true }
	for n := root.Following(all); n != nil; n = n.Following(all) {
		out = append(out, fmt.Sprintf("%d %T %d", n.Depth(), n.Item(), n.Index()))
	}
	return out
}

// IgnoreVersions ignores how often an item has changed, and the bytes that were counted: text arrives in more events
// or fewer.
var IgnoreVersions = cmp.FilterPath(func(p cmp.Path) bool {
	return strings.HasSuffix(p.Last().Type().String(), ".revision") || slices.Contains([]string{".bytes", ".size"}, p.Last().String())
}, cmp.Ignore())

// Permission returns a request to run a tool, with one option to allow and one to
// reject.
func Permission(id int, tool string) conversation.PermissionOpened {
	r := new(acpclient.RequestPermissionRequest)
	if err := acpclient.Unmarshal(json.RawMessage(`{"sessionId":"s","toolCall":`+tool+`,"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}`), r); err != nil {
		panic(err)
	}
	return conversation.PermissionOpened{ID: id, Request: r}
}

// Permissions returns the permissions that the user is asked, oldest first.
func Permissions(c *conversation.Conversation) []*conversation.Permission {
	return conversation.Questions[*conversation.Permission](&c.State)
}

// Elicitations returns the elicitations that the user is asked, oldest first.
func Elicitations(c *conversation.Conversation) []*conversation.Elicitation {
	return conversation.Questions[*conversation.Elicitation](&c.State)
}

// Judging returns the permissions that the rules are judging, oldest first.
func Judging(s *conversation.State) (all []*conversation.Permission) {
	for id := range 1000 {
		if p, is := s.Question(id).(*conversation.Permission); is && p.Judging {
			all = append(all, p)
		}
	}
	return all
}

// FullCall is a tool call with all fields.
const FullCall = `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Write main.go","kind":"edit","status":"in_progress","name":"write",
	"rawInput":{"path":"main.go"},"locations":[{"path":"main.go","line":3}],
	"content":[{"type":"diff","path":"main.go","oldText":"a","newText":"b"}]}`

// ModeOption is a config option that switches modes.
const ModeOption = `{"id":"m","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}`

// ThinkOption is a boolean config option.
const ThinkOption = `{"id":"t","name":"Think","type":"boolean","currentValue":false}`

// OptionsUpdate returns an update with these config options.
func OptionsUpdate(options string) string {
	return `{"sessionUpdate":"config_option_update","configOptions":[` + options + `]}`
}

// Transcript returns a short form of each item.
func Transcript(c *conversation.Conversation) []string {
	var out []string
	for _, i := range c.Items {
		switch i := i.(type) {
		case *conversation.Message:
			who := map[acpclient.ChunkKind]string{"user_message_chunk": "user", "agent_message_chunk": "agent", "agent_thought_chunk": "thought"}[i.Chunk]
			if i.Parent != "" {
				who += " of " + string(i.Parent)
			}
			text := ""
			for _, p := range i.Parts {
				if p.Block != nil {
					text += "[" + string(p.Block.Type) + "]"
				}
				text += p.Text()
			}
			out = append(out, who+": "+text)
		case *conversation.ToolCall:
			s := "tool " + string(i.ID) + ": " + i.Title
			if i.Status != "" {
				s += " (" + string(i.Status) + ")"
			}
			if i.Cancelled {
				s += " cancelled"
			}
			if i.Rejected {
				s += " rejected"
			}
			out = append(out, s)
		case *conversation.Plan:
			if i.Removed {
				out = append(out, "plan removed")
				break
			}
			done, all := i.Progress()
			out = append(out, fmt.Sprintf("plan %d/%d %s%s", done, all, i.Markdown, i.URI))
		case *conversation.Elicitation:
			out = append(out, fmt.Sprintf("question: %s: %s", i.Request.Message, i.Action))
		case *conversation.ShellCommand:
			out = append(out, "own command: "+i.Terminal.Command)
		case *conversation.Note:
			out = append(out, "note: "+i.Title)
		case *conversation.Compaction:
			out = append(out, fmt.Sprintf("compaction %s: %s%s", i.Status, i.Summary.Plain(), i.Error))
		case *conversation.Unknown:
			out = append(out, "unknown: "+i.Kind)
		default:
			out = append(out, fmt.Sprintf("%T", i))
		}
	}
	return out
}

// WantTranscript fails the test unless the items are these.
func WantTranscript(t testing.TB, c *conversation.Conversation, want ...string) {
	t.Helper()
	if got := Transcript(c); !slices.Equal(got, want) {
		t.Errorf("transcript\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// Plan returns an update with an entry for each status.
func Plan(statuses ...string) string {
	entries := make([]string, len(statuses))
	for i, s := range statuses {
		entries[i] = fmt.Sprintf(`{"content":"%d","priority":"high","status":%q}`, i, s)
	}
	return `{"sessionUpdate":"plan","entries":[` + strings.Join(entries, ",") + `]}`
}
