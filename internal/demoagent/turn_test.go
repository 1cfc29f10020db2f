package demoagent

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/acpclient"
)

// once runs do the first time that it is called.
func once(do func()) func() {
	var o sync.Once
	return func() { o.Do(do) }
}

func TestCancel(t *testing.T) {
	cancelIn := func(p *user, s acpclient.SessionID) func() {
		return once(func() { _ = p.Conn().Notify(acpclient.SessionCancel.Name, &acpclient.CancelNotification{SessionID: s}) })
	}
	for _, tt := range []struct {
		name, prompt string
		// arrange has the turn cancelled at some point of it.
		arrange func(p *user, cancel func())
		outcome string
	}{
		{"while it talks", "/slow", func(p *user, cancel func()) {
			p.seen = func(u acpclient.SessionUpdate) {
				if c, ok := u.(*acpclient.ContentChunk); ok && c.Chunk == acpclient.AgentMessageChunk {
					cancel()
				}
			}
		}, ""},
		{"while it asks", "/edit", func(p *user, cancel func()) {
			p.decide = func(*acpclient.RequestPermissionRequest) acpclient.PermissionOptionID { cancel(); return "" }
		}, "read:completed edit:failed"},
		{"while a command runs", "/run exec sleep 100", func(p *user, cancel func()) {
			p.seen = func(u acpclient.SessionUpdate) {
				if c, ok := u.(*acpclient.ToolCallUpdate); ok && c.Status != nil && *c.Status == acpclient.ToolInProgress {
					cancel()
				}
			}
		}, "execute:failed"},
		{"by an answer", "/run true", func(p *user, _ func()) {
			p.decide = func(*acpclient.RequestPermissionRequest) acpclient.PermissionOptionID { return "" }
		}, "execute:failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := meet(t, 0, able)
			s := p.newSession(true)
			tt.arrange(p, cancelIn(p, s.SessionID))
			p.want("stop reason", string(p.prompt(s.SessionID, tt.prompt)), string(acpclient.StopCancelled))
			p.want("tools", p.outcome(), tt.outcome)
			p.want("notes", p.file("notes.md"), sampleNotes)
			if p.released != len(p.terminals) {
				t.Errorf("%d terminals, %d released", len(p.terminals), p.released)
			}
			// The next turn is as if nothing had happened.
			p.seen, p.decide = nil, nil
			p.want("next", string(p.prompt(s.SessionID, "/help")), string(acpclient.StopEndTurn))
		})
	}
}

func TestOneTurnAtATime(t *testing.T) {
	p := meet(t, 0, able)
	s := p.newSession(true)
	p.decide = func(*acpclient.RequestPermissionRequest) acpclient.PermissionOptionID {
		_, err := acpclient.Call(t.Context(), p.Conn(), acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: s.SessionID})
		if !acpclient.IsCode(err, acpclient.CodeInvalidRequest) {
			t.Errorf("got %v", err)
		}
		return allowOnce
	}
	p.prompt(s.SessionID, "/run true")
}

func TestSettingsDuringATurn(t *testing.T) {
	p := meet(t, 0, able)
	s := p.newSession(true)
	p.decide = func(*acpclient.RequestPermissionRequest) acpclient.PermissionOptionID {
		calls(p, acpclient.SessionSetMode, &acpclient.SetSessionModeRequest{SessionID: s.SessionID, ModeID: modeAuto})
		return allowOnce
	}
	p.prompt(s.SessionID, "/tour")
	if len(p.asked) != 1 { // the mode has changed before the second question
		t.Errorf("asked %d times", len(p.asked))
	}
	updates := all[*acpclient.ConfigOptionUpdate](p)
	p.want("mode", string(updates[0].ConfigOptions[0].CurrentValue.ID), modeAuto)
}

func TestConfigOptions(t *testing.T) {
	p := meet(t, 0, able)
	s := p.newSession(true)
	set := func(id acpclient.ConfigID, v acpclient.ConfigValue) ([]acpclient.SessionConfigOption, error) {
		res, err := acpclient.Call(t.Context(), p.Conn(), acpclient.SessionSetConfigOption, &acpclient.SetSessionConfigOptionRequest{SessionID: s.SessionID, ConfigID: id, Value: v})
		if err != nil {
			return nil, err
		}
		return res.ConfigOptions, nil
	}
	describe := func(options []acpclient.SessionConfigOption) string {
		var words []string
		for _, o := range options {
			var values []string
			for _, v := range o.Options.All() {
				values = append(values, string(v.Value))
			}
			words = append(words, string(o.ID)+"="+asJSON(t, o.CurrentValue)+" of "+strings.Join(values, ","))
		}
		return strings.Join(words, "; ")
	}
	const modes, models, paces = "ask,auto,plan", "mini,small,large,huge", "normal,fast,instant"
	p.want("at first", describe(s.ConfigOptions),
		`mode="ask" of `+modes+`; model="large" of `+models+`; thought="low" of low,high,off; speed="normal" of `+paces+`; suggestions=true of `)
	if groups := s.ConfigOptions[1].Options; len(groups) != 2 || groups[0].Name != "Fast" {
		t.Errorf("the models are not grouped: %+v", groups)
	}
	for _, step := range []struct {
		id    acpclient.ConfigID
		value acpclient.ConfigValue
		want  string
	}{
		{"thought", acpclient.SelectValue("high"), `mode="ask" of ` + modes + `; model="large" of ` + models + `; thought="high" of low,high,off; speed="normal" of ` + paces + `; suggestions=true of `},
		{"model", acpclient.SelectValue("mini"), `mode="ask" of ` + modes + `; model="mini" of ` + models + `; thought="off" of off; speed="normal" of ` + paces + `; suggestions=true of `},
		{"speed", acpclient.SelectValue("instant"), `mode="ask" of ` + modes + `; model="mini" of ` + models + `; thought="off" of off; speed="instant" of ` + paces + `; suggestions=true of `},
		{"suggestions", acpclient.BoolValue(false), `mode="ask" of ` + modes + `; model="mini" of ` + models + `; thought="off" of off; speed="instant" of ` + paces + `; suggestions=false of `},
	} {
		got, err := set(step.id, step.value)
		if err != nil {
			t.Fatal(err)
		}
		p.want(string(step.id), describe(got), step.want)
	}
	for _, bad := range []struct {
		id    acpclient.ConfigID
		value acpclient.ConfigValue
	}{
		{"other", acpclient.SelectValue("x")},
		{optionMode, acpclient.SelectValue("none")},
		{optionMode, acpclient.BoolValue(true)},
		{"thought", acpclient.SelectValue("high")}, // not with this model
		{"suggestions", acpclient.SelectValue("x")},
	} {
		if _, err := set(bad.id, bad.value); !acpclient.IsCode(err, acpclient.CodeInvalidParams) {
			t.Errorf("%s=%v: got %v", bad.id, bad.value, err)
		}
	}
	// The settings are not only shown.
	p.prompt(s.SessionID, "who are you?")
	p.want("thoughts", p.said(acpclient.AgentThoughtChunk), "")
	if strings.Contains(p.said(acpclient.AgentMessageChunk), "Try one of these") {
		t.Error("hints are given although they are off")
	}
	usages := all[*acpclient.UsageUpdate](p)
	if usages[0].Size != 8_000 {
		t.Errorf("the context is %d", usages[0].Size)
	}
}

func TestPromptContentIsNamed(t *testing.T) {
	p := meet(t, 0, able)
	s := p.newSession(true)
	_, err := acpclient.Call(t.Context(), p.Conn(), acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: s.SessionID, Prompt: []acpclient.ContentBlock{
		acpclient.TextBlock("what is\nthis?"),
		acpclient.ResourceLinkBlock("main.go", "file:///w/main.go"),
		acpclient.TextResourceBlock("file:///w/notes.md", "text/markdown", "notes"),
		acpclient.ImageBlock("image/png", "AAAA"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	p.wantSaid("- text of 3 words", "- a link to main.go", "- the content of file:///w/notes.md", "- an image (image/png, 4 bytes of base64)", "> what is\n", "`/tour`")
	titles := all[*acpclient.SessionInfoUpdate](p)
	p.want("title", *titles[0].Title.Value, "what is")
	calls(p, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: s.SessionID, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}})
	p.wantSaid("- text of 1 word\n")
}

func TestCommands(t *testing.T) {
	p := meet(t, 0, able)
	s := p.newSession(true)
	commands := all[*acpclient.AvailableCommandsUpdate](p)
	if len(commands) != 1 {
		t.Fatalf("%d lists of commands", len(commands))
	}
	p.prompt(s.SessionID, "/help")
	for _, c := range commands[0].AvailableCommands {
		p.wantSaid("`/" + c.Name)
	}
	p.prompt(s.SessionID, "/help me")
	p.prompt(s.SessionID, "/none`")
	p.wantSaid("no command `/none`")

	p.prompt(s.SessionID, "/run exit 3")
	p.wantSaid("exit code 3")
	p.prompt(s.SessionID, "/slow 2")
	p.wantSaid("1. Still", "2. Still")

	p.prompt(s.SessionID, "/image")
	chunks := all[*acpclient.ContentChunk](p)
	i := slices.IndexFunc(chunks, func(c *acpclient.ContentChunk) bool { return c.Content.Type == acpclient.ContentImage })
	if i < 0 || chunks[i].Content.MimeType != "image/png" {
		t.Error("there is no image")
	}

	p.prompt(s.SessionID, "/compact")
	compactions := all[*acpclient.CompactionUpdate](p)
	if len(compactions) != 2 || compactions[1].Status != acpclient.CompactionCompleted || len(all[*acpclient.CompactionSummaryChunk](p)) != 3 {
		t.Errorf("compactions: %+v", compactions)
	}
}

func TestAsk(t *testing.T) {
	p := meet(t, 0, able)
	s := p.newSession(true)

	p.fill = acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept, Content: map[string]any{"name": "A|B", "editor": "vim", "calm": 9}}
	p.prompt(s.SessionID, "/ask")
	p.wantSaid(`| name | A\|B |`, "| editor | vim |", "| calm | 9 |")
	kinds := map[acpclient.ElicitationPropertyType]bool{}
	for _, f := range p.elicited[0].RequestedSchema.Properties {
		kinds[f.Schema.Type] = true
	}
	if len(kinds) != 4 { // string, integer, array, boolean
		t.Errorf("the form has the kinds %v", kinds)
	}

	p.prompt(s.SessionID, "/ask url")
	if p.elicited[1].URL == "" || len(p.completed) != 1 || p.completed[0] != p.elicited[1].ElicitationID {
		t.Errorf("asked %+v, completed %v", p.elicited[1], p.completed)
	}

	p.fill = acpclient.CreateElicitationResponse{Action: acpclient.ElicitDecline}
	p.prompt(s.SessionID, "/ask")
	p.prompt(s.SessionID, "/ask url")
	p.wantSaid("rather not say", "the page stays closed")
}

func TestCrash(t *testing.T) {
	p := meet(t, 0, able)
	s := p.newSession(true)
	_, err := acpclient.Call(t.Context(), p.Conn(), acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: s.SessionID, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("/crash good bye")}})
	if err == nil {
		t.Error("the turn ended")
	}
	if code := <-p.ended; code != 1 {
		t.Errorf("exit code %d", code)
	}
	p.want("stderr", p.stderr.String(), "parley tour: crashed on request: good bye\n")
	<-p.Conn().Done()
	p.want("tools", p.outcome(), "other:in_progress")
}

func TestPausesFollowThePace(t *testing.T) {
	for env, want := range map[string]float64{"": 1, "0": 0, "2.5": 2.5, "-1": 1, "fast": 1} {
		t.Setenv(envSpeed, env)
		if got := DelayFromEnv(); got != want {
			t.Errorf("%q: got %v", env, got)
		}
	}
	if s := (settings{"speed": acpclient.SelectValue("fast")}); s.delay() >= 1 || s.delay() <= 0 {
		t.Errorf("fast is %v", s.delay())
	}
}
