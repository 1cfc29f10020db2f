package schema

import (
	"encoding/json"
	"strings"
	"testing"
)

// What a version to come may mean is found at every depth; what is an implementation's own,
// or just wrong, is something else.
func TestReserved(t *testing.T) {
	for name, tt := range map[string]struct{ def, value, want string }{
		"a known update":        {"SessionUpdate", `{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`, ""},
		"no reason":             {"SessionUpdate", `{"sessionUpdate":"state_update","state":"idle"}`, ""},
		"an unknown update":     {"SessionUpdate", `{"sessionUpdate":"mood"}`, `/sessionUpdate: "mood" is unknown`},
		"an update of its own":  {"SessionUpdate", `{"sessionUpdate":"_mood"}`, ""},
		"an unknown state":      {"SessionUpdate", `{"sessionUpdate":"state_update","state":"busy"}`, `/state: "busy"`},
		"an unknown reason":     {"SessionUpdate", `{"sessionUpdate":"state_update","state":"idle","stopReason":"whim"}`, `/stopReason: "whim"`},
		"a reason of its own":   {"SessionUpdate", `{"sessionUpdate":"state_update","state":"idle","stopReason":"_whim"}`, ""},
		"in an array":           {"SessionUpdate", `{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"terminal","terminalId":"x"},{"type":"film"}]}`, `/content/1/type: "film"`},
		"an unknown word":       {"SessionUpdate", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"sleeping"}`, `/status: "sleeping"`},
		"a known one, but bad":  {"SessionUpdate", `{"sessionUpdate":"agent_message_chunk","content":7}`, ""},
		"what is no word":       {"SessionUpdate", `{"sessionUpdate":7}`, ""},
		"metadata is one's own": {"SessionUpdate", `{"sessionUpdate":"agent_message","messageId":"m","_meta":{"type":"film"}}`, ""},
		"an option":             {"SessionConfigOption", `{"configId":"a","name":"A","type":"slider","currentValue":3}`, `/type: "slider"`},
		"a way to sign in":      {"AuthMethod", `{"type":"passkey","methodId":"a","name":"A"}`, `/type: "passkey"`},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range V2().Reserved(tt.def, json.RawMessage(tt.value)) {
				got = append(got, f.Path+": "+f.Reason)
			}
			all := strings.Join(got, "; ")
			if tt.want == "" && all != "" || !strings.Contains(all, tt.want) || len(got) > 1 {
				t.Errorf("got %q, want %q", all, tt.want)
			}
		})
	}
}
