package demoagent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// The line of the sample program that is wrong, and what it should be.
const (
	buggyLoop = "\tfor i := 1; i < len(names); i++ {\n"
	fixedLoop = "\tfor _, name := range names {\n\t\tfmt.Printf(\"Hello, %s!\\n\", name)\n\t}\n"
)

var sampleMain, sampleNotes = sampleFile("main.go.txt"), sampleFile("notes.md")

func sampleFile(name string) string {
	b, err := sampleFiles.ReadFile("sample/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestTour(t *testing.T) {
	for _, tt := range []struct {
		name     string
		mode     acpclient.ConfigValueID
		decide   acpclient.PermissionOptionID
		asked    int
		outcome  string
		repaired bool
	}{
		{"allowed", modeAsk, allowOnce, 2, "read:completed edit:completed execute:completed", true},
		{"rejected", modeAsk, reject, 2, "read:completed edit:failed execute:failed", false},
		{"not asked", modeAuto, "", 0, "read:completed edit:completed execute:completed", true},
	} {
		for _, second := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, second version: %v", tt.name, second), func(t *testing.T) {
				var p *user
				if second {
					p = meetV2(t)
				} else {
					p = meet(t, 0, able)
				}
				p.decide = func(*acpclient.RequestPermissionRequest) acpclient.PermissionOptionID { return tt.decide }
				s := p.newSession(true)
				set := calls(p, acpclient.SessionSetConfigOption, &acpclient.SetSessionConfigOptionRequest{
					SessionID: s.SessionID, ConfigID: optionMode, Value: acpclient.SelectValue(tt.mode),
				})
				p.want("mode", string(set.ConfigOptions[0].CurrentValue.ID), string(tt.mode))
				p.want("stop reason", string(p.prompt(s.SessionID, "/tour")), string(acpclient.StopEndTurn))
				p.want("tools", p.outcome(), tt.outcome)
				if len(p.asked) != tt.asked {
					t.Errorf("asked %d times", len(p.asked))
				}
				if got := strings.Contains(p.file("main.go"), fixedLoop); got != tt.repaired {
					t.Errorf("repaired: %v", got)
				}
				var plans [][]acpclient.PlanEntry
				for _, u := range all[acpclient.SessionUpdate](p) {
					switch u := u.(type) {
					case *acpclient.Plan:
						plans = append(plans, u.Entries)
					case *acpclient.PlanUpdate:
						plans = append(plans, u.Plan.Entries)
					}
				}
				if len(plans) != 6 {
					t.Fatalf("%d plans", len(plans))
				}
				for _, e := range plans[5] {
					if e.Status != acpclient.PlanCompleted {
						t.Errorf("%q is %s in the end", e.Content, e.Status)
					}
				}
				p.wantSaid("# Welcome to parley", "| `shift+tab` |", "```go\nfor i", "`ctrl+d`")
				if p.said(acpclient.AgentThoughtChunk) == "" {
					t.Error("nothing was thought")
				}
				titles, usages := all[*acpclient.SessionInfoUpdate](p), all[*acpclient.UsageUpdate](p)
				p.want("title", *titles[len(titles)-1].Title.Value, "The tour")
				if last := usages[len(usages)-1]; last.Used == 0 || last.Size != 200_000 || last.Cost.Amount <= 0 {
					t.Errorf("usage: %+v", last)
				}
				if p.released != len(p.terminals) {
					t.Errorf("%d terminals, %d released", len(p.terminals), p.released)
				}
				if !second {
					return
				}
				p.wantSaid("I do that myself", "a terminal that belongs to me")
				p.want("states", p.states(), "running "+strings.Repeat("requires_action running ", tt.asked)+"idle")
				if len(p.files)+len(p.terminals) > 0 {
					t.Error("it had the client read, write or run something")
				}
			})
		}
	}
}

func TestDiffAndTerminalAreShown(t *testing.T) {
	p := meet(t, 0, able)
	s := p.newSession(true)
	p.prompt(s.SessionID, "/tour")
	edit, run := p.tools()[1], p.tools()[2]
	if c := edit.content[0]; c.Type != acpclient.ToolContentDiff || *c.OldText != sampleMain || c.NewText != p.file("main.go") || c.Path != filepath.Join(p.dir, "main.go") {
		t.Errorf("got %+v", c)
	}
	if c := run.content[0]; c.Type != acpclient.ToolContentTerminal || c.TerminalID != "terminal-0" {
		t.Errorf("got %+v", c)
	}
	if out := p.terminals["terminal-0"].output.String(); strings.Count(out, "ok") != 3 || strings.Contains(out, "fail") {
		t.Errorf("the check printed %q", out)
	}
	if d := p.asked[0].ToolCall; d.Content[0].Type != acpclient.ToolContentDiff || *d.Kind != acpclient.ToolEdit || len(d.Locations) != 1 {
		t.Errorf("asked about %+v", d)
	}
}

func TestAlwaysIsRemembered(t *testing.T) {
	p := meet(t, 0, able)
	p.decide = func(*acpclient.RequestPermissionRequest) acpclient.PermissionOptionID { return allowAlways }
	s := p.newSession(true)
	for _, text := range []string{"/edit one", "/edit two", "/run true", "/run true"} {
		p.prompt(s.SessionID, text)
	}
	p.want("notes", p.file("notes.md"), sampleNotes+"- one\n- two\n")
	if len(p.asked) != 2 { // once for each kind
		t.Errorf("asked %d times", len(p.asked))
	}
	other := p.newSession(true)
	p.prompt(other.SessionID, "/edit three")
	if len(p.asked) != 3 {
		t.Error("another session did not ask")
	}
}

func TestPlanMode(t *testing.T) {
	for _, tt := range []struct {
		answer, mode acpclient.PermissionOptionID
		asked        int // the switch included
		outcome      string
	}{
		{reject, modePlan, 1, "switch_mode:failed"},
		{modeAuto, modeAuto, 1, "switch_mode:completed read:completed edit:completed execute:completed"},
		{modeAsk, modeAsk, 3, "switch_mode:completed read:completed edit:completed execute:completed"},
	} {
		t.Run(string(tt.answer), func(t *testing.T) {
			p := meet(t, 0, able)
			p.decide = func(r *acpclient.RequestPermissionRequest) acpclient.PermissionOptionID {
				if *r.ToolCall.Kind == acpclient.ToolSwitchMode {
					return tt.answer
				}
				return allowOnce
			}
			s := p.newSession(true)
			set, err := acpclient.Call(t.Context(), p.Conn(), acpclient.SessionSetConfigOption, &acpclient.SetSessionConfigOptionRequest{
				SessionID: s.SessionID, ConfigID: optionMode, Value: acpclient.SelectValue(modePlan),
			})
			if err != nil || set.ConfigOptions[0].CurrentValue.ID != modePlan {
				t.Fatal(set, err)
			}
			p.want("stop reason", string(p.prompt(s.SessionID, "/plan greet everybody")), string(acpclient.StopEndTurn))
			p.want("tools", p.outcome(), tt.outcome)
			if len(p.asked) != tt.asked {
				t.Errorf("asked %d times", len(p.asked))
			}
			if c := p.asked[0].ToolCall.Content; len(c) != 1 || !strings.HasPrefix(c[0].Content.Text, "## The plan") {
				t.Errorf("the plan is %+v", c)
			}
			updates := all[*acpclient.CurrentModeUpdate](p)
			p.want("mode", string(updates[len(updates)-1].CurrentModeID), string(tt.mode))
		})
	}
}

func TestForeignDirectoryIsLeftAlone(t *testing.T) {
	p := meet(t, 0, able)
	s := p.newSession(false)
	// The user's own files, one of which looks like the tour's.
	mine := map[string]string{"main.go": sampleMain, "notes.md": "mine", "parley-tour-1.md": "mine too"}
	for name, text := range mine {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.prompt(s.SessionID, "/tour")
	p.prompt(s.SessionID, "/edit something")
	p.prompt(s.SessionID, "/plan something")
	for name, text := range mine {
		p.want(name, p.file(name), text)
	}
	for _, path := range p.files {
		if !strings.HasPrefix(filepath.Base(path), "parley-tour-") {
			t.Errorf("%s was touched", path)
		}
	}
	entries, _ := os.ReadDir(p.dir)
	if len(entries) != len(mine)+2 || len(p.asked) != 3 {
		t.Errorf("%d files, asked %d times", len(entries), len(p.asked))
	}
}

func TestWriteSampleWantsAnEmptyDirectory(t *testing.T) {
	dir := t.TempDir()
	if isSample(dir) {
		t.Error("an empty directory is a sample")
	}
	if err := WriteSample(dir); err != nil || !isSample(dir) {
		t.Error(err)
	}
	if err := WriteSample(dir); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("got %v", err)
	}
	if err := WriteSample(filepath.Join(dir, "none")); err == nil {
		t.Error("a missing directory was filled")
	}
	if line := strings.Split(sampleMain, "\n")[7] + "\n"; line != buggyLoop { // which the scenes name
		t.Errorf("line 8 is %q", line)
	}
}

func TestClientThatCanDoNothing(t *testing.T) {
	p := meet(t, 0, unable)
	s := p.newSession(true)
	for _, text := range []string{"/tour", "/edit", "/run", "/ask", "/ask url", "/compact", "/image", "/plan"} {
		p.want(text, string(p.prompt(s.SessionID, text)), string(acpclient.StopEndTurn))
	}
	for _, c := range p.tools() {
		if c.status != acpclient.ToolFailed {
			t.Errorf("a %s tool is %s", c.kind, c.status)
		}
	}
	if n := len(all[*acpclient.Notice](p)) + len(all[*acpclient.CompactionUpdate](p)); n != 0 {
		t.Errorf("%d updates that are not advertised", n)
	}
	if len(s.ConfigOptions) != 4 {
		t.Errorf("%d options, one of them boolean?", len(s.ConfigOptions))
	}
	p.want("main.go", p.file("main.go"), sampleMain)
}

func TestPieces(t *testing.T) {
	for _, text := range []string{"", "a", "word", string(embedded("tour.scene")), strings.Repeat("x", 100), "日本語のテキスト、長い 文章 です\n"} {
		parts := pieces(text)
		if strings.Join(parts, "") != text {
			t.Errorf("%q does not join to %q", parts, text)
		}
		for i, part := range parts[:max(0, len(parts)-1)] {
			if !strings.HasSuffix(part, " ") && !strings.HasSuffix(part, "\n") {
				t.Errorf("piece %d of %q ends inside a word", i, part)
			}
		}
	}
}

// The tour goes on by itself and stops at its form, its change and its command. What the
// form answers is done.
func TestTheTourStopsThreeTimes(t *testing.T) {
	for _, tt := range []struct {
		fill acpclient.CreateElicitationResponse
		loop string
	}{
		{acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept, Content: map[string]any{"fix": "range"}}, "range names"},
		{acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept, Content: map[string]any{"fix": "zero"}}, "i := 0; "},
		{acpclient.CreateElicitationResponse{Action: acpclient.ElicitDecline}, "range names"},
	} {
		p := meet(t, 0, able)
		p.fill = tt.fill
		s := p.newSession(true)
		p.want("stop reason", string(p.prompt(s.SessionID, "/tour")), string(acpclient.StopEndTurn))
		if len(p.elicited) != 1 || len(p.asked) != 2 {
			t.Errorf("%d forms, %d permissions", len(p.elicited), len(p.asked))
		}
		p.want("tools", p.outcome(), "read:completed edit:completed execute:completed")
		if got := p.file("main.go"); !strings.Contains(got, tt.loop) {
			t.Errorf("no %q in %s", tt.loop, got)
		}
		p.wantSaid("## That's the tour")
	}
}

// A pause lasts until it has passed or the user skips ahead.
func TestSkippingAhead(t *testing.T) {
	p := meet(t, 100_000, able)
	s := p.newSession(true)
	ended := make(chan acpclient.StopReason, 1)
	progress := make(chan struct{}, 1)
	p.seen = func(acpclient.SessionUpdate) {
		select {
		case progress <- struct{}{}:
		default:
		}
	}
	go func() { ended <- p.prompt(s.SessionID, "/tour") }()
	for {
		select {
		case reason := <-ended:
			p.want("stop reason", string(reason), string(acpclient.StopEndTurn))
			p.wantSaid("## That's the tour")
			return
		case <-progress:
		case <-time.After(time.Millisecond): // a pause is not announced
		}
		if err := p.Conn().Notify(conversation.SkipAhead, &acpclient.CancelNotification{SessionID: s.SessionID}); err != nil {
			t.Fatal(err)
		}
	}
}
