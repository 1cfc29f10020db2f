package conversation_test

import (
	"errors"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

func TestErrorsComeOnceAndInWords(t *testing.T) {
	fail := func(message, data string) conversation.Event {
		e := &acpclient.Error{Code: 400, Message: message}
		if data != "" {
			e.Data = []byte(data)
		}
		return conversation.TurnEnded{Err: e}
	}
	for name, c := range map[string]struct {
		events      []any
		detail, raw string
	}{
		"words": {[]any{fail("no credit", "")}, "no credit (code 400)", ""},
		"words and more words": {
			[]any{fail("Internal error", `{"details":"no credit"}`)},
			"Internal error: no credit (code 400)", `{"details":"no credit"}`,
		},
		"words for people, and some for programs": {
			[]any{fail("no credit", `{"errorKind":"billing"}`)},
			"no credit (code 400)", `{"errorKind":"billing"}`,
		},
		"only words for programs": {[]any{fail("", `{"errorKind":"billing"}`)}, `{"errorKind":"billing"} (code 400)`, `{"errorKind":"billing"}`},
		"a message that a server has sent": {
			[]any{fail(`{"error": {"code": 402, "message": "no credit"}}`, "")},
			"no credit (code 400)", `{"error": {"code": 402, "message": "no credit"}}`,
		},
		"already said by the agent": {
			[]any{test.Sent("x"), test.AgentSays("API Error: 400 no credit", ""), fail("Internal error: API Error: 400 no credit", `{"errorKind":"billing"}`)},
			"", `{"code":400,"message":"Internal error: API Error: 400 no credit","data":{"errorKind":"billing"}}`,
		},
		"said with a few words more": {
			[]any{test.Sent("x"), test.AgentSays("Sorry: your credit is used up", ""), fail("your credit is used up", "")},
			"", `{"code":400,"message":"your credit is used up"}`,
		},
		"said long before": {
			[]any{test.Sent("x"), test.AgentSays("no credit", ""), test.FullCall, fail("no credit", "")},
			"no credit (code 400)", "",
		},
		"a word of it was said": {
			[]any{test.Sent("x"), test.AgentSays("No", ""), fail("No credit is left on this account", "")},
			"No credit is left on this account (code 400)", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			items := fold(t, c.events...).Items
			n, ok := items[len(items)-1].(*conversation.Note)
			if !ok || n.Detail != c.detail || string(n.Raw) != c.raw {
				t.Errorf("%+v, raw %s; want %q, %s", n, n.Raw, c.detail, c.raw)
			}
		})
	}
	c := fold(t, conversation.SessionFailed{Err: errors.Join(errors.New("open the session"), &acpclient.Error{Code: 1, Message: "no", Data: []byte(`{"a":1}`)})})
	if n := c.Items[0].(*conversation.Note); n.Detail != "open the session\nno (code 1)" || string(n.Raw) != `{"a":1}` {
		t.Errorf("%+v", n)
	}
}
