package tab

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/test"
	"parley/tui/composer"
)

// draftsBench is a tab without a session, with a library of sessions below dir.
func draftsBench(t *testing.T) (b *bench, dir string) {
	t.Helper()
	b, dir = newBench(t, t.TempDir()), t.TempDir()
	b.become(&unopened{b.Tab}, conversation.New())
	b.program.Stored = store.NewLibrary(store.New(dir))
	b.drafts.library = b.program.Stored
	return b, dir
}

// keptAs keeps a session as a log.
type keptAs struct {
	session.Recorder
	log store.ID
}

func (k keptAs) ID() store.ID { return k.log }

func (keptAs) Stores() bool { return true }

func (keptAs) Record([]conversation.Event) []conversation.Event { return nil }

func (keptAs) Close() {}

// stores gives the tab a session that is kept as a log, "" as long as there is none.
func (b *bench) stores(log store.ID) {
	b.has(newSession(b.cwd, noMachine{}, func(o *session.Options) { o.Recorder = keptAs{log: log} }))
}

// historyAt gives the tab a history in a file.
func (b *bench) historyAt(file string) {
	b.program.History = composer.NewHistory(file, b.cwd)
	*b.composer = *newComposer(b.Tab)
}

// historyIn gives the tab an empty history, and says in which file it is.
func (b *bench) historyIn(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "history")
	b.historyAt(file)
	return file
}

// again is the same tab, begun anew.
func (b *bench) again(t *testing.T) *bench {
	t.Helper()
	next := newBench(t, b.cwd)
	next.has(b.session())
	next.program, next.drafts.library = b.program, b.drafts.library
	return next
}

// keepsIn stores a draft for a directory, that of a tab that has ended.
func (b *bench) keepsIn(t *testing.T, dir, draft string) {
	t.Helper()
	d := b.program.Stored.NewDraft(dir)
	if err := d.Save(store.View{Draft: draft}); err != nil {
		t.Fatal(err)
	}
	d.Leave()
}

// kept returns the drafts in a store, those of living tabs too.
func kept(dir string) (all []string) {
	files, _ := filepath.Glob(filepath.Join(dir, "drafts", "*"))
	for _, file := range files {
		var v store.View
		if data, err := os.ReadFile(file); err == nil && json.Unmarshal(data, &v) == nil { // locks are empty
			all = append(all, v.Text())
		}
	}
	return all
}

// load loads the draft of the directory, as the program does.
func load(t *testing.T, b *bench) {
	t.Helper()
	switch msg := b.drafts.Load()().(type) {
	case nil:
	case then:
		msg()
	default:
		t.Fatalf("%#v", msg)
	}
}

func key() tea.Msg { return tea.KeyPressMsg{Code: 'x', Text: "x"} }

// A kill takes no more of a draft than what was typed in the last 200 ms.
func TestADraftIsSavedWhileItIsTyped(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		dir := t.TempDir()
		b.program.Stored = store.NewLibrary(store.New(dir))
		b.drafts.library = b.program.Stored
		b.stores("")
		for _, typed := range []string{"f", "fi", "fix"} {
			b.Do(b.Update(keyPress(typed[len(typed)-1:])))
			time.Sleep(200 * time.Millisecond)
			b.Do(nil)
			if drafts := kept(dir); !slices.Equal(drafts, []string{typed}) {
				t.Fatalf("kept after 200 ms is %q, want %q", drafts, typed)
			}
		}
	})
}

// What was typed in a session in which nothing was said comes back in the next one of the
// directory; what was sent does not.
func TestADraftComesBack(t *testing.T) {
	b, dir := draftsBench(t)
	b.stores("")
	b.composer.SetText("fix the parser")
	b.drafts.saveLast()()

	again := b.again(t)
	load(t, again)
	if got := again.composer.Text(); got != "fix the parser" {
		t.Fatalf("the prompt has %q", got)
	}
	again.composer.SetText("") // it is sent
	again.stores("log")
	again.drafts.Touched(key())()
	if drafts := kept(dir); len(drafts) > 0 {
		t.Errorf("kept is still %q", drafts)
	}
}

// The draft of a directory that came back with a session of it is forgotten, too, once it
// was sent there.
func TestADraftComesBackWithASession(t *testing.T) {
	b, dir := draftsBench(t)
	log := storedIDs(t, b.program.Stored, b.cwd, "go")[0]
	b.stores(log)
	b.keepsIn(t, b.cwd, "fix the parser")
	if load(t, b); b.composer.Text() != "fix the parser" {
		t.Fatalf("the prompt has %q", b.composer.Text())
	}
	b.composer.SetText("") // it is sent
	b.drafts.saveLast()()
	if drafts := kept(dir); len(drafts) > 0 {
		t.Errorf("kept is still %q", drafts)
	}
}

// Each tab's draft is kept, and prompts that waited for a session are separate ones: after a kill, the first
// tab has the newest, with its prompts in a paused queue, and says that there are more; a new tab has the next.
func TestEveryDraftComesBack(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		dir := t.TempDir()
		lib := store.NewLibrary(store.New(dir))
		begin := func() *bench {
			next := &bench{t: t, came: make(chan tea.Msg, 100), columns: 100, rows: 40, wire: &wire{}}
			next.make(t.Context(), b.cwd, time.Now)
			next.Show()
			next.program.Stored, next.drafts.library = lib, lib
			next.become(&unopened{next.Tab}, conversation.New())
			return next
		}
		saves := func(b *bench) {
			b.Do(b.drafts.Touched(key()))
			time.Sleep(2 * saveDelay)
			b.Do(nil)
			b.drafts.loose.Leave() // killed
		}
		one, two := begin(), begin()
		one.composer.SetText("half a thought")
		saves(one)
		time.Sleep(time.Second)
		two.Do(two.prompts.Submit(promptOf("look at it")))
		two.Do(two.prompts.Submit(promptOf("mend it")))
		two.composer.SetText("and then")
		saves(two)

		first, second := begin(), begin()
		first.Do(first.LoadDraft())
		first.MustSay("1 more unsent draft of this directory: ctrl+n brings one into a new tab")
		first.mustShow(t, "» paused: look at it", "» paused: mend it", "❯ and then")
		if second.Do(second.LoadDraft()); second.composer.Text() != "half a thought" {
			t.Errorf("the second tab has %q", second.composer.Text())
		}
		first.Do(first.prompts.Submit(promptOf("a new one")))
		first.has(newSession(b.cwd, noMachine{}))
		first.Do(first.open().next)
		first.prompts.held.Send(first.session())
		first.Do(nil)
		c := first.conv()
		if got := first.queued(); got != "a new one, look at it, mend it" || !c.QueuePaused || !c.Queue[0].Now || c.Queue[1].Now {
			t.Errorf("the session has %q, paused: %v", got, c.QueuePaused)
		}
	})
}

// A prompt that moves is stored where it goes before it is gone from where it was, whenever parley is killed.
func TestAPromptThatMovesIsStored(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) { // from the draft to those that wait for the session
		dir := t.TempDir()
		b.drafts.library = store.NewLibrary(store.New(dir))
		b.become(&unopened{b.Tab}, conversation.New())
		b.composer.SetText("look at it")
		b.drafts.Touched(key())
		b.composer.SetText("")
		b.Do(b.prompts.Submit(promptOf("look at it")))
		if save := b.drafts.Touched(key()); save == nil || save() != nil || !slices.Equal(kept(dir), []string{"look at it"}) {
			t.Errorf("kept are %q", kept(dir))
		}
		b.drafts.loose.Leave()
	})
	for draft, want := range map[string]string{"": "look at it", "and test": "look at it\n\nand test"} {
		runBench(t, func(t *testing.T, b *bench) { // from the queue to the draft
			lib := store.NewLibrary(store.New(t.TempDir()))
			log := storedIDs(t, lib, b.cwd, "go")[0]
			b.use(newSession(b.cwd, noMachine{}, func(o *session.Options) { o.Recorder = keptAs{log: log} }))
			b.drafts.library = lib
			b.Do(b.prompts.Submit(promptOf("look at it")))
			b.composer.SetText(draft)
			take := b.open().queue.takeBack(b.conv().Queue[0].ID, 1)
			touch := b.drafts.Touched(key()) // of the same key
			if take == nil {
				t.Fatal("it is taken at once")
			}
			taken := take()
			if touch != nil {
				touch()
			}
			if v, err := lib.View(log); v.Draft != want || err != nil || b.queued() != "look at it" || b.composer.Text() != draft {
				t.Fatalf("kept is %q, %v, the queue has %q", v.Draft, err, b.queued())
			}
			b.Do(taken.(then)())
			if v, err := lib.View(log); v.Draft != want || err != nil || b.queued() != "" || b.composer.Text() != want {
				t.Errorf("kept is %q, %v, the queue has %q, the draft %q", v.Draft, err, b.queued(), b.composer.Text())
			}
		})
	}
}

// What is kept is saved a while after a key, and not once for each.
func TestOneSavingForManyKeys(t *testing.T) {
	b, _ := draftsBench(t)
	b.stores("")
	b.composer.SetText("x")
	if b.drafts.Touched(key()) == nil || b.drafts.Touched(key()) != nil {
		t.Error("the second key does not wait for the first")
	}
	if b.drafts.Touched(tea.WindowSizeMsg{}) != nil {
		t.Error("nobody has touched anything")
	}
}

// Commands end in any order: what was sent does not come back as a draft because an older
// saving ended last.
func TestTheNewestSavingCounts(t *testing.T) {
	b, _ := draftsBench(t)
	log := storedIDs(t, b.program.Stored, b.cwd, "go")[0]
	b.stores(log)
	b.composer.SetText("fix the parser")
	older := b.drafts.save()
	b.composer.SetText("") // it is sent
	newer := b.drafts.Touched(key())
	newer()
	older()
	if v, err := b.program.Stored.View(log); v.Draft != "" || err != nil {
		t.Errorf("kept is %q, %v", v.Draft, err)
	}
}

// What is just being saved when the tab is closed is kept, whatever becomes of the command.
func TestClosingWaitsForWhatIsBeingSaved(t *testing.T) {
	b, _ := draftsBench(t)
	log := storedIDs(t, b.program.Stored, b.cwd, "go")[0]
	b.stores(log)
	b.composer.SetText("fix the parser")
	if b.drafts.save() == nil {
		t.Fatal("nothing is saved")
	}
	b.drafts.saveLast()()
	if v, err := b.program.Stored.View(log); v.Draft != "fix the parser" || err != nil {
		t.Errorf("kept is %q, %v", v.Draft, err)
	}
}

// looksOn is a session as it is for who only looks.
type looksOn struct{ app.Session }

func (s looksOn) About() app.About {
	a := s.Session.About()
	a.LookOn = true
	return a
}

// What other viewers of a session left unsent comes back one by one: the newest in the prompt and each other in the
// history. What cannot be kept there stays stored, and who only looks, or has gone on to another session, takes none.
func TestDraftsOfOtherViewersComeBack(t *testing.T) {
	for name, c := range map[string]struct {
		fails, looks, leaves, closes bool
		text, queued, stays          string
	}{
		"closes":                        {closes: true, stays: "older"},
		"come back":                     {text: "newest", queued: "sent?"},
		"the history cannot be written": {fails: true, text: "newest", queued: "sent?", stays: "older"},
		"looks on":                      {looks: true, stays: "older, sent?\n\nnewest"},
		"has left":                      {leaves: true, stays: "older, sent?\n\nnewest"},
	} {
		t.Run(name, func(t *testing.T) {
			runBench(t, func(t *testing.T, b *bench) {
				dir := t.TempDir()
				lib := store.NewLibrary(store.New(dir))
				logs := storedIDs(t, lib, b.cwd, "go", "go on")
				prompt := conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("sent?")}}
				for _, v := range []store.View{{Draft: "older"}, {Draft: "newest", Unsent: &store.Unsent{Viewer: "v", Prompts: []store.UnsentPrompt{{Number: 1, Prompt: prompt}}}}} {
					files, _ := filepath.Glob(filepath.Join(dir, "drafts", "*"))
					for _, f := range files {
						if err := os.Chtimes(f, time.Now(), time.Now()); err != nil { // the test's time is long ago
							t.Fatal(err)
						}
					}
					d := lib.NewDraft(string(logs[0]))
					if err := d.Save(v); err != nil {
						t.Fatal(err)
					}
					d.Leave()
				}
				history := b.historyIn(t)
				if c.fails {
					history = filepath.Join(history, "below", "a file")
					if err := os.WriteFile(filepath.Dir(filepath.Dir(history)), nil, 0o600); err != nil {
						t.Fatal(err)
					}
					b.historyAt(history)
				}
				s := newSession(b.cwd, noMachine{}, func(o *session.Options) { o.Recorder = keptAs{log: logs[0]} })
				if c.looks {
					s = looksOn{s}
				}
				b.use(s)
				b.drafts.library = lib
				take := b.drafts.Open(logs[0], store.View{})
				if c.leaves {
					b.drafts.follow(logs[1], store.View{})
				}
				if c.closes {
					b.Update(take())
					b.drafts.saveLast()()
				} else {
					b.Do(take)
				}
				if b.composer.Text() != c.text || !c.closes && b.queued() != c.queued || c.queued != "" && !b.conv().Queue[0].Unsure {
					t.Errorf("the prompt has %q, the queue %+v", b.composer.Text(), b.conv().Queue)
				}
				files, _ := filepath.Glob(filepath.Join(dir, "drafts", "*"))
				for _, f := range files {
					if b, _ := os.ReadFile(f); c.closes && strings.Contains(string(b), "newest") {
						t.Errorf("what came back is stored for others: %s", b)
					}
				}
				said, _ := os.ReadFile(history)
				if in := strings.Contains(string(said), "older"); in != (name == "come back") {
					t.Errorf("in the history is %q", said)
				}
				var stays []string
				for {
					d, _, err := lib.TakeDraft(string(logs[0]))
					if d.View == (store.View{}) || err != nil {
						break
					}
					stays = append(stays, d.View.Text())
					defer d.Leave()
				}
				if slices.Sort(stays); strings.Join(stays, ", ") != c.stays {
					t.Errorf("for the next viewer there is %q, want %q", stays, c.stays)
				}
			})
		})
	}
}

// The draft that is kept for a directory is not meant for a session that is not kept, such
// as the tour's.
func TestASessionThatIsNotKeptTakesNoDraft(t *testing.T) {
	b, _ := draftsBench(t)
	b.keepsIn(t, b.cwd, "fix the parser")
	load(t, b)
	if got := b.composer.Text(); got != "fix the parser" {
		t.Fatalf("before an agent is chosen the prompt has %q", got)
	}
	b.has(newSession(b.cwd, noMachine{}))
	if b.drafts.Leave(); !b.composer.Empty() {
		t.Errorf("the prompt still has %q", b.composer.Text())
	}
	if load(t, b); !b.composer.Empty() {
		t.Errorf("the prompt has %q again", b.composer.Text())
	}
}

// A draft that is written before there is a session is kept as it is written: for the session that is
// begun, and for the next start if none is.
func TestADraftIsKeptBeforeThereIsASession(t *testing.T) {
	for name, c := range map[string]struct {
		begin func(b *bench)
		dir   string // what the directory keeps
		log   string
	}{
		"killed":   {func(*bench) {}, "fix the parser", ""},
		"stored":   {func(b *bench) { b.stores("log-1") }, "", "fix the parser"},
		"not kept": {func(b *bench) { b.has(newSession(b.cwd, noMachine{})); b.drafts.Leave() }, "", ""},
		"only read, until the user consents": {func(b *bench) {
			b.has(newSession(b.cwd, noMachine{}))
			b.stored.untrusted = &app.UntrustedError{}
			b.drafts.saved = store.View{Draft: "an older one"}
		}, "fix the parser", ""},
		"behind prompts": {func(b *bench) {
			b.Do(b.prompts.Submit(promptOf("look at it")))
			b.Do(b.prompts.Submit(promptOf("mend it")))
		}, "look at it\n\nmend it\n\nfix the parser", ""},
		"behind those that the session has not stored yet": {func(b *bench) {
			b.stores("")
			b.events(conversation.QueueChanged{Queue: []conversation.QueuedPrompt{promptOf("mend it").Queued()}})
		}, "mend it\n\nfix the parser", ""},
		"behind prompts that it has": {func(b *bench) {
			b.Do(b.prompts.Submit(promptOf("mend it")))
			b.Do(b.drafts.Touched(tea.FocusMsg{}))
			time.Sleep(2 * saveDelay)
			b.Do(nil)
			b.stores("log-1")
			b.prompts.held = nil // they are sent to it
		}, "", "fix the parser"},
		"and the prompts come back if there is none": {func(b *bench) {
			b.Do(b.prompts.Submit(promptOf("mend it")))
			b.composer.SetText("")
			b.prompts.ReturnToDraft()
			b.composer.SetText(strings.Replace(b.composer.Text(), "mend it", "fix the parser", 1))
		}, "fix the parser", ""},
	} {
		runBench(t, func(t *testing.T, b *bench) {
			stored := t.TempDir()
			b.program.Stored = store.NewLibrary(store.New(stored))
			b.drafts.library = b.program.Stored
			b.become(&unopened{b.Tab}, conversation.New())
			b.composer.SetText("fix the parser")
			took := func(msg tea.Msg) {
				b.Do(b.drafts.Touched(msg))
				time.Sleep(2 * saveDelay)
				b.Do(nil)
			}
			took(keyPress("x"))
			c.begin(b)
			took(tea.FocusMsg{})
			dir := strings.Join(kept(stored), ", ")
			view, err := b.program.Stored.View("log-1")
			if dir != c.dir || err != nil || view.Draft != c.log || b.composer.Text() != "fix the parser" {
				t.Errorf("%s: the directory keeps %q (%v), the session %q, the prompt has %q", name, dir, err, view.Draft, b.composer.Text())
			}
		})
	}
}

// A draft that cannot come back where it was written is found in the history: that of a session that is
// not kept, and of a disk that takes nothing.
func TestADraftThatIsNotKeptGoesIntoTheHistory(t *testing.T) {
	for name, prepare := range map[string]func(b *bench, dir string) error{
		"not kept": func(b *bench, dir string) error { b.has(newSession(b.cwd, noMachine{})); return nil },
		"no disk": func(b *bench, dir string) error {
			b.stores("log-1")
			return os.Mkdir(filepath.Join(dir, "log-1.view"), 0o700) // where the draft would be written
		},
	} {
		b, dir := draftsBench(t)
		file := b.historyIn(t)
		if err := prepare(b, dir); err != nil {
			t.Fatal(err)
		}
		b.composer.SetText("fix the parser")
		b.drafts.saveLast()()
		if b, err := os.ReadFile(file); !strings.Contains(string(b), "fix the parser") {
			t.Errorf("%s: the history has %q, %v", name, b, err)
		}
	}
}

// What was being written when a prompt of the history came into its place is found in the
// history, and what was being written when somebody began to search there comes back.
func TestClosingLosesNoDraftBehindTheHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(file, []byte(`{"text":"an earlier one"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, keys := range map[string][]tea.KeyPressMsg{"walked": {{Code: tea.KeyUp}}, "searched": {{Code: 'r', Mod: tea.ModCtrl}, {Code: 'n', Text: "n"}}} {
		b, dir := draftsBench(t)
		b.stores("")
		b.historyAt(file)
		b.composer.SetText("fix the parser")
		for _, k := range keys {
			b.composer.Key(k)
		}
		if b.composer.Text() == "fix the parser" {
			t.Fatalf("%s: nothing else is shown", name)
		}
		b.drafts.saveLast()()
		data, _ := os.ReadFile(file)
		if drafts := kept(dir); !slices.Equal(drafts, []string{"fix the parser"}) && !strings.Contains(string(data), "fix the parser") {
			t.Errorf("%s: kept is %q, and the history has %s", name, drafts, data)
		}
	}
}

// A draft that came back with a session that can only be read is still kept with it, and not
// in the history as well.
func TestADraftThatWasOnlyReadStaysWhereItIs(t *testing.T) {
	b, _ := draftsBench(t)
	file := b.historyIn(t)
	b.has(newSession(b.cwd, noMachine{}))
	b.composer.SetText("fix the parser")
	b.drafts.saved = store.View{Draft: "fix the parser"}
	b.drafts.saveLast()()
	if _, err := os.Stat(file); err == nil {
		t.Error("it is in the history")
	}
}

// withCommands is a session whose agent has some commands.
func withCommands(t *testing.T) *bench {
	b := newBench(t, t.TempDir())
	b.events(conversation.Update{Update: &acpclient.AvailableCommandsUpdate{AvailableCommands: []acpclient.AvailableCommand{
		{Name: "review", Description: "look at the change"}, {Name: "refactor", Description: "tidy up"}, {Name: "test", Description: "run the tests"},
	}}})
	return b
}

// line is the number of the screen's line that begins with some words.
func (b *bench) line(t *testing.T, begin string) int {
	t.Helper()
	for i, line := range strings.Split(b.screen(), "\n") {
		if strings.HasPrefix(line, begin) {
			return i
		}
	}
	t.Fatalf("no line begins with %q:\n%s", begin, b.screen())
	return -1
}

// offers is how many slash commands there are, those of withCommands included.
func offers() int {
	own := slices.DeleteFunc(composerCommands(), func(c composer.OwnCommand) bool { return c.Alias })
	return len(own) + 3
}

func TestThePopupStandsAboveTheRule(t *testing.T) {
	b := withCommands(t)
	b.press("/", "r", "e", "v")
	b.mustShow(t, fmt.Sprint("1 of ", offers()), "tab accept", "esc close")
	offer, prompt := b.line(t, "› /review"), b.line(t, "❯ /rev")
	if rule := b.screen(); offer != prompt-2 || !strings.HasPrefix(strings.Split(rule, "\n")[prompt-1], "──") {
		t.Errorf("the popup is on line %d, the prompt on %d:\n%s", offer, prompt, b.screen())
	}
	if c := b.draw().Cursor; c == nil || c.Y != prompt || c.X != 6 {
		t.Errorf("the cursor is at %v, the prompt on line %d", c, prompt)
	}
	drawn := b.draw().Lines[offer]
	if strings.Contains(drawn, "/review") || !strings.Contains(ansi.Strip(drawn), "/review") {
		t.Errorf("the letters that were found are not marked: %q", drawn)
	}
	b.press("esc")
	b.mustNotShow(t, fmt.Sprint("1 of ", offers()))
}

func TestAClickTakesAnOffer(t *testing.T) {
	b := withCommands(t)
	b.press("/")
	at := b.line(t, "  /refactor")
	b.draw()
	b.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 4, Y: b.line(t, "───")})
	b.mustShow(t, fmt.Sprintf("%[1]d of %[1]d", offers()))
	b.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 4, Y: at})
	b.mustShow(t, "❯ /refactor")
}

// Where nothing is behind the choice of an agent, esc quits, and is called so.
func TestEscInTheFirstChoiceOfAnAgentIsCalledQuit(t *testing.T) {
	b := newBench(t, t.TempDir())
	empty := New(7, b.program, t.TempDir())
	empty.Show()
	empty.Start(nil)
	b.Tab = empty
	b.mustShow(t, "Choose an agent", "esc quit")
	b.mustNotShow(t, "esc close")
}

func TestTheStatusCallsAModelAsTheSelectorDoes(t *testing.T) {
	for _, c := range []struct{ id, name, want string }{
		{"river", "River", "River"},
		{"opus", "Opus, the largest of all models", "Opus, the largest of all models"},
		{"vendor/a-long-id", "Short", "Short"},
	} {
		b := newBench(t, t.TempDir())
		b.events(conversation.Update{Update: &acpclient.ConfigOptionUpdate{ConfigOptions: []acpclient.SessionConfigOption{{
			ID: "model", Name: "Model", Category: acpclient.CategoryModel, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue(acpclient.ConfigValueID(c.id)),
			Options: acpclient.Ungrouped(acpclient.ConfigSelectOption{Value: acpclient.ConfigValueID(c.id), Name: c.name}),
		}}}})
		b.mustShow(t, c.want)
	}
}

func TestTheHintsOfASearch(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.mustShow(t, "enter send")
	b.press("ctrl+r")
	b.mustShow(t, "enter accept", "esc back to the draft")
	b.mustNotShow(t, "enter send")
	b.press("esc", "f1")
	b.mustNotShow(t, "enter send")
	b.press("esc", "/")
	b.mustNotShow(t, "enter send")
}

// A draft that no session could keep is found in the history.
func TestADraftWithoutASessionOutlivesQuitting(t *testing.T) {
	b, _ := pending(t)
	b.press("d", "r", "a", "f", "t")
	b.Tab.Update(openedMsg{of: b.opening, err: os.ErrNotExist})
	b.Tab.Close()(t.Context())
	next := New(3, b.program, t.TempDir())
	next.Show()
	next.composer.Key(tea.KeyPressMsg{Code: tea.KeyUp})
	if got := next.composer.Text(); !strings.Contains(got, "draft") {
		t.Errorf("the history has %q", got)
	}
}

// While a question waits below a search of the history, keys are searched for and answer
// nothing, and the line below says what they do.
func TestASearchBesideAQuestion(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(permissionEvent(1, "Remove the build"))
	b.press("x")
	b.clock = b.clock.Add(10 * time.Second)
	b.press("ctrl+r", "1", "y", "z")
	b.mustShow(t, "search: 1yz", "enter accept", "Remove the build")
	if len(test.Permissions(b.conv())) != 1 {
		t.Error("the question was answered")
	}
	b.press("esc")
	b.mustShow(t, "❯ x", "Remove the build")
}

// With vim's keys, esc ends insert mode first: it is not called cancel until it does that.
func TestTheHintOfEscInTheModesOfVim(t *testing.T) {
	b := newBench(t, t.TempDir())
	s := b.session()
	b.program.Vim = true
	b.Tab = New(2, b.program, t.TempDir())
	b.Show()
	b.adopt((&app.Opened{Session: s}).Live())
	b.events(promptSent(b, "go"))
	b.mustShow(t, "INSERT", "esc normal mode", "enter queue")
	b.press("esc")
	b.mustShow(t, "NORMAL", "esc cancel")
	b.press("d")
	b.mustShow(t, "NORMAL d", "esc drop the command")
	b.press("esc")
	b.mustShow(t, "esc cancel")
}

func TestClickInThePromptWhileTheAgentStarts(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		made := make(chan struct{})
		b.program.Make = func(context.Context, app.Spec) (*app.Opened, error) {
			<-made
			return &app.Opened{Session: newSession(b.cwd, noMachine{})}, nil
		}
		b.Tab.open(app.Spec{Agent: &config.Agent{ID: "slow"}})
		defer close(made)
		b.press("a", "b", "c")
		y := slices.IndexFunc(b.draw().Lines, func(line string) bool { return strings.Contains(line, "abc") })
		b.Update(tea.MouseClickMsg{X: 2, Y: y, Button: tea.MouseLeft})
		b.press("x")
		if got := b.composer.Text(); got != "xabc" {
			t.Errorf("the prompt is %q", got)
		}
	})
}
