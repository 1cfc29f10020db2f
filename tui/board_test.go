package tui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// watches has hosts with sessions: the first list is there at once, and what next returns follows.
// Then nothing changes any more.
func watches(first func(context.Context) ([]app.Running, error), next ...func(context.Context) ([]app.Running, error)) func(*Options) {
	all := append([]func(context.Context) ([]app.Running, error){first}, next...)
	return func(o *Options) {
		o.TakeOff = func(app.Running) error { return nil }
		o.Watch = func(ctx context.Context) func() ([]app.Running, error) {
			at := 0
			return func() ([]app.Running, error) {
				if at < len(all) {
					at++
					return all[at-1](ctx)
				}
				<-ctx.Done()
				return nil, ctx.Err()
			}
		}
	}
}

// kept is a session in a host.
func kept(id, title string, standing conversation.Standing) app.Running {
	return app.Running{ID: id, Overview: app.Overview{
		Title: title, Agent: "baker", Standing: standing, Waiting: map[conversation.Standing]int{conversation.StandingAsks: 1}[standing],
	}}
}

// Those that need the user come first, the marked one goes to its heading with the mark, and
// nobody is watched any more once the board is closed.
func TestTheBoardFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changed := make(chan struct{})
		gone := make(chan struct{})
		p := newProgram(t, map[string]string{"idle": idle}, watches(func(ctx context.Context) ([]app.Running, error) {
			context.AfterFunc(ctx, func() { close(gone) })
			return []app.Running{kept("1", "bread", conversation.StandingIdle), kept("2", "cake", conversation.StandingWorking), kept("3", "pie", conversation.StandingAsks)}, nil
		}, func(context.Context) ([]app.Running, error) {
			<-changed
			return []app.Running{kept("1", "bread", conversation.StandingAsks), kept("2", "cake", conversation.StandingWorking), kept("3", "pie", conversation.StandingIdle)}, nil
		}))
		p.start(p.front, "idle")
		p.press("alt+a")
		p.until("the board is there", func() bool { return shows(p.front, "pie") })
		p.mustOrder("State  Agent  Title", "Needs you", "❯ ? asks   baker  pie", "Works", "◐ works  baker  cake", "Done", "bread")
		close(changed)
		p.until("it has changed", func() bool { return shows(p.front, "? asks   baker  bread") })
		p.mustOrder("? asks   baker  bread", "◐ works  baker  cake", "❯ · idle   baker  pie")
		p.press("up", "up")
		p.mustOrder("❯ ? asks   baker  bread", "◐ works  baker  cake", "· idle   baker  pie")
		p.press("alt+d")
		p.mustShow("it is not attached here")
		p.press("left")
		p.mustShow("← does nothing here")
		p.clock = p.clock.Add(time.Minute)
		p.press("/", "p", "i", "e", "enter")
		p.mustNotShow("cake")
		p.press("esc", "esc")
		<-gone
		p.mustNotShow("bread")
	})
}

// The heads stand above their columns, and nothing is cut while there is room, however wide the screen is.
func TestTheHeadsOfTheBoardStandAboveTheirColumns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works := kept("1", "a bread that has a name of many words, and seeds", conversation.StandingWorking)
		works.Step, works.Cwd, works.Agent = "kneading it for the third time", "/home/flour", "the baker of bread"
		p := newProgram(t, map[string]string{"idle": idle}, watches(func(context.Context) ([]app.Running, error) { return []app.Running{works}, nil }))
		p.start(p.front, "idle")
		p.press("alt+a")
		p.until("the board is there", func() bool { return shows(p.front, "flour") })
		for width := 50; width < 130; width++ {
			p.resize([2]int{width, 24})
			_, heads, _ := strings.Cut(p.screen(), "\n")
			heads, rest, _ := strings.Cut(heads, "\n")
			_, row, _ := strings.Cut(rest, "◐")
			at := func(line, what string) int {
				before, _, found := strings.Cut(line, what)
				if !found {
					return -1
				}
				return termtext.Width(before)
			}
			for head, text := range map[string]string{"Place": "flour", "Now": "kneading"} {
				if is := at(heads, head); is >= 0 && is != at("  ◐"+row, text) {
					t.Fatalf("%d wide:\n%s", width, p.screen())
				}
			}
			row, _, _ = strings.Cut(row, "\n")
			row, _, beside := strings.Cut(row, "│")
			room := width
			if beside {
				room -= width/2 + 1
			}
			if row = strings.TrimRight(row, " "); strings.Contains(row, "…") && termtext.Width("  ◐"+row) != room {
				t.Fatalf("%d wide, with room:\n%s", width, p.screen())
			}
		}
		p.press("esc")
	})
}

// A session without a title has the name of its agent once in its row.
func TestTheBoardRepeatsNoAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle}, watches(func(context.Context) ([]app.Running, error) {
			return []app.Running{kept("1", "baker", conversation.StandingWorking), kept("2", "cake", conversation.StandingDone)}, nil
		}))
		p.start(p.front, "idle")
		p.press("alt+a")
		p.until("the board is there", func() bool { return shows(p.front, "cake") })
		_, row, _ := strings.Cut(p.screen(), "◐")
		row, _, _ = strings.Cut(row, "\n")
		if row, _, _ = strings.Cut(row, "│"); strings.Count(row, "baker") != 1 {
			t.Errorf("the row is %q", row)
		}
		p.press("esc")
	})
}

// The list of a low screen does not end with the heading of rows that are below it, says how many those are,
// and has more room than what is told of the marked one.
func TestTheBoardEndsWithNoHeading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle}, watches(func(context.Context) ([]app.Running, error) {
			return []app.Running{kept("1", "bread", conversation.StandingAsks), kept("2", "cake", conversation.StandingWorking), kept("3", "pie", conversation.StandingIdle)}, nil
		}))
		p.start(p.front, "idle")
		p.press("alt+a")
		p.until("the board is there", func() bool { return shows(p.front, "pie") })
		below := false
		for height := 14; height < 24; height++ {
			p.resize([2]int{60, height})
			list, _, _ := strings.Cut(p.screen(), "───")
			lines := strings.Split(strings.TrimSpace(list), "\n")
			last := strings.TrimSpace(lines[len(lines)-1])
			if slices.Contains(app.Groups[:], last) {
				t.Fatalf("%d high:\n%s", height, p.screen())
			}
			more := strings.Contains(list, "↓ 3 more lines") // the heading and two rows
			below = below || more
			if more && height >= 18 {
				t.Fatalf("%d high, rows are out of sight:\n%s", height, p.screen())
			}
		}
		if !below {
			t.Error("nothing says that more is below")
		}
		p.press("esc")
	})
}

// A turn that failed, or was cancelled, before the user's eyes is that on the board, too.
func TestTheBoardSaysHowATurnEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"bad": `handshake
expect session/prompt
reply-error -32603 "No flour" {}
expect session/prompt
say "Kneading."
expect session/cancel
end-turn cancelled
`})
		p.start(p.front, "bad")
		p.press("g", "o", "enter")
		p.until("it has failed", func() bool { return shows(p.front, "No flour") })
		p.press("alt+a")
		p.mustShow("❯ ✗ failed", "the turn failed")
		p.press("esc", "g", "o", "enter")
		p.until("it works", func() bool { return shows(p.front, "Kneading.") })
		p.press("esc")
		p.until("it is cancelled", func() bool { return shows(p.front, "· Cancelled") })
		p.press("alt+a")
		p.mustShow("❯ · cancelled", "cancelled")
		p.press("esc")
	})
}

// A key is a hint only of rows on which it acts. Elsewhere it says why it does nothing, changes nothing, and
// nor does the prompt that is typed on.
func TestTheBoardSaysWhyNothingIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone, silent := kept("1", "bread", conversation.StandingLost), kept("2", "cake", conversation.StandingIdle)
		gone.Gone, silent.Silent = true, "does not answer"
		ended := kept("3", "pie", conversation.StandingLost)
		ended.Over = true
		p := newProgram(t, map[string]string{"idle": idle}, watches(func(context.Context) ([]app.Running, error) {
			return []app.Running{gone, silent, ended}, nil
		}))
		p.start(p.front, "idle")
		p.press("alt+a")
		p.until("the board is there", func() bool { return shows(p.front, "cake") })
		p.mustShow("cake", "its process does not answer")
		p.press("alt+s")
		p.mustShow("❯ † exited  baker  bread", "its agent has exited: go there")
		p.press("down", "down", "down", "alt+s")
		p.mustShow("❯ · silent  baker  cake", "its process does not answer")
		p.press("up")
		p.mustShow("alt+s send", "ctrl+x end")
		p.mustNotShow("alt+d detach")
		p.press("up")
		p.mustShow("❯ † ended   baker  pie", "ctrl+x take off")
		for _, hint := range []string{"enter go there", "alt+s send", "alt+d detach", "ctrl+x end"} {
			p.mustNotShow(hint)
		}
		p.press("alt+s", "j", "/", "d", "k")
		p.mustShow("❯ † ended   baker  pie", "does not run any more: it was not stored")
		p.press("enter", "ctrl+x")
		p.mustNotShow("pie")
		p.press("esc")
	})
}

// mustOrder checks that lines with these texts follow each other on the screen.
func (p *program) mustOrder(texts ...string) {
	p.t.Helper()
	s, at := p.screen(), 0
	for _, text := range texts {
		i := strings.Index(s[at:], text)
		if i < 0 {
			p.t.Fatalf("%q is not after the others:\n%s", text, s)
		}
		at += i
	}
}

// The board goes on by itself, as often as it says something new: ages, and a limit that resets.
func TestTheBoardGoesOnWithoutAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works, limited := kept("1", "bread", conversation.StandingWorking), kept("2", "cake", conversation.StandingAsks)
		works.Since = time.Now().Add(-30 * time.Minute).Add(-20 * time.Second)
		limited.Waiting, limited.AtLimit, limited.Question, limited.Resets = 0, true, "Limit reached", time.Now().Add(10*time.Second)
		p := newProgram(t, map[string]string{"idle": idle}, watches(func(context.Context) ([]app.Running, error) { return []app.Running{works, limited}, nil }))
		p.start(p.front, "idle")
		p.until("nothing moves", func() bool { return p.ticks.IsZero() })
		p.press("alt+a")
		p.until("the board is there", func() bool { return shows(p.front, "works 30 min") && shows(p.front, "Limit reached") })
		p.until("it has reset", func() bool { return shows(p.front, "has reset") })
		p.mustShow("works 30 min")
		p.clock = time.Now()
		p.until("it is a minute later", func() bool { return shows(p.front, "works 31 min") })
		p.clock = time.Now()
		p.press("esc")
		p.until("nothing ticks any more", func() bool { return p.ticks.IsZero() })
	})
}

// Limits of the plan are decided about on the board, and forms filled in.
func TestTheBoardAsksAboutALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle, "limited": `handshake
expect session/prompt
update {"sessionUpdate": "usage_update", "used": 1, "size": 2, "_meta": {"_claude/rateLimit": {"status": "rejected", "rateLimitType": "five_hour"}}}
reply-error -32603 "You've hit your limit" {"errorKind": "rate_limit"}
`, "form": `handshake
expect session/prompt
request elicitation/create {"sessionId": "${session}", "mode": "form", "message": "Which release?", "requestedSchema": {"type": "object", "properties": {"tag": {"type": "string"}}}} as form
await form contains "content":{"tag":"v2j"}
end-turn
`, "login": `expect initialize
reply {"protocolVersion": 1, "authMethods": [{"id": "web", "name": "In the browser"}]}
expect session/new
reply {"sessionId": "s"}
expect session/prompt
reply-error -32000 Who are you?
expect authenticate
reply {}
serve
`})
		p.resize([2]int{100, 40})
		front := p.front
		p.start(front, "idle")
		limited := p.open("limited")
		p.press("b", "a", "k", "e", "enter")
		p.until("it is at its limit", func() bool { return shows(limited, "limit reached") })
		form := p.open("form")
		p.press("g", "o", "enter")
		p.until("it asks", func() bool { return shows(form, "Which release?") })
		login := p.open("login")
		p.press("g", "o", "enter")
		p.until("it wants a sign-in", func() bool { return shows(login, "Who are you?") })
		p.show(front)
		p.press("alt+a")
		p.mustShow("❯ ? asks   limited  bake", "→ answer", "The limit of the plan is reached")
		p.press("down")
		p.mustShow("❯ ? asks   form     go", "form, tab 3 asks", "Which release?")
		p.wait()
		p.mustShow("→ answer")
		p.press("right", "v", "2", "j", "esc", "up")
		p.mustShow("❯ ? asks   limited  bake")
		p.press("down")
		p.wait()
		p.press("right", "tab", "enter")
		p.mustShow("│ v2j", "❯ 1  ✓ Accept")
		p.press("enter")
		p.until("it is answered", func() bool { return shows(front, "✓ done   form     go") })
		p.press("up")
		p.mustShow("❯ ? asks   login    go", "waits for you to sign in", "→: answer")
		p.press("right")
		p.mustShow("Sign in to", "In the browser")
		p.wait()
		p.press("down", "enter")
		p.until("it is signed in", func() bool { return p.front == front })
		p.mustShow("login    go")
		p.press("up", "up", "up", "right")
		p.mustShow("Board", "Wait and go on", "The agent does not say when it resets.")
		p.wait()
		p.press("w", "enter")
		p.until("it waits", func() bool { return shows(p.front, "» waits  limited  bake") })
		if p.front != front {
			t.Error("the board was left")
		}
		p.press("esc")
	})
}
