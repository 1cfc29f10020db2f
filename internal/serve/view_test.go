package serve

import (
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
)

// A client that loads a session gets all that was said in it, in order and as it is now; and one that has
// seen it happen has the same.
func TestWhatAClientGets(t *testing.T) {
	const markdown, file = `"plan_update","plan":{"type":"markdown","planId":"p","content":"# Do it"}`, `"plan_update","plan":{"type":"file","planId":"p","uri":"file:///w/plan.md"}`
	plans := acpclient.ClientCapabilities{Plan: &acpclient.Supported{}}
	shows := func(session acpclient.ClientSessionCapabilities) acpclient.ClientCapabilities {
		return acpclient.ClientCapabilities{Session: &session}
	}
	notices := []string{`"notice","severity":"warning","title":"Careful","description":"hot"`, `"notice","severity":"info","title":"Nice"`}
	compacts := []string{
		`"compaction_update","compactionId":"x","status":"in_progress"`, `"compaction_summary_chunk","compactionId":"x","content":{"type":"text","text":"short"}`,
		`"compaction_update","compactionId":"x","status":"completed"`,
	}
	for name, test := range map[string]struct {
		caps   acpclient.ClientCapabilities
		v2     bool
		script []string // steps of a turn; what begins with a quote is an update
		want   []string
	}{
		"messages, thoughts and images": {
			script: []string{
				"say Good", "say  morning", `"agent_thought_chunk","content":{"type":"text","text":"Hm"}`, "say Look",
				`"agent_message_chunk","content":{"type":"image","data":"aGk=","mimeType":"image/png"}`, `"agent_thought_chunk","content":{"type":"text","text":"So"}`,
			},
			want: []string{
				`agent_message_chunk {"content":{"text":"Good morning","type":"text"},"messageId":"m1"}`, `agent_thought_chunk {"content":{"text":"Hm","type":"text"},"messageId":"m2"}`,
				`agent_message_chunk {"content":{"text":"Look","type":"text"},"messageId":"m3"}`, `agent_message_chunk {"content":{"data":"aGk=","mimeType":"image/png","type":"image"},"messageId":"m3"}`,
				`agent_thought_chunk {"content":{"text":"So","type":"text"},"messageId":"m4"}`,
			},
		},
		"a call in its last state, and an id that is used again": {
			script: []string{
				`"tool_call","toolCallId":"t","title":"Read","kind":"read","status":"pending"`,
				`"tool_call_update","toolCallId":"t","status":"completed","locations":[{"path":"/w/a"}],"rawInput":{"path":"/w/a"},"rawOutput":{"n":1},"content":[{"type":"content","content":{"type":"text","text":"file"}}]`,
				"say between", `"tool_call","toolCallId":"t","title":"Again","kind":"other","status":"completed"`,
			},
			want: []string{
				`tool_call {"content":[{"content":{"text":"file","type":"text"},"type":"content"}],"kind":"read","locations":[{"path":"/w/a"}],"rawInput":{"path":"/w/a"},"rawOutput":{"n":1},"status":"completed","title":"Read","toolCallId":"t"}`,
				`agent_message_chunk {"content":{"text":"between","type":"text"},"messageId":"m2"}`, `tool_call {"kind":"other","status":"completed","title":"Again","toolCallId":"t#1"}`,
			},
		},
		"no messages of subagents, and whose their calls are": {
			script: []string{
				`"tool_call","toolCallId":"p","title":"Task","kind":"think","status":"in_progress"`,
				`"agent_message_chunk","content":{"type":"text","text":"inner"},"_meta":{"claudeCode":{"parentToolUseId":"p"}}`,
				`"tool_call","toolCallId":"c","title":"Child","kind":"read","status":"completed","_meta":{"claudeCode":{"parentToolUseId":"p"}}`,
				`"tool_call_update","toolCallId":"p","status":"completed"`,
			},
			want: []string{
				`tool_call {"kind":"think","status":"completed","title":"Task","toolCallId":"p"}`,
				`tool_call {"_meta":{"parentToolCallId":"p"},"kind":"read","status":"completed","title":"Child","toolCallId":"c"}`,
			},
		},
		"a plan": {
			script: []string{
				`"plan","entries":[{"content":"one","priority":"high","status":"in_progress"}]`, `"plan","entries":[{"content":"one","priority":"high","status":"completed"}]`,
			},
			want: []string{`plan {"entries":[{"content":"one","priority":"high","status":"completed"}]}`},
		},
		"a plan in Markdown, as a thought": {script: []string{markdown}, want: []string{`agent_thought_chunk {"content":{"text":"parley: # Do it\n","type":"text"},"messageId":"parley1"}`}},
		"a plan in Markdown":               {caps: plans, script: []string{markdown}, want: []string{`plan_update {"plan":{"content":"# Do it","planId":"p","type":"markdown"}}`}},
		"a plan in Markdown in version 2":  {v2: true, script: []string{markdown}, want: []string{`plan_update {"plan":{"content":"# Do it","planId":"p","type":"markdown"}}`}},
		"a plan in a file":                 {caps: plans, script: []string{file}, want: []string{`plan_update {"plan":{"planId":"p","type":"file","uri":"file:///w/plan.md"}}`}},
		"a plan that was removed":          {caps: plans, script: []string{markdown, `"plan_removed","planId":"p"`}, want: []string{`plan_removed {"planId":"p"}`}},
		"notices, if they warn, as thoughts": {
			script: notices, want: []string{`agent_thought_chunk {"content":{"text":"parley: Careful\nhot\n","type":"text"},"messageId":"parley1"}`},
		},
		"notices": {
			caps: shows(acpclient.ClientSessionCapabilities{Notices: &acpclient.Supported{}}), script: notices,
			want: []string{`notice {"description":"hot","severity":"warning","title":"Careful"}`, `notice {"severity":"info","title":"Nice"}`},
		},
		"notices in version 2": {
			v2: true, script: notices, want: []string{`notice {"description":"hot","severity":"warning","title":"Careful"}`, `notice {"severity":"info","title":"Nice"}`},
		},
		"no compaction": {script: compacts},
		"a compaction": {
			caps: shows(acpclient.ClientSessionCapabilities{Compaction: &acpclient.Supported{}}), script: compacts,
			want: []string{`compaction_update {"compactionId":"c1","status":"completed","summary":[{"text":"short","type":"text"}]}`},
		},
		"what parley does not know": {script: []string{`"hologram","beam":true`}, want: []string{`hologram {"beam":true}`}},
		"commands, usage and title": {
			script: []string{
				`"usage_update","used":10,"size":100,"cost":{"amount":0.5,"currency":"USD"},"_meta":{"x":1}`, `"session_info_update","title":"A title"`,
				`"available_commands_update","availableCommands":[{"name":"go","description":"Go","input":{"hint":"where"}}]`,
			},
			want: []string{
				`available_commands_update {"availableCommands":[{"description":"Go","input":{"hint":"where"},"name":"go"}]}`,
				`usage_update {"cost":{"amount":0.5,"currency":"USD"},"size":100,"used":10}`, `session_info_update {"title":"A title"}`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var steps strings.Builder
			for _, step := range test.script {
				if strings.HasPrefix(step, `"`) {
					step = `update {"sessionUpdate":` + step + `}`
				}
				steps.WriteString(step + "\n")
			}
			s := newStage(t, "handshake\nexpect session/prompt\n"+steps.String()+`update {"sessionUpdate":"tool_call","toolCallId":"end","title":"end","status":"completed"}`+"\nsay ok\nend-turn\nserve\n")
			c := s.client(Options{}, test.caps, test.v2).open(s.opt.Cwd)
			c.ends(c.prompt("hello"), "end_turn")
			loads := s.client(Options{}, test.caps, test.v2)
			if err := loads.load(c.id); err != nil {
				t.Fatal(err)
			}
			loads.mu.Lock()
			defer loads.mu.Unlock()
			want := withoutPrompts(transcript(loads.conv))
			c.until("the same as\n"+want, func() bool { return withoutPrompts(transcript(c.conv)) == want })
			got := slices.DeleteFunc(loads.updates(), func(u string) bool {
				return strings.HasPrefix(u, "user_message") || strings.HasPrefix(u, "state_update") || strings.Contains(u, `"toolCallId":"end"`) || strings.Contains(u, `"text":"ok"`)
			})
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}
