package tab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/store"
	"parley/internal/test/sessiontest"
	"parley/tui/composer"
	"parley/tui/theme"
)

// place is a tab with a session, or without one.
type draftsPlace struct {
	dir        string // of the library
	lib        *store.Library
	open, kept bool
	log        store.ID
	top        *int
}

func (p *draftsPlace) Library() *store.Library { return p.lib }
func (p *draftsPlace) Open() bool              { return p.open }
func (p *draftsPlace) Kept() bool              { return p.kept }
func (p *draftsPlace) OwnLog() store.ID        { return p.log }
func (p *draftsPlace) Top() *int               { return p.top }

func draftsNewDrafts(t *testing.T) (*drafts, *draftsPlace) {
	t.Helper()
	p := &draftsPlace{dir: t.TempDir()}
	p.lib = store.NewLibrary(store.New(p.dir))
	c := composer.New(composer.Options{Theme: theme.New(true), Keys: config.DefaultKeys()})
	return newDrafts(p, c, "/work"), p
}

// load loads the draft of the directory, as the program does.
func load(t *testing.T, d *drafts) {
	t.Helper()
	switch msg := d.Load()().(type) {
	case nil:
	case then:
		msg()
	default:
		t.Fatalf("%#v", msg)
	}
}

func key() tea.Msg { return tea.KeyPressMsg{Code: 'x', Text: "x"} }

// What was typed in a session in which nothing was said comes back in the next one of the
// directory; what was sent does not.
func TestADraftComesBack(t *testing.T) {
	d, p := draftsNewDrafts(t)
	p.open, p.kept = true, true
	d.composer.SetText("fix the parser")
	d.SaveLast()

	again := newDrafts(p, composer.New(composer.Options{Theme: theme.New(true), Keys: config.DefaultKeys()}), "/work")
	load(t, again)
	if got := again.composer.Text(); got != "fix the parser" {
		t.Fatalf("the prompt has %q", got)
	}
	again.composer.SetText("") // it is sent
	p.log = "log"
	runBench(t, func(_ *testing.T, b *deskBench) { b.Do(again.Touched(key())) })
	if draft, err := p.lib.Draft("/work"); draft != "" || err != nil {
		t.Errorf("kept is still %q, %v", draft, err)
	}
}

// The draft of a directory that came back with a session of it is forgotten, too, once it
// was sent there.
func TestADraftComesBackWithASession(t *testing.T) {
	d, p := draftsNewDrafts(t)
	p.open, p.kept, p.log = true, true, sessiontest.Sessions(t, p.lib, "/work", "go")[0]
	if err := p.lib.SaveDraft("/work", "", "fix the parser"); err != nil {
		t.Fatal(err)
	}
	if load(t, d); d.composer.Text() != "fix the parser" {
		t.Fatalf("the prompt has %q", d.composer.Text())
	}
	d.composer.SetText("") // it is sent
	d.SaveLast()
	if draft, err := p.lib.Draft("/work"); draft != "" || err != nil {
		t.Errorf("kept is still %q, %v", draft, err)
	}
}

// What is kept is saved a while after a key, and not once for each.
func TestOneSavingForManyKeys(t *testing.T) {
	d, p := draftsNewDrafts(t)
	p.open, p.kept = true, true
	d.composer.SetText("x")
	if d.Touched(key()) == nil || d.Touched(key()) != nil {
		t.Error("the second key does not wait for the first")
	}
	if d.Touched(tea.WindowSizeMsg{}) != nil {
		t.Error("nobody has touched anything")
	}
}

// Commands end in any order: what was sent does not come back as a draft because an older
// saving ended last.
func TestTheNewestSavingCounts(t *testing.T) {
	d, p := draftsNewDrafts(t)
	p.open, p.kept, p.log = true, true, sessiontest.Sessions(t, p.lib, "/work", "go")[0]
	d.composer.SetText("fix the parser")
	older := d.save()
	d.composer.SetText("") // it is sent
	newer := d.Touched(key())
	newer()
	older()
	if v, err := p.lib.View(p.log); v.Draft != "" || err != nil {
		t.Errorf("kept is %q, %v", v.Draft, err)
	}
}

// What is just being saved when the tab is closed is kept, whatever becomes of the command.
func TestClosingWaitsForWhatIsBeingSaved(t *testing.T) {
	d, p := draftsNewDrafts(t)
	p.open, p.kept, p.log = true, true, sessiontest.Sessions(t, p.lib, "/work", "go")[0]
	d.composer.SetText("fix the parser")
	if d.save() == nil {
		t.Fatal("nothing is saved")
	}
	d.SaveLast()
	if v, err := p.lib.View(p.log); v.Draft != "fix the parser" || err != nil {
		t.Errorf("kept is %q, %v", v.Draft, err)
	}
}

// The draft that is kept for a directory is not meant for a session that is not kept, such
// as the tour's.
func TestASessionThatIsNotKeptTakesNoDraft(t *testing.T) {
	d, p := draftsNewDrafts(t)
	if err := p.lib.SaveDraft("/work", "", "fix the parser"); err != nil {
		t.Fatal(err)
	}
	load(t, d)
	if got := d.composer.Text(); got != "fix the parser" {
		t.Fatalf("before an agent is chosen the prompt has %q", got)
	}
	p.open = true
	if d.Leave(); !d.composer.Empty() {
		t.Errorf("the prompt still has %q", d.composer.Text())
	}
	if load(t, d); !d.composer.Empty() {
		t.Errorf("the prompt has %q again", d.composer.Text())
	}
}

// A draft that cannot come back where it was written is found in the history: that of an
// agent that has not started, of a session that is not kept, of a disk that takes nothing,
// and of the second tab in which nothing was said. The draft of the first one comes back.
func TestADraftThatIsNotKeptGoesIntoTheHistory(t *testing.T) {
	for name, prepare := range map[string]func(*draftsPlace) error{
		"not started": func(p *draftsPlace) error { p.kept = true; return nil },
		"not kept":    func(p *draftsPlace) error { p.open = true; return nil },
		"no disk": func(p *draftsPlace) error {
			p.open, p.kept, p.log = true, true, "log-1"
			return os.Mkdir(filepath.Join(p.dir, "log-1.view"), 0o700) // where the draft would be written
		},
		"another tab's": func(p *draftsPlace) error {
			p.open, p.kept = true, true
			return p.lib.SaveDraft("/work", "", "what the first tab keeps")
		},
	} {
		file := filepath.Join(t.TempDir(), "history")
		history, err := composer.OpenHistory(file, "/work")
		if err != nil {
			t.Fatal(err)
		}
		d, p := draftsNewDrafts(t)
		d.composer = composer.New(composer.Options{Theme: theme.New(true), Keys: config.DefaultKeys(), History: history})
		if err := prepare(p); err != nil {
			t.Fatal(err)
		}
		d.composer.SetText("fix the parser")
		d.SaveLast()
		if b, err := os.ReadFile(file); !strings.Contains(string(b), "fix the parser") {
			t.Errorf("%s: the history has %q, %v", name, b, err)
		}
		if draft, err := p.lib.Draft("/work"); name == "another tab's" && draft != "what the first tab keeps" {
			t.Errorf("%s: kept is %q, %v", name, draft, err)
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
	history, err := composer.OpenHistory(file, "/work")
	if err != nil {
		t.Fatal(err)
	}
	for name, keys := range map[string][]tea.KeyPressMsg{"walked": {{Code: tea.KeyUp}}, "searched": {{Code: 'r', Mod: tea.ModCtrl}, {Code: 'n', Text: "n"}}} {
		d, p := draftsNewDrafts(t)
		p.open, p.kept = true, true
		d.composer = composer.New(composer.Options{Theme: theme.New(true), Keys: config.DefaultKeys(), History: history})
		d.composer.SetText("fix the parser")
		for _, k := range keys {
			d.composer.Key(k)
		}
		if d.composer.Text() == "fix the parser" {
			t.Fatalf("%s: nothing else is shown", name)
		}
		d.SaveLast()
		kept, err := p.lib.Draft("/work")
		b, _ := os.ReadFile(file)
		if err != nil || kept != "fix the parser" && !strings.Contains(string(b), "fix the parser") {
			t.Errorf("%s: kept is %q (%v), and the history has %s", name, kept, err, b)
		}
	}
}

// A draft that came back with a session that can only be read is still kept with it, and not
// in the history as well.
func TestADraftThatWasOnlyReadStaysWhereItIs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	history, err := composer.OpenHistory(file, "/work")
	if err != nil {
		t.Fatal(err)
	}
	d, p := draftsNewDrafts(t)
	p.open = true
	d.composer = composer.New(composer.Options{Theme: theme.New(true), Keys: config.DefaultKeys(), History: history})
	d.composer.SetText("fix the parser")
	d.Saved(store.View{Draft: "fix the parser"})
	d.SaveLast()
	if _, err := os.Stat(file); err == nil {
		t.Error("it is in the history")
	}
}
