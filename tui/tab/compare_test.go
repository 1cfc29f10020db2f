package tab

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/test"
)

// tabsOf is a row of tabs.
type tabsOf struct {
	singleTab
	all []*Tab
}

func (t tabsOf) All() []*Tab { return t.all }

// The clocks on the page go on while a side works, and no longer.
func TestTheClocksOfAComparison(t *testing.T) {
	home, side := newBench(t, t.TempDir()), newBench(t, t.TempDir())
	home.program.Tabs = tabsOf{all: []*Tab{home.Tab, side.Tab}}
	c := home.newComparison(&compare.Comparison{Sides: []*compare.Side{{Name: "agent", Tree: &git.Worktree{}}}})
	c.tabs[0] = side.Tab
	home.dialogs.Push(c.page)
	if home.Moves() {
		t.Error("something moves while none works")
	}
	side.events(test.At(conversation.PromptSent{}, side.clock))
	if !home.Moves() {
		t.Error("nothing moves while a side works")
	}
	side.events(test.At(conversation.TurnEnded{Reason: acpclient.StopEndTurn}, side.clock))
	if home.Moves() {
		t.Error("something moves after the turn of the side")
	}
}

// The help and the palette answer on a page, with what can be done there, and the way out stays in
// the line of hints where there is little room.
func TestThePageHasHelpAndAPalette(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.columns, b.rows = 60, 20
	c := b.newComparison(&compare.Comparison{Sides: []*compare.Side{{Name: "agent", Tree: &git.Worktree{}}}})
	b.dialogs.Push(c.page)
	b.mustShow(t, "q close")
	b.press("ctrl+s")
	b.mustShow(t, "close this first: ctrl+s waits until then")
	for _, key := range []string{"f1", "?"} {
		b.press(key)
		b.mustShow(t, "Help", "Merge the marked changes")
		b.press("esc")
		b.mustShow(t, "q close")
	}
	b.press("ctrl+p")
	b.mustShow(t, "Commands of this page", "Merge the marked changes, or everything")
	b.press("esc")
	b.mustShow(t, "q close")
}

// The prompt of a comparison is written where prompts are: in several lines, with pastes. Words behind
// /compare are it, too, whatever they are.
func TestThePromptOfAComparison(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.program.Launcher = &app.Launcher{Config: &config.Config{}}
		b.ready()
		long := strings.Repeat("a pasted line\n", 40)
		b.composer.SetText("/compare sing\n")
		b.Do(b.Update(tea.PasteMsg{Content: long}))
		b.Do(b.Update(keyPress("enter")))
		b.mustShow(t, "Compare agents", "sing a pasted line")
		b.Choose("Prompt")
		b.mustShow(t, "prompt to compare: enter accepts it")
		b.Do(b.Update(keyPress("esc")))
		b.mustShow(t, "Compare agents", "sing a pasted line")
		b.Choose("Prompt")
		b.composer.SetText("dance\nin @poem.txt")
		time.Sleep(time.Second)
		b.Do(b.Update(keyPress("enter")))
		b.mustShow(t, "Compare agents", "dance in @poem.txt")
		if !b.composer.Empty() || b.queued() != "" {
			t.Errorf("the draft is %q, the queue %q", b.composer.Text(), b.queued())
		}
		// It is the draft again where there is no comparison.
		b.Do(b.Update(keyPress("esc")))
		if b.composer.Text() != "dance\nin @poem.txt" {
			t.Errorf("the draft is %q", b.composer.Text())
		}
		f := &compareForm{t: b.Tab, prompt: b.composer.Text(), entrants: slices.Repeat([]compare.Entrant{{Word: "a"}}, 2)}
		b.Do(f.start())
		b.mustShow(t, "Cannot compare agents")
		if b.composer.Text() != f.prompt {
			t.Errorf("the draft is %q", b.composer.Text())
		}
	})
}

// What is asked for while a question is open comes behind it, which parley says.
func TestAComparisonBehindAQuestion(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.program.Launcher = &app.Launcher{Config: &config.Config{}}
		b.ready()
		b.ask(app.Question{Title: "An interrupted session", Choices: []app.Choice{{Name: "Resume it"}, {Name: "Not now"}}})
		b.composer.SetText("/compare sing")
		b.Do(b.Update(keyPress("enter")))
		b.mustShow(t, "An interrupted session", "it opens behind the question: answer that first")
		b.mustNotShow(t, "Compare agents")
	})
}

// hears is a session that keeps what it is told of a budget.
type hears struct {
	app.Session
	shared []session.ShareBudget
	raised []session.SetBudget
	on     int // let go on beyond it
	sent   []string
	at     int // the position of the last one
}

func (h *hears) Perform(ctx context.Context, c session.Call) error {
	switch a := c.Act().(type) {
	case session.ShareBudget:
		h.shared = append(h.shared, a)
	case session.SetBudget:
		h.raised = append(h.raised, a)
	case session.Prompt:
		h.sent, h.at = append(h.sent, a.Prompt.Prompt[0].Text), a.At
	case session.ExceedBudget:
		h.on++
	}
	return h.Session.Perform(ctx, c)
}

// The budget is for all sides together: each is told once what the others have spent.
func TestSidesShareABudget(t *testing.T) {
	home := newBench(t, t.TempDir())
	sides, told := []*bench{}, []*hears{}
	tabs := tabsOf{all: []*Tab{home.Tab}}
	of := &compare.Comparison{}
	for _, name := range []string{"alpha", "beta"} {
		b := newBench(t, t.TempDir())
		h := &hears{Session: b.session()}
		b.has(h)
		b.opens()
		sides, told, tabs.all = append(sides, b), append(told, h), append(tabs.all, b.Tab)
		of.Sides = append(of.Sides, &compare.Side{Name: name, Tree: &git.Worktree{}})
	}
	home.program.Tabs = tabs
	c := home.newComparison(of)
	for i, b := range sides {
		c.tabs[i], b.compared = b.Tab, c
	}
	usage := conversation.Update{Session: "s", Update: &acpclient.UsageUpdate{Used: 1, Size: 2, Cost: &acpclient.Cost{Amount: 0.5, Currency: "USD"}}}
	sides[0].events(usage)
	sides[0].events(usage)
	if len(told[0].shared) != 0 || len(told[1].shared) != 1 || told[1].shared[0].Spent.Cost.Amount != 0.5 {
		t.Errorf("they were told %+v and %+v", told[0].shared, told[1].shared)
	}

	// One prompt goes to all of them, written where prompts are.
	home.dialogs.Push(c.page)
	home.press("alt+s")
	home.mustShow(t, "the prompt for all agents: enter sends it")
	home.composer.SetText("louder\nstill")
	home.clock = home.clock.Add(time.Second)
	home.press("enter")
	home.mustShow(t, "Compare", "sent to 2 agents")
	if want := []string{"louder\nstill"}; !slices.Equal(told[0].sent, want) || !slices.Equal(told[1].sent, want) || !home.composer.Empty() {
		t.Errorf("%q and %q were sent", told[0].sent, told[1].sent)
	}
	// What waits for a turn or behind a paused queue is queued there, and what does not run gets none.
	waiting := conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1}}, Paused: true}
	sides[1].events(waiting)
	again := func(want ...string) {
		t.Helper()
		home.press("alt+s")
		home.composer.SetText("again")
		home.clock = home.clock.Add(time.Second)
		home.press("enter")
		home.mustShow(t, want...)
	}
	again("sent to 1 agent; queued for 1 agent")
	if at := told[1].at; at != 2 {
		t.Errorf("it has the position %d behind a paused queue", at)
	}
	sides[1].events(conversation.AgentLost{})
	again("sent to 1 agent; not sent to beta: it does not run")
	told[0].sent = told[0].sent[:1]
	// It is not taken where nobody gets it.
	sides[0].stored.readOnly, sides[1].stored.readOnly = "its worktree was dropped", "its agent was stopped"
	home.composer.SetText("later")
	home.press("alt+s")
	home.mustShow(t, "no agent takes a prompt: alpha: its worktree was dropped")
	sides[0].stored.readOnly = ""
	home.press("alt+s")
	sides[0].stored.readOnly = "its worktree was dropped"
	home.clock = home.clock.Add(time.Second)
	home.press("enter")
	home.mustShow(t, "not sent: alpha: its worktree was dropped")
	if home.composer.Text() != "later" || len(told[0].sent) != 1 {
		t.Errorf("the draft is %q", home.composer.Text())
	}
	home.composer.Clear()
	sides[0].stored.readOnly, sides[1].stored.readOnly = "", ""
	home.dialogs.Close(c.page)
	sides[1].opens()
	sides[1].events(conversation.QueueChanged{})
	sides[1].dialogs.Close(sides[1].dialogs.Top())

	// Once it is used up, one question is for all, also for a side that has finished.
	sides[0].events(conversation.PromptSent{}, conversation.BudgetSet{Budget: conversation.Budget{Cost: 1}}, conversation.BudgetReached{}, conversation.TurnEnded{Reason: acpclient.StopCancelled})
	sides[1].events(conversation.PromptSent{}, conversation.TurnEnded{Reason: acpclient.StopEndTurn}, conversation.BudgetReached{})
	if !sides[0].dialogs.Empty() || !sides[1].dialogs.Empty() {
		t.Error("a side asks by itself")
	}
	answer := func(key string) {
		home.mustShow(t, "The budget of this comparison is used up", "Raise it to $2.00")
		home.clock = home.clock.Add(time.Second)
		var run func(tea.Cmd)
		run = func(cmd tea.Cmd) {
			if cmd == nil {
				return
			}
			switch msg := cmd().(type) {
			case tea.BatchMsg:
				for _, cmd := range msg {
					run(cmd)
				}
			}
		}
		home.press(key)
		run(home.Update(keyPress("enter")))
		if !home.dialogs.Empty() {
			t.Error("it asks again")
		}
	}
	if answer("g"); told[0].on != 1 || told[1].on != 0 {
		t.Errorf("%d and %d go on", told[0].on, told[1].on)
	}
	// It says what is so, whoever has answered it elsewhere meanwhile.
	both := func(e conversation.Event) {
		for _, b := range sides {
			b.events(e)
		}
		home.FollowOthers()
	}
	both(conversation.BudgetReached{})
	sides[0].events(conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1}}})
	home.mustShow(t, "Raise it to $2.00")
	home.press("alt+a", "down", "right") // on the board, too
	home.mustShow(t, "Board", "The budget of this comparison is used up", "Raise it to $2.00")
	both(conversation.BudgetSet{Budget: conversation.Budget{Cost: 2}})
	home.mustShow(t, "Board", "the question is gone: it was answered elsewhere")
	home.clock = home.clock.Add(time.Minute)
	if home.press("esc"); !home.dialogs.Empty() {
		t.Error("it asks about a budget that is not used up")
	}
	both(conversation.BudgetSet{Budget: conversation.Budget{Cost: 1}})
	sides[0].events(conversation.BudgetReached{})
	if answer("r"); len(told[0].raised) != 1 || len(told[1].raised) != 1 {
		t.Errorf("it was raised by %+v and %+v", told[0].raised, told[1].raised)
	}
}

// showsTabs is a row of tabs that notes which ones were shown.
type showsTabs struct {
	tabsOf
	shown []*Tab
}

func (s *showsTabs) Show(t *Tab) { s.shown = append(s.shown, t) }

// A side is its tab: going there leaves the page open, a tab that is being opened again keeps the cost of
// its session in sight, and a closed one leaves all that was known of it.
func TestTheSeatOfASide(t *testing.T) {
	home, side := newBench(t, t.TempDir()), newBench(t, t.TempDir())
	tabs := &showsTabs{tabsOf: tabsOf{all: []*Tab{home.Tab, side.Tab}}}
	home.program.Tabs = tabs
	c := home.newComparison(&compare.Comparison{Sides: []*compare.Side{{Name: "agent", Tree: &git.Worktree{}}}})
	c.tabs[0], side.compared = side.Tab, c
	home.dialogs.Push(c.page)
	spent := conversation.Spent{Cost: &acpclient.Cost{Amount: 0.5, Currency: "USD"}}
	c.past[0] = &app.Overview{Spent: spent}
	for range 2 { // looking does not lose it
		if s := c.Seat(0); s == nil || s.Place != "tab 2" || s.Spent != spent {
			t.Fatalf("while it is opened again, the side is %+v", s)
		}
	}
	c.Seat(0).Go()
	if !slices.Equal(tabs.shown, []*Tab{side.Tab}) || !home.dialogs.Has(c.page) {
		t.Errorf("%d tabs are shown; the page is open: %t", len(tabs.shown), home.dialogs.Has(c.page))
	}
	side.events(
		test.At(conversation.PromptSent{}, side.clock), conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "It is done."},
		conversation.Update{Session: "s", Update: &acpclient.UsageUpdate{Used: 1, Size: 2, Cost: &acpclient.Cost{Amount: 0.75, Currency: "USD"}}},
		test.At(conversation.TurnEnded{Reason: acpclient.StopEndTurn}, side.clock),
		conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1}}, Paused: true},
	)
	if s := c.Seat(0); s.Spent.Cost == nil || s.Spent.Cost.Amount != 0.75 {
		t.Errorf("it has spent %+v", s.Spent)
	}
	tabs.all = tabs.all[:1]
	if s := c.Seat(0); s != nil {
		t.Errorf("the side has a tab: %+v", s)
	}
	if was := c.Past(0); was.Ending.How != conversation.EndedWell || !slices.Contains(was.Last, "It is done.") || was.Spent.Cost.Amount != 0.75 || was.Queued != 1 {
		t.Errorf("what is left of it is %+v", was)
	}
}

// A comparison that begins in a worktree compares in the directory that it was made for.
func TestAComparisonFromAWorktree(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.program.Launcher = &app.Launcher{Config: &config.Config{}}
	f := &compareForm{t: b.Tab, prompt: "sing", entrants: slices.Repeat([]compare.Entrant{{Word: "a"}}, 2)}
	if got := f.options().Dir; got != b.cwd {
		t.Errorf("it begins in %q", got)
	}
	dir, tree := project(t)
	if b.cwd, b.worktree = tree.Path, tree; f.options().Dir != dir {
		t.Errorf("from a worktree it begins in %q", f.options().Dir)
	}
}

// opensTabs is a row of tabs in which others open.
type opensTabs struct {
	tabsOf
	of *bench
}

func (o *opensTabs) Open(s app.Spec) (*Tab, tea.Cmd) {
	n := New(ID(len(o.all)+10), o.of.program, s.Cwd)
	n.program.Tabs = o
	o.all = append(o.all, n)
	return n, n.Open(s)
}

// A comparison that was killed as it set up its worktrees says so when it is found, and sends the prompt
// only if the user wants it. A side that had the prompt does not get it again.
func TestAComparisonThatWasKilledAsItBegan(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *bench, c *compare.Comparison)
		press  string // an answer, "" if nothing is asked
		sent   []string
		draft  string // of the second side once it is opened
	}{
		"sent":         {func(*bench, *compare.Comparison) {}, "s", []string{"sing", "sing"}, ""},
		"kept":         {func(*bench, *compare.Comparison) {}, "k", nil, "sing"},
		"one had it":   {func(b *bench, c *compare.Comparison) { storedIDs(b.t, b.program.Stored, c.Sides[0].Dir, "sing") }, "s", []string{"sing"}, ""},
		"all were set": {func(b *bench, c *compare.Comparison) { prepared(b.t, c) }, "", nil, ""},
		"written for a slow agent": {func(b *bench, c *compare.Comparison) {
			prepared(b.t, c)
			b.keepsIn(b.t, c.Sides[1].Dir, "sing, all of it")
		}, "s", []string{"sing, all of it"}, ""},
		"several prompts": {func(b *bench, c *compare.Comparison) {
			prepared(b.t, c)
			d := b.program.Stored.NewDraft(c.Sides[1].Dir)
			first := conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("sing")}}
			if err := d.Save(store.View{Draft: "dance", Unsent: &store.Unsent{Prompts: []store.UnsentPrompt{{Prompt: first}}}}); err != nil {
				b.t.Fatal(err)
			}
			d.Leave()
		}, "s", []string{"sing", "dance"}, ""},
		"another text behind it": {func(b *bench, c *compare.Comparison) {
			prepared(b.t, c)
			for i, text := range []string{"sing", "sing\n\nhalf a thought"} {
				b.keepsIn(b.t, c.Sides[i].Dir, text)
			}
		}, "s", []string{"sing"}, "sing\n\nhalf a thought"},
		"long": {func(b *bench, c *compare.Comparison) { c.Prompt = strings.Repeat("la ", 681) + "…" }, "k", nil, strings.Repeat("la ", 681) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := test.New(t, map[string]string{"poem.txt": "one\n"})
			entrants := []compare.Entrant{{Word: "a", Agent: config.Agent{ID: "a"}}, {Word: "b", Agent: config.Agent{ID: "b"}}}
			made, err := compare.Begin(t.Context(), compare.Options{Config: &config.Config{}, Dir: dir, Prompt: "sing", Entrants: entrants})
			if err != nil {
				t.Fatal(err)
			}
			b, _ := newStored(t)
			b.t, b.rows, b.drafts.library = t, 60, b.program.Stored
			tabs := &opensTabs{of: b, tabsOf: tabsOf{all: []*Tab{b.Tab}}}
			b.program.Tabs = tabs
			c.change(b, made)
			all := b.newComparison(made)
			b.dialogs.PushBelow(all.page)
			all.readPast()().(then)()
			if c.press == "" {
				b.mustNotShow(t, "was not sent")
				return
			}
			b.mustShow(t, "The prompt was not sent", "ended while it set up", "Send it", "Keep it")
			if name == "long" {
				b.mustShow(t, "only its beginning was noted")
			}
			b.clock = b.clock.Add(time.Minute)
			b.draw()
			b.press(c.press, "enter")
			var sent []string
			for _, n := range tabs.all[1:] {
				for _, q := range n.prompts.held {
					sent = append(sent, app.PromptLine(q))
				}
			}
			if !slices.Equal(sent, c.sent) {
				t.Errorf("sent was %q", sent)
			}
			if c.draft != "" {
				b.mustShow(t, "The prompt was not sent.")
				run(b.Tab, b.address(b.acting.do(func() { all.Open(1) })), func() {})
				if n := all.tab(1); n == nil || n.composer.Text() != c.draft {
					t.Errorf("the tab of the side is %+v", n)
				}
			}
		})
	}
}

// prepared notes that the worktrees of a comparison were set up.
func prepared(t *testing.T, c *compare.Comparison) {
	t.Helper()
	for _, s := range c.Sides {
		done, err := s.Tree.Preparing(t.Context())
		if err == nil {
			err = done(false, "", false)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Tree = git.WorktreeAt(s.Tree.Path)
	}
}

// A side whose worktree is not dropped goes on as it was, unless it has ended for that. A host that has gone
// by itself leaves one that can be opened again.
func TestASideThatIsNotDropped(t *testing.T) {
	for name, of := range map[string]struct {
		tries, gone bool
		want        string
	}{
		"not its turn yet": {},
		"ended for it":     {tries: true, want: "its agent was stopped"},
		"gone before":      {tries: true, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			tree := &git.Worktree{Path: t.TempDir()}
			b := newBench(t, t.TempDir())
			s := &keptSession{Session: newSession(b.cwd, noMachine{})}
			b.has(s)
			b.opens()
			b.program.Tabs = tabsOf{all: []*Tab{b.Tab}}
			c := b.newComparison(&compare.Comparison{Sides: []*compare.Side{{Name: "agent", Tree: tree}}})
			c.tabs[0] = b.Tab
			if of.gone {
				b.events(conversation.AgentLost{Err: app.ErrGone})
			}
			drop, after := c.Drop(0)
			if b.stored.readOnly != "its worktree is being dropped" {
				t.Errorf("while it is dropped: %q", b.stored.readOnly)
			}
			if of.tries {
				if err := drop(t.Context()); err == nil {
					t.Error("what is no worktree was dropped")
				}
				s.gone = true
			}
			if after(false); b.stored.readOnly != of.want {
				t.Errorf("%q, want %q", b.stored.readOnly, of.want)
			}
		})
	}
}
