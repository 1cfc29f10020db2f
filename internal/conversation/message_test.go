package conversation_test

import (
	"slices"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// growing is which of the messages the agent is saying.
func growing(c *conversation.Conversation) (texts []string) {
	for _, i := range c.Items {
		if m, ok := i.(*conversation.Message); ok && m.Growing {
			texts = append(texts, m.Parts.Plain())
		}
	}
	return texts
}

func TestTheMessageThatGrows(t *testing.T) {
	thought, more := test.Thinks("Hm. ", ""), test.Thinks("Well.", "")
	call := `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`
	for name, c := range map[string]struct {
		events []any
		want   []string
	}{
		"in a turn":                      {[]any{test.Sent("x"), thought, more}, []string{"Hm. Well."}},
		"until the answer begins":        {[]any{test.Sent("x"), thought, test.AgentSays("So.", "")}, []string{"So."}},
		"also if it has an id":           {[]any{test.Sent("x"), test.Thinks("Hm.", "1"), test.AgentSays("So.", "1")}, []string{"So."}},
		"not again when it goes on":      {[]any{test.Sent("x"), test.Thinks("Hm. ", "1"), test.AgentSays("So.", "2"), test.Thinks("Well.", "1")}, nil},
		"until a tool is working":        {[]any{test.Sent("x"), thought, call}, nil},
		"until the turn ends":            {[]any{test.Sent("x"), thought, conversation.TurnEnded{}}, nil},
		"until the agent is gone":        {[]any{test.Sent("x"), test.Thinks("Hm.", "1"), conversation.AgentLost{}}, nil},
		"not in a history":               {[]any{test.UserSays("x", ""), thought, conversation.SessionOpened{ID: "s"}}, nil},
		"nor in what comes of it late":   {[]any{conversation.SessionOpened{ID: "s"}, thought, more}, nil},
		"nor in what an idle agent says": {[]any{test.Sent("x"), conversation.TurnEnded{}, test.AgentSays("News!", "")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := growing(fold(t, c.events...)); !slices.Equal(got, c.want) {
				t.Errorf("growing: %q, want %q", got, c.want)
			}
		})
	}
}

func TestMessagesAreToldApartByTheirMeta(t *testing.T) {
	chunk := func(text, meta string) string {
		return `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"},"_meta":` + meta + `}`
	}
	for name, c := range map[string]struct {
		events []any
		want   []string
	}{
		"another id of goose": {
			[]any{chunk("a", `{"goose":{"messageId":"1"}}`), chunk("b", `{"goose":{"messageId":"1"}}`), chunk("c", `{"goose":{"messageId":"2"}}`)},
			[]string{"agent: ab", "agent: c"},
		},
		"another id at the top": {
			[]any{chunk("a", `{"messageId":"1"}`), chunk("b", `{"messageId":"2"}`)},
			[]string{"agent: a", "agent: b"},
		},
		"another phase of codex": {
			[]any{chunk("a", `{"codex":{"phase":"commentary"}}`), chunk("b", `{"codex":{"phase":"commentary"}}`), chunk("c", `{"codex":{"phase":"final_answer"}}`), test.AgentSays("d", "")},
			[]string{"agent: ab", "agent: cd"},
		},
		"discrete messages of qwen": {
			[]any{test.AgentSays("a", ""), chunk("b", `{"qwenDiscreteMessage":true}`), chunk("c", `{"qwenDiscreteMessage":true}`), test.AgentSays("d", ""), chunk("e", `{"qwenDiscreteMessage":false}`)},
			[]string{"agent: a", "agent: b", "agent: c", "agent: de"},
		},
		"another meta says nothing": {
			[]any{chunk("a", `{"x":1}`), chunk("b", `{"messageId":7}`), test.AgentSays("c", "")},
			[]string{"agent: abc"},
		},
		"the protocol's id counts": {
			[]any{test.AgentSays("a", "1"), `{"sessionUpdate":"agent_message_chunk","messageId":"1","content":{"type":"text","text":"b"},"_meta":{"messageId":"2"}}`},
			[]string{"agent: ab"},
		},
	} {
		t.Run(name, func(t *testing.T) { test.WantTranscript(t, fold(t, c.events...), c.want...) })
	}
}

// An image that is embedded as a resource is an image like others.
func TestEmbeddedImages(t *testing.T) {
	const image = `{"type":"resource","resource":{"uri":"file:///a.png","mimeType":"image/png","blob":"iVBORw0KGgo="}}`
	c := fold(t,
		test.Up(t, `{"sessionUpdate":"agent_message_chunk","content":`+image+`}`),
		test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Look","content":[{"type":"content","content":`+image+`}]}`),
	)
	for _, b := range []*acpclient.ContentBlock{c.Items[0].(*conversation.Message).Parts[0].Block, c.Items[1].(*conversation.ToolCall).Content[0].Content} {
		if b.Type != acpclient.ContentImage || b.Data != "iVBORw0KGgo=" || b.MimeType != "image/png" || b.URI != "file:///a.png" {
			t.Errorf("%+v", b)
		}
	}
}
