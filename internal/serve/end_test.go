package serve

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/host"
	"parley/internal/session"
	"parley/internal/store"
)

// waits is an agent that answers its first prompt, and waits in the next.
const waits = `handshake {"loadSession":true}
expect session/prompt
say Good morning
end-turn
expect session/prompt as second
say waiting
expect session/cancel
reply second {"stopReason":"cancelled"}
serve
`

// A session ends with its client if it is stored, nothing goes on in it, and nobody else looks at it; by
// session/close as by the end of the connection.
func TestWhenASessionEnds(t *testing.T) {
	prompt := func(text string) session.Prompt {
		return session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}}}
	}
	notice := func(title string) func(*stage, *client, *host.Client, *conversation.Conversation) {
		return func(_ *stage, c *client, v *host.Client, see *conversation.Conversation) {
			session.Post(v, session.AddNotice{Severity: acpclient.NoticeError, Title: store.Unstored})
			session.Post(v, session.AddNotice{Severity: acpclient.NoticeError, Title: title})
			c.said("parley: " + title)
		}
	}
	for name, test := range map[string]struct {
		opt      Options
		unstored bool
		before   func(s *stage, c *client, viewer *host.Client, see *conversation.Conversation)
		ends     bool
	}{
		"nothing goes on":        {ends: true},
		"it is not stored":       {unstored: true},
		"it is served alone":     {opt: Options{Running: "host"}},
		"the client only looks":  {opt: Options{ReadOnly: true}},
		"it cannot be stored":    {before: notice("Something else")},
		"it can be stored again": {before: notice(store.StoredAgain), ends: true},
		"another viewer looks": {before: func(s *stage, _ *client, _ *host.Client, _ *conversation.Conversation) {
			s.viewers = append(s.viewers, "another")
		}},
		"its viewers are not known": {before: func(s *stage, _ *client, _ *host.Client, _ *conversation.Conversation) { s.silent = "busy" }},
		"a turn of another runs": {before: func(_ *stage, c *client, v *host.Client, _ *conversation.Conversation) {
			session.Post(v, prompt("go on"))
			c.said("waiting")
		}},
		"a prompt waits": {before: func(_ *stage, c *client, v *host.Client, see *conversation.Conversation) {
			session.Post(v, prompt("go on"))
			session.Post(v, prompt("and then"))
			sees(v, see, func() bool { return len(see.Queue) == 1 })
			session.Post(v, session.Cancel{})
			sees(v, see, func() bool { return see.Idle() && see.QueuePaused })
		}},
	} {
		for how, leave := range map[string]func(*client){
			"closing": func(c *client) {
				if err := c.call(acpclient.SessionClose.Name, &acpclient.CloseSessionRequest{SessionID: c.id}); err != nil {
					c.t.Error(err)
				}
			},
			"leaving": func(c *client) { c.leave() },
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				s := newStage(t, waits)
				if !test.unstored {
					s.storing()
				}
				first := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
				first.ends(first.prompt("hello"), "end_turn")
				c := first
				if s.lax = true; test.opt.ReadOnly {
					c = s.client(test.opt, acpclient.ClientCapabilities{}, false)
					if err := c.load(first.id); err != nil {
						t.Fatal(err)
					}
				} else if test.opt.Running != "" {
					c = s.client(test.opt, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
				}
				viewer := s.viewer()
				if test.before != nil {
					test.before(s, c, viewer, viewer.Past())
				}
				leave(c)
				if test.ends {
					select {
					case <-s.ended:
					case <-time.After(20 * time.Second):
						t.Error("it does not end")
					}
				} else if v, err := s.attach(t.Context(), true); err != nil {
					t.Error("it has ended")
				} else {
					v.Close(context.Background())
				}
			})
		}
	}
}

// A client that can fill in forms is asked, and its answer is the user's; a client that cannot is told how.
func TestForms(t *testing.T) {
	const script = `handshake
expect session/prompt
request elicitation/create {"sessionId":"${session}","mode":"form","message":"Your name","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}} as asked
await asked contains "Ada"
say Thanks.
end-turn
serve
`
	s := newStage(t, script)
	deaf := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	c := s.client(Options{Running: "host"}, acpclient.ClientCapabilities{Elicitation: &acpclient.ElicitationCapabilities{Form: &acpclient.Supported{}}}, false)
	filled, told := make(chan *acpclient.CreateElicitationRequest, 1), make(chan struct{})
	c.fill = func(_ context.Context, r *acpclient.CreateElicitationRequest) (*acpclient.CreateElicitationResponse, error) {
		filled <- r
		<-told
		return &acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept, Content: map[string]any{"name": "Ada"}}, nil
	}
	c.open(s.opt.Cwd)
	turn := c.prompt("hello")
	deaf.said("parley: the agent asks for input: Your name\nTo answer it: parley attach host")
	close(told)
	c.ends(turn, "end_turn")
	if r := <-filled; r.Message != "Your name" || r.SessionID != c.id || !strings.Contains(encode(r), `"name":{"type":"string"}`) {
		t.Errorf("%+v", r)
	}
	deaf.said("Thanks.")
}

// A page to open is for a client that opens pages; another is told how to answer.
func TestURLForms(t *testing.T) {
	s := newStage(t, `handshake
expect session/prompt
request elicitation/create {"sessionId":"${session}","mode":"url","message":"Sign in","elicitationId":"e","url":"https://example.com/in"} as asked
await asked contains "accept"
say Thanks.
end-turn
serve
`)
	forms := acpclient.ClientCapabilities{Elicitation: &acpclient.ElicitationCapabilities{Form: &acpclient.Supported{}}}
	deaf := s.client(Options{}, forms, false).open(s.opt.Cwd)
	c := s.client(Options{Running: "host"}, acpclient.ClientCapabilities{Elicitation: &acpclient.ElicitationCapabilities{URL: &acpclient.Supported{}}}, false)
	asked, told := make(chan *acpclient.CreateElicitationRequest, 1), make(chan struct{})
	c.fill = func(_ context.Context, r *acpclient.CreateElicitationRequest) (*acpclient.CreateElicitationResponse, error) {
		asked <- r
		<-told
		return &acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept}, nil
	}
	c.open(s.opt.Cwd)
	turn := c.prompt("hello")
	deaf.said("parley: the agent asks for input: Sign in\nTo answer it: parley attach host")
	close(told)
	c.ends(turn, "end_turn")
	if r := <-asked; r.Mode != acpclient.ElicitURL || r.URL != "https://example.com/in" || r.SessionID != c.id {
		t.Errorf("%+v", r)
	}
}
