package machine

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
	"parley/internal/session"
)

// ruledBy is a user whose rules deny everything about paths and commands with "denied" in
// them, and say to ask about those with "asked".
func ruledBy(answer acpclient.PermissionOptionID) *user {
	u := says(answer)
	u.rule = func(call *acpclient.ToolCallUpdate) session.Ruling {
		about := string(call.RawInput)
		for _, l := range call.Locations {
			about += string(*call.Kind) + " " + l.Path + "\n"
		}
		switch {
		case strings.Contains(about, "denied"):
			return session.Ruling{Verdict: policy.Deny}
		case strings.Contains(about, "asked"):
			return session.Ruling{Verdict: policy.Ask, Why: "the rule says ask"}
		}
		return session.Ruling{}
	}
	return u
}

// What rules deny is neither read nor written nor run, by whatever path it is named.
func TestDeniesWhatRulesDeny(t *testing.T) {
	who := ruledBy(conversation.FileOnce)
	s := serveTo(t, who)
	file := s.put(filepath.Join(s.inside, "denied", "file"), "before")
	paths := []string{file, link(t, file, filepath.Join(s.inside, "way")), filepath.Join(link(t, filepath.Dir(file), filepath.Join(s.inside, "folder")), "file")}
	named := link(t, s.put(filepath.Join(s.inside, "fine"), "before"), filepath.Join(s.inside, "denied.txt"))
	for _, path := range append(paths, named) {
		if got, err := s.read(path); err == nil || !strings.Contains(err.Error(), "denied by the rule") {
			t.Errorf("read %q, %v through %s", got, err, path)
		}
		if err := s.write(path, "after"); err == nil || !strings.Contains(err.Error(), "denied by the rule") {
			t.Errorf("wrote %s: %v", path, err)
		}
	}
	s.holds(file, "before")
	missing := filepath.Join(s.inside, "denied", "new")
	if _, err := s.read(missing); acpclient.IsCode(err, acpclient.CodeResourceNotFound) {
		t.Error("it is told whether a denied file exists")
	}
	if err := s.write(missing, "x"); err == nil {
		t.Error("created a denied file")
	}
	mark := filepath.Join(s.inside, "denied-mark")
	for _, r := range []acpclient.CreateTerminalRequest{{Command: "touch " + mark}, {Command: "touch", Args: []string{mark}}, {Command: "touch x", Cwd: filepath.Dir(file)}, {Command: "true", Env: []acpclient.EnvVariable{{Name: "GIT_PAGER", Value: "denied"}}}} {
		if _, err := s.CreateTerminal(t.Context(), &r); err == nil || !strings.Contains(err.Error(), "denied by the rule") {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if _, err := os.Stat(mark); err == nil || who.count() > 0 || len(who.ran) > 0 || s.told.got() != "" {
		t.Errorf("ran or asked: %d, %q, %q", who.count(), who.ran, s.told.got())
	}
}

// What rules say to ask about is asked, with the reason, and once for the session if the
// user says so.
func TestAsksWhatRulesSayToAsk(t *testing.T) {
	for _, yes := range []bool{false, true} {
		who := ruledBy(conversation.FileNo)
		if who.runs = yes; yes {
			who = ruledBy(conversation.FileSession)
			who.runs = true
		}
		s := serveTo(t, who)
		file := s.put(filepath.Join(s.inside, "asked"), "before")
		if _, err := s.read(file); (err == nil) != yes {
			t.Errorf("%v: read %v", yes, err)
		}
		if err := s.write(file, "after"); (err == nil) != yes {
			t.Errorf("%v: wrote %v", yes, err)
		}
		if who.count() != 2 || who.asked[0].Rule != "the rule says ask" || who.asked[1].Rule == "" || !who.asked[1].Write || who.before[1] == nil || *who.before[1] != "before" {
			t.Errorf("%v: asked %+v", yes, who.asked)
		}
		again := 2
		if !yes {
			again++
		}
		if _, err := s.read(file); (err == nil) != yes || who.count() != again {
			t.Errorf("%v: read again %v, after %d questions", yes, err, who.count())
		}
		mark := filepath.Join(s.inside, "mark")
		_, err := s.CreateTerminal(t.Context(), &acpclient.CreateTerminalRequest{Command: "sh", Args: []string{"-c", "touch " + mark + " # asked"}})
		if (err == nil) != yes || len(who.ran) != 1 || !strings.HasSuffix(who.ran[0], "the rule says ask") {
			t.Errorf("%v: run %v, asked %q", yes, err, who.ran)
		}
		if yes {
			<-s.told.exited
		}
		if _, err := os.Stat(mark); (err == nil) != yes {
			t.Errorf("%v: the command has left %v", yes, err)
		}
	}
}

// A command runs in the directory that was asked about, or not at all.
func TestADirectoryThatIsTurnedWhileAsked(t *testing.T) {
	who := ruledBy(conversation.FileOnce)
	who.runs = true
	s := serveTo(t, who)
	way := link(t, s.inside, filepath.Join(s.inside, "way"))
	rule := who.rule
	who.rule = func(call *acpclient.ToolCallUpdate) session.Ruling {
		if err := errors.Join(os.Remove(way), os.Symlink(s.beside, way)); err != nil {
			t.Error(err)
		}
		return rule(call)
	}
	_, err := s.CreateTerminal(t.Context(), &acpclient.CreateTerminalRequest{Command: "touch asked", Cwd: way})
	if err == nil || !strings.Contains(err.Error(), "leads elsewhere") || s.told.got() != "" {
		t.Errorf("%v; %q", err, s.told.got())
	}
}

// Without a rule, nobody is asked about files inside and about commands.
func TestServesWithoutARule(t *testing.T) {
	who := ruledBy(conversation.FileNo)
	s := serveTo(t, who)
	file := s.put(filepath.Join(s.inside, "file"), "x")
	_, err := s.read(file)
	_, ran := s.CreateTerminal(t.Context(), &acpclient.CreateTerminalRequest{Command: "true"})
	if err = errors.Join(err, ran, s.write(file, "y")); err != nil || who.count() > 0 || len(who.ran) > 0 {
		t.Errorf("%v, asked %+v and %q", err, who.asked, who.ran)
	}
	<-s.told.exited
	if !slices.Contains(s.told.lines, "created true in in") {
		t.Errorf("the observer saw %q", s.told.lines)
	}
}
