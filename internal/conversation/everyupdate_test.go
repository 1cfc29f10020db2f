package conversation_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	protocol "parley/internal/schema"
)

// newKind is an update that the fold does not know.
type newKind struct {
	Words string `json:"words"`
}

func (*newKind) UpdateKind() string { return "new_kind" }

// An update that is decoded, but that nothing here takes, is shown as it was received.
func TestAnUpdateThatNobodyFoldsIsShown(t *testing.T) {
	for _, raw := range []string{"", `{"sessionId":"s","update":{"sessionUpdate":"new_kind","words":"hi","more":1}}`} {
		c := conversation.New()
		c.Apply(conversation.Update{Update: &newKind{"hi"}, Raw: json.RawMessage(raw)})
		if len(c.Items) != 1 {
			t.Fatalf("%d items", len(c.Items))
		}
		u, ok := c.Items[0].(*conversation.Unknown)
		want := `{"words":"hi"}`
		if raw != "" {
			want = `{"sessionUpdate":"new_kind","words":"hi","more":1}`
		}
		if !ok || u.Kind != "new_kind" || string(u.Raw) != want {
			t.Errorf("%+v", c.Items[0])
		}
	}
}

// members are what updates of all kinds require.
const members = `"toolCallId":"t","title":"t","entries":[],"content":{"type":"text","text":"t"},"currentModeId":"m","messageId":"m",
"planId":"p","plan":{"type":"items","planId":"p","entries":[]},"compactionId":"c","sessionId":"s","terminalId":"t","data":"","state":"idle"`

// Every kind of update of the protocol has a case of its own in the fold.
func TestEveryKindOfUpdateIsFolded(t *testing.T) {
	for _, s := range []*protocol.Schema{protocol.V1(), protocol.V1Unstable(), protocol.V2(), protocol.V2Unstable()} {
		for _, kind := range s.Kinds("SessionUpdate", "sessionUpdate") {
			var n acpclient.SessionNotification
			if err := json.Unmarshal(fmt.Appendf(nil, `{"sessionId":"s","update":{"sessionUpdate":%q,%s}}`, kind, members), &n); err != nil {
				t.Fatal(err)
			}
			c := conversation.New()
			c.Apply(conversation.Update{Update: n.Update})
			for _, item := range c.Items {
				if u, is := item.(*conversation.Unknown); is {
					t.Errorf("no case of Conversation.applyUpdate takes %s", u.Kind)
				}
			}
		}
	}
}
