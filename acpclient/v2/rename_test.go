package v2

import (
	"encoding/json"
	"testing"

	"parley/acpclient"
	"parley/internal/schema"
)

// notification decodes an update as it comes.
func translated(t testing.TB, update string) *acpclient.SessionNotification {
	t.Helper()
	params := `{"sessionId":"s","update":` + update + `}`
	if err := schema.V2Unstable().Faults("UpdateSessionNotification", json.RawMessage(params)); err != nil {
		t.Fatalf("%s: %v", update, err)
	}
	n, err := notification([]byte(params))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What each update becomes, as acpclient encodes it.
func TestUpdates(t *testing.T) {
	same := ""
	for _, tt := range []struct{ update, want string }{
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"m"}`, same},
		{`{"sessionUpdate":"user_message","messageId":"m","content":[{"type":"text","text":"a"}]}`, same},
		{`{"sessionUpdate":"agent_message","messageId":"m","content":null}`, same},
		{`{"sessionUpdate":"agent_thought","messageId":"m"}`, same},
		{`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"type":"terminal","terminalId":"t"},{"type":"_x","y":1}]}`, same},
		{`{"sessionUpdate":"state_update","state":"_dreaming"}`, same},
		{`{"sessionUpdate":"terminal_update","terminalId":"t","command":"ls","cwd":null,"output":{"data":"YQ=="},"exitStatus":{"exitCode":0},"size":{"cols":80,"rows":24},"capabilities":{"cancel":{}}}`, same},
		{`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"/w=="}`, same},
		{`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"a","priority":"high","status":"cancelled"}]}}`, same},
		{`{"sessionUpdate":"plan_update","plan":{"type":"_tree","planId":"p","root":1}}`, same},
		{`{"sessionUpdate":"usage_update","used":1,"size":2}`, same},
		{`{"sessionUpdate":"session_info_update","title":null}`, same},
		{`{"sessionUpdate":"notice","severity":"info","title":"t"}`, same},
		{`{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"}`, same},
		{`{"sessionUpdate":"_mine","x":1}`, same},
		{`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"T","kind":"_brew","status":"paused"}`, same},
		{
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":null,"kind":null,"status":null,"content":null,"locations":null,"rawInput":null}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"","kind":"other","status":"pending","content":[],"locations":[],"rawInput":""}`,
		},
		{
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"terminal","terminalId":"t"},{"type":"_map","x":1},{"type":"diff","changes":[{"operation":"move","oldPath":"/a","path":"/b","fileType":"binary"}]}]}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"terminal","terminalId":"t"},{"type":"_map","x":1},{"type":"diff","path":"/b","oldText":"","newText":"","change":{"operation":"move","oldPath":"/a","fileType":"binary"}}]}`,
		},
		{
			`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"content","content":{"type":"text","text":"a"}}}`,
			`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"a"}}]}`,
		},
		{
			`{"sessionUpdate":"config_option_update","configOptions":[{"configId":"b","name":"B","type":"boolean","currentValue":true}]}`,
			`{"sessionUpdate":"config_option_update","configOptions":[{"id":"b","name":"B","type":"boolean","currentValue":true}]}`,
		},
		{
			`{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"_magic","name":"n","description":"d"}]}`,
			`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"n","description":"d"}]}`,
		},
	} {
		n := translated(t, tt.update)
		want := tt.want
		if want == same {
			want = tt.update
		}
		got, err := n.MarshalJSON()
		if err != nil {
			t.Errorf("%s: %v", tt.update, err)
			continue
		}
		if want = `{"sessionId":"s","update":` + want + `}`; !sameJSON(t, string(got), want) {
			t.Errorf("%s\nbecame %s\nwant   %s", tt.update, got, want)
		}
		// What is stored is read back to the same.
		var again acpclient.SessionNotification
		if err := acpclient.Unmarshal(n.Raw, &again); err != nil {
			t.Errorf("%s: %v", n.Raw, err)
			continue
		}
		if back, _ := again.MarshalJSON(); !sameJSON(t, string(back), string(got)) {
			t.Errorf("%s\nis stored as %s\nand read as  %s", tt.update, n.Raw, back)
		}
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	norm := func(s string) string {
		var v any
		if err := json.Unmarshal([]byte(s), &v); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		out, _ := json.Marshal(v)
		return string(out)
	}
	return norm(a) == norm(b)
}

// A known kind that lacks what it needs, and what only the first version has, is kept
// as it came.
func TestMalformedUpdatesAreUnknown(t *testing.T) {
	for _, update := range []string{
		`{"sessionUpdate":"tool_call_update"}`, `{"sessionUpdate":"terminal_output_chunk","terminalId":"t"}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}`, `{"sessionUpdate":"plan","entries":[]}`,
		`{"sessionUpdate":"current_mode_update","currentModeId":"m"}`, `{"sessionUpdate":"prompt_accepted","messageId":"m"}`,
		`{"sessionUpdate":"agent_message"}`, `{"sessionUpdate":7}`,
	} {
		n, err := notification([]byte(`{"sessionId":"s","update":` + update + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if u, ok := n.Update.(*acpclient.UnknownUpdate); !ok || string(u.Raw) != update {
			t.Errorf("%s became %#v", update, n.Update)
		}
	}
}

func TestPatches(t *testing.T) {
	const modify = `[{"operation":"modify","path":"/w/a b.go"}]`
	for name, tt := range map[string]struct{ changes, patch, want string }{
		"one hunk": {
			modify, "diff --git /w/a b.go /w/a b.go\nindex 1..2 100644\n--- /w/a b.go\n+++ /w/a b.go\n@@ -1,2 +1,2 @@ func x\n a\n-b\n+c\n",
			`[{"type":"diff","path":"/w/a b.go","oldText":"a\nb\n","newText":"a\nc\n"}]`,
		},
		"lines like heads": {
			modify, "diff --git /w/a b.go /w/a b.go\n--- /w/a b.go\n+++ /w/a b.go\n@@ -1,2 +1 @@\n--- x\n-diff --git a b\n+@@ -1 +1 @@\n@@ -9 +8,0 @@\n-end\n\\ No newline at end of file\n",
			`[{"type":"diff","path":"/w/a b.go","oldText":"-- x\ndiff --git a b\n","newText":"@@ -1 +1 @@\n"},{"type":"diff","path":"/w/a b.go","oldText":"end","newText":""}]`,
		},
		"a new file": {
			`[{"operation":"add","path":"/n","fileType":"text"}]`, "diff --git /n /n\nnew file mode 100644\n--- /dev/null\n+++ /n\n@@ -0,0 +1 @@\n+hi\n\\ No newline at end of file\n",
			`[{"type":"diff","path":"/n","newText":"hi"}]`,
		},
		"a deleted file": {
			`[{"operation":"delete","path":"/n"}]`, "diff --git /n /n\ndeleted file mode 100644\n--- /n\n+++ /dev/null\n@@ -1 +0,0 @@\n-hi\n",
			`[{"type":"diff","path":"/n","oldText":"","newText":"","change":{"operation":"delete"}},{"type":"diff","path":"/n","oldText":"hi\n","newText":""}]`,
		},
		"a moved file": {
			`[{"operation":"move","oldPath":"/o","path":"/n"}]`, "diff --git /o /n\nsimilarity index 100%\nrename from /o\nrename to /n\n",
			`[{"type":"diff","path":"/n","oldText":"","newText":"","change":{"operation":"move","oldPath":"/o"}}]`,
		},
		"in quotes": {
			`[{"operation":"modify","path":"/w/\u00fc"}]`, "diff --git \"/w/\\303\\274\" \"/w/\\303\\274\"\n--- \"/w/\\303\\274\"\n+++ \"/w/\\303\\274\"\n@@ -1 +1 @@\n-a\n+b\n",
			`[{"type":"diff","path":"/w/ü","oldText":"a\n","newText":"b\n"}]`,
		},
		"from the root of a repository": {
			modify, "diff --git a/a b.go b/a b.go\n--- a/a b.go\n+++ b/a b.go\n@@ -1 +1 @@\n-a\n+b\n",
			`[{"type":"diff","path":"/w/a b.go","oldText":"a\n","newText":"b\n"}]`,
		},
		"no patch": {modify, "", `[{"type":"diff","path":"/w/a b.go","oldText":"","newText":"","change":{"operation":"modify"}}]`},
		"a file that the changes hide": {
			`[]`, "diff --git /x /x\n--- /x\n+++ /x\n@@ -1 +1 @@\n-a\n+b\n", "[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"```diff\\ndiff --git a/x b/x\\n--- a/x\\n+++ b/x\\n@@ -1,1 +1,1 @@\\n-a\\n+b\\n```\"}}]",
		},
		"no patch of git": {
			modify, "just ``` words", "[{\"type\":\"diff\",\"path\":\"/w/a b.go\",\"oldText\":\"\",\"newText\":\"\",\"change\":{\"operation\":\"modify\"}},{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"````diff\\njust ``` words\\n````\"}}]",
		},
		"an unknown operation": {`[{"operation":"_lock","path":"/x"}]`, "", `[{"type":"diff","path":"/x","oldText":"","newText":"","change":{"operation":"_lock"}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			diff := map[string]any{"type": "diff", "changes": json.RawMessage(tt.changes)}
			if tt.patch != "" {
				diff["patch"] = map[string]string{"format": GitPatch, "text": tt.patch}
			}
			item, _ := json.Marshal(diff)
			n := translated(t, `{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[`+string(item)+`]}`)
			got, err := json.Marshal(n.Update.(*acpclient.ToolCallUpdate).Content)
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, string(got), tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
