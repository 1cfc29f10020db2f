package serve

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/store"
)

// greets is an agent that can load sessions, and answers prompts.
const greets = `handshake {"loadSession":true} {"sessionId":"agents"}
repeat 20
  expect session/prompt
  say Good morning
  end-turn
end
serve
`

var servers = []acpclient.MCPServer{{Name: "m", Command: "/bin/m", Args: []string{"x"}}}

// resume opens a session of which the client knows what was said.
func (c *client) resume(id acpclient.SessionID) error {
	_, err := acpclient.Call(c.t.Context(), c, acpclient.SessionResume, &acpclient.ResumeSessionRequest{SessionID: id, Cwd: c.t.TempDir(), MCPServers: servers})
	c.id = id
	return err
}

// A session that runs is opened by its id, that of its host and that of the agent. Load replays it, resume
// does not.
func TestARunningSessionIsOpened(t *testing.T) {
	s := newStage(t, greets).storing()
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	c.ends(c.prompt("hello"), "end_turn")
	if c.id != acpclient.SessionID(s.made[0].As) {
		t.Errorf("its id is %q", c.id)
	}
	want := "user: hello\nagent: Good morning\n"
	for _, id := range []acpclient.SessionID{c.id, "host", "agents"} {
		loads, resumes := s.client(Options{}, acpclient.ClientCapabilities{}, false), s.client(Options{}, acpclient.ClientCapabilities{}, false)
		if err := loads.load(id); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		loads.until("all", func() bool { return transcript(loads.conv) == want })
		if got := listed(loads.list("", "")); !slices.Equal(got, []acpclient.SessionID{id}) {
			t.Errorf("opened as %s it is listed as %q", id, got)
		}
		if err := resumes.resume(id); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		resumes.ends(resumes.prompt("me"), "end_turn")
		if got := transcript(resumes.conv); got != "agent: Good morning\n" {
			t.Errorf("resumed as %s it sent %s", id, got)
		}
		for _, spec := range s.made[len(s.made)-2:] {
			if spec.Running != "host" || spec.Stored != store.ID(c.id) {
				t.Errorf("%s: attached to %+v", id, spec)
			}
		}
		want += "user: me\nagent: Good morning\n"
	}
	for _, id := range []acpclient.SessionID{"", "hos", c.id[:len(c.id)-1], "nobody"} {
		if err := c.load(id); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// A stored session is opened by its id and that of the agent, with the servers of the client, and goes on.
func TestAStoredSessionIsOpened(t *testing.T) {
	for _, name := range []string{"its own", "agents-1"} {
		for _, v2 := range []bool{false, true} {
			s := newStage(t, greets).storing()
			ids := s.remembers("one", "two", "three")
			id := ids[1]
			if name != "its own" {
				id = acpclient.SessionID(name)
			}
			c := s.client(Options{}, acpclient.ClientCapabilities{}, v2)
			if err := c.load(id[:len(id)-1]); err == nil {
				t.Error("it was found by the beginning of its id")
			}
			if err := c.load(id); err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			c.said("agent: An answer to two\n")
			c.ends(c.prompt("and now"), "end_turn")
			if got := withoutPrompts(transcript(c.conv)); got != "agent: An answer to two\nagent: Good morning\n" {
				t.Errorf("%s", got)
			}
			if c.leave(); len(s.made) != 1 || s.made[0].Stored != store.ID(ids[1]) || !s.made[0].Keep || len(s.made[0].MCP) != 1 {
				t.Errorf("%+v", s.made)
			}
			c = s.client(Options{}, acpclient.ClientCapabilities{}, v2)
			if err := c.resume(id); err != nil {
				t.Fatal(err)
			}
			if got := s.made[1].MCP; len(got) != 1 || got[0].Command != "/bin/m" {
				t.Errorf("%+v", got)
			}
			c.ends(c.prompt("and again"), "end_turn")
			if got := withoutPrompts(transcript(c.conv)); got != "agent: Good morning\n" {
				t.Errorf("%s", got)
			}

			// One whose host ends while it is found is opened from its log.
			s.running = []app.Running{{ID: "ending", Stored: store.ID(ids[2])}}
			if err := s.client(Options{}, acpclient.ClientCapabilities{}, v2).resume(ids[2]); err != nil {
				t.Error(err)
			}
			if last := s.made[len(s.made)-1]; last.Running != "" || len(last.MCP) != 1 {
				t.Errorf("%+v", last)
			}
		}
	}
}

// A fork goes on with the whole conversation, in directories and with servers of its own.
func TestAFork(t *testing.T) {
	s := newStage(t, greets).storing()
	s.forks = newStage(t, greets)
	s.forks.id = "fork"
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	fork := func() (*acpclient.ForkSessionResponse, error) {
		return acpclient.Call(t.Context(), c, acpclient.SessionFork, &acpclient.ForkSessionRequest{
			SessionID: c.id, Cwd: s.forks.opt.Cwd, AdditionalDirectories: []string{s.opt.Cwd}, MCPServers: servers,
		})
	}
	if _, err := fork(); err == nil || !strings.Contains(err.Error(), "nothing of the session is stored") {
		t.Error(err)
	}
	c.ends(c.prompt("one"), "end_turn")
	c.ends(c.prompt("two"), "end_turn")
	r, err := fork()
	if err != nil {
		t.Fatal(err)
	}
	spec := s.forks.made[0]
	if spec.Stored != store.ID(c.id) || spec.Branch != 3 || spec.Beside == nil || spec.Cwd != s.forks.opt.Cwd || !slices.Equal(spec.Dirs, []string{s.opt.Cwd}) || len(spec.MCP) != 1 || !spec.Keep || r.SessionID == c.id {
		t.Errorf("%q: %+v", r.SessionID, spec)
	}
	c.id = r.SessionID
	c.ends(c.prompt("three"), "end_turn")
	if got := strings.Count(transcript(c.conv), "Good morning"); got != 3 { // of both sessions
		t.Errorf("%d answers", got)
	}
}

// Without an agent on the command line the client chooses one, until the first prompt.
func TestTheClientChoosesTheAgent(t *testing.T) {
	s, other := newStage(t, greets), newStage(t, strings.ReplaceAll(greets, "Good morning", "Bonjour"))
	other.id = "other"
	s.others = map[string]*stage{"other": other}
	agent := func(c *client, id string) (string, error) {
		var r struct {
			ConfigOptions []json.RawMessage `json:"configOptions"`
		}
		err := c.Call(t.Context(), acpclient.SessionSetConfigOption.Name, &acpclient.SetSessionConfigOptionRequest{
			SessionID: c.id, ConfigID: agentOption, Value: acpclient.SelectValue(acpclient.ConfigValueID(id)),
		}, &r)
		if err != nil {
			return "", err
		}
		return string(r.ConfigOptions[0]), nil
	}
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	is := func(id string) string {
		return `{"id":"_agent","name":"Agent","description":"Before the first prompt","category":"_agent","type":"select","currentValue":"` + id + `","options":[{"value":"agent","name":"Agent"},{"value":"other","name":"OTHER"}]}`
	}
	for _, id := range []string{"agent", "other"} {
		if got, err := agent(c, id); err != nil || got != is(id) {
			t.Errorf("%s, %v", got, err)
		}
	}
	if _, err := agent(c, "nobody"); err == nil || !strings.Contains(err.Error(), `no agent is called "nobody"`) {
		t.Error(err)
	}
	c.ends(c.prompt("hello"), "end_turn")
	c.said("agent: Bonjour")
	if _, err := agent(c, "agent"); err == nil || !strings.Contains(err.Error(), "begin a new session for Agent") {
		t.Error(err)
	}
	c.ends(c.prompt("again"), "end_turn")
	if got := s.made[0].Agent.ID + other.made[0].Agent.ID; got != "agentother" || other.made[0].Cwd != s.opt.Cwd || len(s.made) != 2 {
		t.Errorf("%s: %+v", got, s.made)
	}

	first := s.client(Options{First: "other"}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	first.ends(first.prompt("hello"), "end_turn")
	first.said("agent: Bonjour")
	named := newStage(t, greets)
	named.others = s.others
	c = named.client(Options{Agent: &config.Agent{ID: "agent"}}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	if _, err := agent(c, "agent"); err == nil {
		t.Error("it chose an agent in place of that of the command line")
	}
}

// A session whose host does not answer holds up only those who open it, until they give up.
func TestAHostThatDoesNotAnswer(t *testing.T) {
	s := newStage(t, greets)
	s.running = []app.Running{{ID: silentHost}}
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	ctx, giveUp := context.WithCancel(t.Context())
	loads := make(chan error, 2)
	for range cap(loads) {
		go func() {
			loads <- c.Call(ctx, acpclient.SessionLoad.Name, &acpclient.LoadSessionRequest{SessionID: silentHost, Cwd: s.opt.Cwd}, nil)
		}()
	}
	<-s.reached
	if err := c.load(c.id); err != nil {
		t.Error(err)
	}
	c.ends(c.prompt("hello"), "end_turn")
	giveUp()
	for range cap(loads) {
		if err := <-loads; err == nil {
			t.Error("it was loaded")
		}
	}
}
