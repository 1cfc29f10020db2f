package pages

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/policy"
	"parley/internal/test"
	"parley/tui/dialog"
)

// judge looks at a comparison of three agents.
type judge struct {
	*desk
	c         *compare.Contest
	view      *Compare
	overviews []app.Overview
	past      [3]app.Overview // of sides without a tab
	looks     int             // at seats
	now       time.Time
	did       []string // what the page asked of its host
	check     compare.Checked
	rules     []policy.Rule
	dropFails error
}

func newJudge(t *testing.T, check string) *judge {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, _ := test.New(t, map[string]string{"poem.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n", "old.txt": "old\n"})
	var entrants []compare.Entrant
	for _, id := range []string{"alpha", "beta", "gamma"} {
		entrants = append(entrants, compare.Entrant{Word: id, Agent: config.Agent{ID: id, Name: id}})
	}
	c, err := compare.Begin(t.Context(), compare.Options{Config: &config.Config{}, Dir: dir, Prompt: "Sing \x1b[31mloud", Check: check, Entrants: entrants})
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{desk: &desk{TB: t, width: 160, height: 30}, overviews: make([]app.Overview, 3), now: c.Began.Add(time.Minute)}
	j.follow(c)
	return j
}

// follow shows a comparison.
func (j *judge) follow(c *compare.Comparison) {
	j.c = compare.NewContest(c)
	j.c.Run = func(context.Context, int) (compare.Checked, error) { return j.check, nil }
	env := j.env()
	env.Now = func() time.Time { return j.now }
	j.view = NewCompare(env, j, j.c)
	j.desk.view = j.view
}

func (j *judge) does(what string, side int) { j.did = append(j.did, what+" "+j.c.Sides[side].Name) }

func (j *judge) Seat(side int) *command.Seat {
	j.looks++
	if j.past[side].Ending.How != "" {
		return nil
	}
	return &command.Seat{
		Overview: j.overviews[side], Place: fmt.Sprint("tab ", side+2), Go: func() { j.does("go to", side) },
		Answer: func() { j.does("answer", side) },
	}
}
func (j *judge) Past(side int) *app.Overview { return &j.past[side] }
func (j *judge) SendAll()                    { j.did = append(j.did, "send to all") }
func (j *judge) Open(side int)               { j.does("open", side) }
func (j *judge) Stop(side int)               { j.does("stop", side) }
func (j *judge) CommitAndMerge(ctx context.Context, side int, message string, drop func()) (app.Outcome, error) {
	return (&app.Launcher{Config: &config.Config{}}).CommitAndMerge(ctx, j.c.Sides[side].Tree, message, drop)
}

func (j *judge) Merger() compare.Merger {
	l := &app.Launcher{Config: &config.Config{}}
	l.Rules = j.rules
	return j.c.Journal(l)
}

func (j *judge) Drop(side int) (drop func(context.Context) error, after func(bool)) {
	drop = func(ctx context.Context) error {
		if j.dropFails != nil {
			return j.dropFails
		}
		_, err := j.c.Sides[side].Tree.Drop(ctx)
		return err
	}
	return drop, func(dropped bool) { j.does(map[bool]string{true: "close", false: "keep"}[dropped], side) }
}

// press presses keys and returns the screen.
func (j *judge) press(keys ...string) string {
	j.Helper()
	j.screen()
	j.strike(keys...)
	return j.screen()
}

// choose answers the question that is open, and returns the screen.
func (j *judge) choose(name string) string {
	j.Helper()
	j.answer(name)
	return j.screen()
}

// ended ends the turn of a side.
func (j *judge) ended(side int) {
	j.view.Ended(side)
	j.work()
}

func (j *judge) put(side int, name, text string) {
	j.Helper()
	path := filepath.Join(j.c.Sides[side].Tree.Path, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		j.Fatal(err)
	}
}

// there returns a file of the working tree.
func (j *judge) there(name string) string {
	j.Helper()
	b, err := os.ReadFile(filepath.Join(j.c.Dir, name))
	if err != nil {
		return ""
	}
	return string(b)
}

func (j *judge) wants(screen string, words ...string) {
	j.Helper()
	for _, w := range words {
		if !strings.Contains(screen, w) {
			j.Errorf("the screen lacks %q:\n%s", w, screen)
		}
	}
}

// worked lets two sides change the same file, and one of them more.
func (j *judge) worked() {
	j.Helper()
	j.put(0, "poem.txt", "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nNINE\n")
	j.put(1, "poem.txt", "eins\ntwo\nthree\nfour\nFIVE\nsix\nseven\neight\nnine\n")
	j.put(1, "new.txt", "new\n")
	for i := range j.overviews {
		j.ended(i)
	}
}

// The sides are shown at every size: what each does, since when, what it has changed and
// cost, and what the check says.
func TestCompareShowsTheSides(t *testing.T) {
	j := newJudge(t, "make test")
	j.overviews[0] = app.Overview{
		Standing: conversation.StandingWorking, Working: true, Since: j.now.Add(-65 * time.Second), Step: "2/3 Rewrite it",
		Progress: conversation.Progress{Done: 1, All: 3}, Last: []string{"I think", "it is done \x1b[2Jsoon"},
		Spent: conversation.Spent{Tokens: 12300, Cost: &acpclient.Cost{Amount: 0.31, Currency: "USD"}},
	}
	j.overviews[1] = app.Overview{Standing: conversation.StandingAsks, Waiting: 1, Since: j.now.Add(-2 * time.Second)}
	j.overviews[2] = app.Overview{Standing: conversation.StandingDone, Since: j.now, Ending: conversation.Ending{How: conversation.EndedWell, Seconds: 42}}
	for _, size := range [][2]int{{160, 50}, {120, 40}, {80, 24}, {60, 20}, {40, 12}} {
		j.width, j.height = size[0], size[1]
		s := j.screen()
		j.wants(s, "alpha", "beta", "gamma")
		if size[0] < 60 {
			continue
		}
		j.wants(s, "Compare", "asks 1", "working", "waits for your answer", "finished after 42s", "12.3k tokens", "$0.31", "not checked", "no changes")
		if size[1] > 20 {
			j.wants(s, "2/3 Rewrite it", "it is done", "soon", "1m 05s")
		}
	}
	j.check = compare.Checked{Why: "exit code 2", Output: "a\nTestSong failed"}
	j.worked()
	j.width, j.height = 160, 40
	j.wants(j.press("right", "right"), "check failed: exit code 2", "1 file +2 −2", "2 files +3 −2", "check: TestSong failed")
	j.check = compare.Checked{Passed: true}
	j.wants(j.press("c"), "check passed")
	j.wants(j.press("left", "left", "c"), "alpha is still working")
}

// Text that is typed on the page, such as a command of the prompt, presses none of its keys.
func TestCompareTakesNoText(t *testing.T) {
	j := newJudge(t, "make test")
	j.check = compare.Checked{Passed: true}
	j.worked()
	j.write("/compare me")
	j.strike("enter")
	if j.asked != nil || len(j.did) > 0 || j.view.diffs != nil {
		t.Errorf("asked %+v, did %q", j.asked, j.did)
	}
	j.write("z")
	j.wants(j.screen(), "z does nothing here")
	if j.now = j.now.Add(hintTime); strings.Contains(j.screen(), "does nothing here") {
		t.Error("the hint stays")
	}
	if j.press("m"); j.asked == nil {
		t.Error("a key after the text does nothing")
	}
}

// A frame sums each side up once: while one works there are many frames.
func TestCompareSumsUpOncePerFrame(t *testing.T) {
	j := newJudge(t, "")
	j.screen()
	j.view.Hints()
	if j.looks != 3 {
		t.Errorf("%d overviews for a frame of 3 sides", j.looks)
	}
}

// A check that does not end can be stopped; it runs again where the agent has worked meanwhile, and
// no more in a worktree that is dropped.
func TestCompareStopsACheck(t *testing.T) {
	j := newJudge(t, "make test")
	began, running := make(chan struct{}), false
	j.c.Run = func(ctx context.Context, _ int) (compare.Checked, error) {
		running = true
		began <- struct{}{}
		<-ctx.Done()
		running = false
		return compare.Checked{Why: context.Cause(ctx).Error()}, nil
	}
	// start begins the check, or goes on with it.
	start := func() <-chan func() {
		job := j.jobs[0]
		j.jobs = nil
		ended := make(chan func(), 1)
		go func() { ended <- job(t.Context()) }()
		<-began
		return ended
	}
	j.c.RunCheck(0)
	ended := start()
	j.wants(j.press("c"), "check runs", "the check is running; s stops it")
	j.press("s")
	if (<-ended)(); len(j.jobs) > 0 {
		t.Error("a stopped check runs again")
	}
	j.wants(j.screen(), "check failed: stopped")

	j.c.RunCheck(0)
	ended = start()
	j.ended(0)
	if (<-ended)(); len(j.jobs) == 0 {
		t.Fatal("what the agent has done meanwhile is not checked")
	}
	ended = start()
	j.view.dropAll([]int{0})
	j.work()
	if running {
		t.Error("the check still runs in the worktree")
	}
	if (<-ended)(); len(j.jobs) > 0 {
		t.Error("a check runs in the dropped worktree")
	}
	j.wants(j.screen(), "dropped 1 worktree")
}

// What the check writes is not the agent's, however often it is read: it is not merged.
func TestCompareKeepsNothingOfTheCheck(t *testing.T) {
	j := newJudge(t, "make test")
	j.put(0, "poem.txt", "ONE\n")
	j.c.Run = func(context.Context, int) (compare.Checked, error) {
		j.put(0, "poem.txt", "ONE\nchecked\n")
		j.put(0, "coverage.out", "100%\n")
		return compare.Checked{Passed: true}, nil
	}
	j.ended(0)
	j.view.Open()
	j.work()
	j.wants(j.press("c"), "check passed", "1 file +1 −9")
	j.press("m")
	j.choose("Merge into the working tree, not committed")
	if got := j.there("poem.txt") + j.there("coverage.out"); got != "ONE\n" {
		t.Errorf("there is %q", got)
	}
	j.put(0, "coverage.out", "by hand\n")
	j.view.Open()
	j.work()
	j.wants(j.screen(), "2 files +2 −9")
	// Of what it writes while the agent works nobody knows that.
	j.c.Run = func(context.Context, int) (compare.Checked, error) {
		j.c.Works(0)
		j.put(0, "poem.txt", "TWO\n")
		return compare.Checked{Passed: true}, nil
	}
	j.press("c")
	j.view.Open()
	j.work()
	if got := *j.c.States[0].Changed.Named("poem.txt").New; got != "TWO\n" {
		t.Errorf("it has changed the poem to %q", got)
	}
}

// The check of a comparison that was found may be from anybody: it runs once the user has seen it.
func TestCompareShowsACheckThatWasFound(t *testing.T) {
	j := newJudge(t, "make \x1b[31mtest")
	j.c.Found = true
	j.follow(j.c.Comparison)
	j.check = compare.Checked{Passed: true}
	j.ended(0)
	j.wants(j.press("c"), "not checked")
	if j.asked == nil || !strings.Contains(j.asked.Text, "make ␛[31mtest") {
		t.Fatalf("asked %+v", j.asked)
	}
	j.choose("Run it")
	j.wants(j.screen(), "check passed")
	j.ended(1)
	if strings.Count(j.screen(), "check passed") != 2 {
		t.Error("it does not run after another turn")
	}
}

// A side that has done nothing yet has not finished after a time.
func TestCompareOfAnIdleSide(t *testing.T) {
	j := newJudge(t, "")
	j.overviews[0] = app.Overview{Standing: conversation.StandingIdle, Since: j.now}
	if s := j.screen(); !strings.Contains(s, "idle") || strings.Contains(s, "idle after") {
		t.Errorf("the screen is\n%s", s)
	}
}

// How a turn has ended stays, with why it failed, also when the user has looked at it. What waits for the
// user shows its question.
func TestCompareSaysHowATurnEnded(t *testing.T) {
	j := newJudge(t, "")
	for i, how := range []string{conversation.EndedWell, conversation.EndedByUser, conversation.EndedBadly} {
		j.overviews[i] = app.Overview{Since: j.now, Ending: conversation.Ending{How: how, Seconds: 25}}
	}
	j.overviews[2].Ending.Why = "out of \x1b[31mrhymes"
	prepared, err := j.c.Sides[0].Tree.Preparing(t.Context())
	if err == nil {
		err = prepared(true, "exit code 7", false)
	}
	if err != nil {
		t.Fatal(err)
	}
	j.view.Open()
	j.work()
	j.shows("setup failed: exit code 7")
	for _, width := range []int{160, 80} {
		j.width = width
		j.shows("✓ alpha  finished after 25s", "· beta  cancelled after 25s", "✗ gamma", "failed after 25s: out of rhymes")
	}
	j.overviews[0] = app.Overview{Standing: conversation.StandingAsks, Since: j.now, Ending: j.overviews[2].Ending, Question: "5-hour limit reached", AtLimit: true}
	j.overviews[1] = app.Overview{Standing: conversation.StandingLost, Since: j.now, Gone: true, Ending: conversation.Ending{How: conversation.EndedBadly, Why: "exit status 3"}}
	j.past[2] = app.Overview{Ending: conversation.Ending{How: conversation.EndedWell, Seconds: 25}, Last: []string{"It is done."}, Spent: conversation.Spent{Tokens: 12300}}
	j.shows("not open, finished after 25s", "It is done.", "12.3k tokens")
	j.past[2].Queued = 1
	j.shows("not open, 1 prompt queued", "It is done.")
	j.past[2].Queued = 0
	j.shows("asks 1", "? alpha", "waits for you: the plan's limit is reached", "5-hour limit reached", "the agent has exited: exit status 3")
	for _, want := range []bool{true, false} { // while there is anybody to prompt
		if j.screen(); strings.Contains(fmt.Sprint(j.view.Hints()), "prompt all") != want {
			t.Errorf("the hints are %v", j.view.Hints())
		}
		j.past[0], j.past[1] = j.past[2], j.past[2]
	}
}

// All rows are used, also below each other.
func TestCompareUsesAllRows(t *testing.T) {
	j := newJudge(t, "")
	j.width, j.height = 100, 40
	for i := range j.overviews {
		j.overviews[i].Last = strings.Split(strings.Repeat("line\n", 29)+"line", "\n")
	}
	if n := strings.Count(j.screen(), "line\n"); n < 24 {
		t.Errorf("only %d lines of the sides are shown", n)
	}
}

// One that waits for more than an answer, such as a sign-in, is gone to.
func TestCompareGoesToWhatWaits(t *testing.T) {
	j := newJudge(t, "")
	j.overviews[0].Standing = conversation.StandingAsks
	if j.press("a"); len(j.did) != 1 || j.did[0] != "answer alpha" {
		t.Errorf("did %q", j.did)
	}
}

// The last merge can be undone when its worktree is gone, and words say what was not done.
func TestCompareUndoesAfterADrop(t *testing.T) {
	j := newJudge(t, "")
	j.worked()
	j.press("m")
	j.choose("Merge into the working tree, not committed")
	j.view.dropAll([]int{0, 1, 2})
	j.work()
	poem := filepath.Join(j.c.Dir, "poem.txt")
	merged, err := os.ReadFile(poem)
	if err != nil || os.WriteFile(poem, []byte("mine\n"), 0o600) != nil {
		t.Fatal(err)
	}
	j.wants(j.press("u"), "nothing was undone: the same lines have changed")
	if err := os.WriteFile(poem, merged, 0o600); err != nil {
		t.Fatal(err)
	}
	j.wants(j.press("u"), "undid the merge")

	j = newJudge(t, "")
	if err := os.RemoveAll(filepath.Join(j.c.Sides[0].Tree.Path, ".git")); err != nil {
		t.Fatal(err)
	}
	j.view.askToDrop("Drop it?", []int{0})
	j.work()
	if len(j.told) != 1 || !strings.HasPrefix(j.told[0], "No worktree was dropped: ") {
		t.Errorf("told %q", j.told)
	}
}

// What a side changes while its changes are being read is read, too.
func TestCompareReadsAgain(t *testing.T) {
	j := newJudge(t, "")
	j.view.Open()
	read := j.jobs[0](t.Context()) // before the change
	j.put(0, "poem.txt", "ONE\n")
	j.jobs = nil
	j.ended(0)
	read()
	j.work()
	j.wants(j.screen(), "1 file +1 −9")
}

// What is asked of the marked side goes to its tab, or is said to be impossible.
func TestCompareActsOnTheMarkedSide(t *testing.T) {
	j := newJudge(t, "")
	j.overviews[0].Working, j.overviews[1].Waiting = true, 1
	j.wants(j.press("a"), "alpha asks nothing")
	j.wants(j.press("c"), "this comparison has no check")
	j.wants(j.press("m"), "alpha is still working")
	j.wants(j.press("tab"), "first show the differences: d")
	j.press("enter", "s", "right", "a")
	j.wants(j.press("s"), "beta is not working")
	j.wants(j.press("u"), "nothing was merged since parley began")
	j.wants(j.press("right", "d"), "none of them has changed anything")
	j.wants(j.press("m"), "gamma has changed nothing")
	if got := strings.Join(j.did, ", "); got != "go to alpha, stop alpha, answer beta" {
		t.Errorf("the host did: %s", got)
	}
	if a := j.view.Key(pressed("q")); a != (dialog.Close{}) {
		t.Errorf("q does %T", a)
	}
}

// Hunks and files of two sides are marked and merged; what conflicts is said and stays marked,
// and a merge can be undone.
func TestCompareKeepsParts(t *testing.T) {
	j := newJudge(t, "")
	j.worked()
	s := j.press("d")
	j.wants(s, "poem.txt", "file 2 of 2", "alpha", "beta", "ONE", "eins", "change 1 of 2")
	j.wants(j.press("space"), "1 marked", "■")
	j.wants(j.press("m"), "merged poem.txt of alpha", "u undoes it", "✓")
	if got := j.there("poem.txt"); !strings.HasPrefix(got, "ONE\n") || !strings.HasSuffix(got, "nine\n") {
		t.Errorf("there is %q", got)
	}
	// Of the other, the first change conflicts.
	j.wants(j.press("tab", "f"), "whole file")
	j.wants(j.press("m"), "nothing was merged: the same lines have changed in the working tree: poem.txt", "1 marked")
	if got := j.there("poem.txt"); strings.Contains(got, "FIVE") {
		t.Errorf("there is %q", got)
	}
	// All but that one fit. The cursor is on the first change.
	j.wants(j.press("]"), "change 2 of 2")
	j.wants(j.press("]"), "there are no more changes")
	j.wants(j.press("[", "space", "p", "space"), "new.txt", "2 marked")
	j.wants(j.press("m"), "merged 2 files of beta")
	if got := j.there("poem.txt") + j.there("new.txt"); got != "ONE\ntwo\nthree\nfour\nFIVE\nsix\nseven\neight\nnine\nnew\n" {
		t.Errorf("there is %q", got)
	}
	j.wants(j.press("u"), "undid the merge of 2 files of beta")
	j.wants(j.press("u"), "undid the merge of poem.txt of alpha")
	if got := j.there("poem.txt"); !strings.HasPrefix(got, "one\ntwo\nthree\nfour\nfive") || j.there("new.txt") != "" {
		t.Errorf("there is %q", got)
	}
	// A pane shows any side; a narrow window shows one.
	j.wants(j.press("n", "right"), "gamma", "not changed")
	j.wants(j.press("space"), "gamma has not changed this file")
	j.width = 60
	if s := j.press("left"); strings.Contains(s, "ONE") || !strings.Contains(s, "eins") {
		t.Errorf("a narrow window shows:\n%s", s)
	}
	j.press("o")
	j.wants(j.press("q"), "no changes")
	if len(j.edited) != 1 || !strings.HasPrefix(j.edited[0], "poem.txt:") {
		t.Errorf("edited %q", j.edited)
	}
}

// The differences stay where the user is when an agent ends a turn, wherever it has worked.
func TestCompareStaysAtAChange(t *testing.T) {
	j := newJudge(t, "")
	j.worked()
	j.wants(j.press("d", "]"), "change 2 of 2")
	j.ended(2)
	j.wants(j.screen(), "change 2 of 2")
	j.put(0, "other.txt", "more\n")
	j.ended(0)
	j.wants(j.screen(), "change 2 of 2", "poem.txt", "file 3 of 3")
	j.wants(j.press("tab"), "change 1 of 2")
}

// A mark is of what the user saw: it goes when the agent changes the file once more.
func TestCompareUnmarksWhatChanges(t *testing.T) {
	j := newJudge(t, "")
	j.worked()
	j.press("d", "space", "m")
	j.wants(j.press("space"), "1 marked", "✓", "■")
	j.put(0, "poem.txt", "zero\none\ntwo\nthree\nfour\nfive\nsix\nsieben\neight\nNINE\n")
	j.ended(0)
	if s := j.screen(); strings.Contains(s, "marked") || strings.Contains(s, "✓") || strings.Contains(s, "■") {
		t.Errorf("changes that the user has not seen are marked:\n%s", s)
	}
}

// All of a side is merged into the working tree, or as worktrees are merged.
func TestCompareKeepsAll(t *testing.T) {
	j := newJudge(t, "")
	j.worked()
	j.press("right", "m")
	j.wants(j.choose("Merge into the working tree, not committed"), "merged 2 files of beta")
	if got := j.there("poem.txt") + j.there("new.txt"); !strings.HasPrefix(got, "eins\n") || !strings.HasSuffix(got, "new\n") {
		t.Errorf("there is %q", got)
	}
	j.press("m")
	j.wants(j.choose("Merge into the working tree, not committed"), "the working tree already has these changes")
	j.press("u", "m")
	if last := j.asked.Choices[1]; last.More != `as "Sing loud"` {
		t.Errorf("it offers %+v", last)
	}
	j.wants(j.choose("Commit, and merge into main"), "Merged 1 commit into main")
	if got := j.there("poem.txt") + j.there("new.txt"); j.asked != nil || !strings.HasPrefix(got, "eins\n") || !strings.HasSuffix(got, "new\n") {
		t.Errorf("there is %q, asked %+v", got, j.asked)
	}
	j.wants(j.press("u"), "the merge of beta is committed in main: undo it with git")
	j.wants(j.press("u"), "nothing was merged since parley began")

	// Commits that were not merged hide no merge that can be undone.
	j = newJudge(t, "")
	j.worked()
	j.press("m")
	j.choose("Merge into the working tree, not committed")
	j.put(2, ".envrc", "asks\n")
	j.ended(2)
	j.press("right", "right", "m")
	if j.choose("Commit, and merge into main"); j.asked == nil {
		t.Fatal("it merges what a write would ask about")
	}
	j.wants(j.press("u"), "undid the merge of poem.txt of alpha")
}

// A merge asks about files that a write would ask about, by name, and leaves out what a rule denies.
func TestCompareAsksAboutWhatAWriteAsks(t *testing.T) {
	j := newJudge(t, "")
	r, err := policy.Parse("deny edit(denied.txt)")
	if err != nil {
		t.Fatal(err)
	}
	j.rules = append(j.rules, r)
	j.worked()
	for _, name := range []string{".envrc", "denied.txt"} {
		j.put(1, name, "secret\n")
	}
	j.ended(1)
	j.press("right")
	for _, c := range []struct{ answer, there string }{
		{"Do nothing", ""},
		{"Merge the others", "new\n"},
		{"Merge them too", "new\nsecret\n"},
	} {
		j.press("m")
		j.choose("Merge into the working tree, not committed")
		if j.asked == nil {
			t.Fatal("nothing was asked")
		}
		j.wants(j.asked.Text, ".envrc (it may hold secrets)", "denied.txt (denied by deny edit(denied.txt))")
		j.choose(c.answer)
		if got := j.there("new.txt") + j.there(".envrc") + j.there("denied.txt"); got != c.there {
			t.Errorf("%s: there is %q", c.answer, got)
		}
	}
}

// A changed mode is a change, and files beyond those that are shown count.
func TestCompareModesAndManyFiles(t *testing.T) {
	j := newJudge(t, "")
	if err := os.Chmod(filepath.Join(j.c.Sides[0].Tree.Path, "poem.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range j.overviews {
		j.ended(i)
	}
	j.wants(j.press("d"), "now executable", "file 1 of 1")
	j.c.States[0].Changed.More = 699
	j.wants(j.press("n"), "file 1 of 700", "parley shows 1 of 700 changed files; parley worktree diff shows all")
	j.press("m")
	j.wants(j.asked.Text, "700 files", "at most 500 files at once", "parley worktree merge "+j.c.Sides[0].Tree.Name+" -m MESSAGE")
}

// Worktrees are dropped after a question that lists what would be lost.
func TestCompareDrops(t *testing.T) {
	j := newJudge(t, "")
	j.worked()
	for i := range j.overviews {
		j.overviews[i].Spent.Cost = &acpclient.Cost{Amount: 0.25, Currency: "USD"}
	}
	j.press("right", "x")
	j.choose("All but that of beta")
	if j.asked == nil || !strings.Contains(j.asked.Text, "alpha, the worktree "+j.c.Sides[0].Tree.Name+":\nNot merged: 1 file changed") || strings.Contains(j.asked.Text, "beta") ||
		!strings.Contains(j.asked.Text, "gamma, the worktree "+j.c.Sides[2].Tree.Name+": nothing that is not merged") {
		t.Fatalf("asked %+v", j.asked)
	}
	if last := j.asked.Choices[1]; !last.Risky {
		t.Error("one key drops them")
	}
	j.screen()
	for _, i := range []int{0, 2} { // their tabs are closed
		j.past[i] = app.Overview{Ending: conversation.Ending{How: conversation.EndedWell}, Spent: j.overviews[i].Spent}
	}
	j.wants(j.choose("Drop"), "dropped 2 worktrees", "refs/parley/dropped", "$0.75")
	if found, err := compare.Find(t.Context(), &config.Config{}, j.c.Dir); err != nil || len(found) != 1 || len(found[0].Sides) != 1 {
		t.Errorf("there is %+v, %v", found, err)
	}
	j.wants(j.press("left", "m"), "alpha was dropped")
	if got := strings.Join(j.did, ", "); got != "close alpha, close gamma" {
		t.Errorf("the host did: %s", got)
	}
	j.dropFails = errors.New("it is in use")
	j.press("right", "x")
	j.choose("That of beta")
	j.choose("Drop")
	if j.did[len(j.did)-1] != "keep beta" {
		t.Errorf("the host did: %s", j.did)
	}
	if len(j.told) != 1 || !strings.Contains(j.told[0], "it is in use") || git.WorktreeAt(j.c.Sides[1].Tree.Path) == nil {
		t.Errorf("told %q", j.told)
	}
}

func TestCompareByMouse(t *testing.T) {
	j := newJudge(t, "")
	j.worked()
	click := func(x, y int) {
		j.screen()
		j.view.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft, X: x, Y: y}, x, y)
	}
	click(60, 3)
	click(60, 3)
	j.width = 60
	click(4, 2)
	click(4, 2)
	j.width = 160
	j.press("d")
	click(100, 5)
	j.wants(j.press("f"), "1 marked")
	if got := strings.Join(j.did, ", "); got != "go to beta, go to alpha" || j.view.diffs.active != 1 {
		t.Errorf("the host did: %s", got)
	}
}
