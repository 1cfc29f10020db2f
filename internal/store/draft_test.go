package store

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
)

// A draft that is damaged hides no other one: it is named, and set aside.
func TestADamagedDraft(t *testing.T) {
	s := New(t.TempDir())
	d := s.NewDraft("/a")
	if err := d.Save(View{Draft: "a thought"}); err != nil {
		t.Fatal(err)
	}
	d.Leave()
	bad := d.base + "-BAD"
	if err := os.WriteFile(bad, []byte("garb"), fileMode); err != nil {
		t.Fatal(err)
	}
	got, more, err := s.TakeDraft("/a")
	if got.View.Draft != "a thought" || more != 0 || err == nil || !strings.Contains(err.Error(), bad+".damaged") {
		t.Errorf("taken over is %+v, %d more, %v", got.View, more, err)
	}
	got.Leave()
	if got, _, err := s.TakeDraft("/a"); got.View.Draft != "a thought" || err != nil {
		t.Errorf("then %+v, %v", got.View, err)
	}
	if b, err := os.ReadFile(bad + ".damaged"); string(b) != "garb" || err != nil {
		t.Errorf("set aside is %q, %v", b, err)
	}
}

// Each tab has a draft of its own, also in another process. Once its tab or its process has ended, it is
// that of the next tab of the directory, the newest one first.
func TestDraftsOfDirectories(t *testing.T) {
	s := New(t.TempDir())
	save := func(d *Draft, v View) *Draft {
		t.Helper()
		if err := d.Save(v); err != nil {
			t.Error(err)
		}
		return d
	}
	take := func(cwd string, want View, wantMore int) *Draft {
		t.Helper()
		d, more, err := New(s.dir).TakeDraft(cwd)
		if err != nil || !reflect.DeepEqual(d.View, want) || more != wantMore {
			t.Errorf("taken over is %+v (%v), and there are %d more, want %+v and %d", d.View, err, more, want, wantMore)
		}
		return d
	}
	text := func(s string) View { return View{Draft: s} }
	one, two := save(s.NewDraft("/a"), text("half a\nthought")), save(s.NewDraft("/a"), text("another"))
	if info, err := os.Stat(one.path); err != nil || info.Mode().Perm() != fileMode {
		t.Errorf("others may read it: %v, %v", info, err)
	}
	save(s.NewDraft("/b"), text("elsewhere"))
	save(take("/a", View{}, 0), View{})
	prompt := conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go on")}}
	waits := View{Draft: "and this", Unsent: &Unsent{Prompts: []UnsentPrompt{{Prompt: prompt}}}}
	if save(one, waits); waits.Text() != "go on\n\nand this" {
		t.Errorf("in one text it is %q", waits.Text())
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(one.path, old, old); err != nil {
		t.Fatal(err)
	}
	one.Leave()
	two.Leave()
	if err := os.WriteFile(two.base, []byte("as it was stored before"), fileMode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(two.base, old, old.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	newest := take("/a", text("another"), 2)
	save(take("/a", waits, 1), View{})
	save(take("/a", text("as it was stored before"), 0), View{})
	take("/a", View{}, 0)
	save(newest, View{})
	if left, _ := filepath.Glob(newest.base + "*"); len(left) > 0 {
		t.Errorf("%q stays", left)
	}
}

func TestUnsentPromptsOfAView(t *testing.T) {
	s := New(t.TempDir())
	id := ID("20260101-000000-abc")
	prompt := conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go on")}, Files: []string{"a"}}
	v := View{Unsent: &Unsent{Viewer: "v", Prompts: []UnsentPrompt{{Number: 3, Prompt: prompt}}}}
	if err := s.SaveView(id, v); err != nil {
		t.Fatal(err)
	}
	if got, err := s.View(id); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("the view is %+v, %v", got, err)
	}
}

// What one viewer of a session has unsent is not replaced by what another one has, who has not seen it: that is
// a draft beside it, until there is nothing.
func TestViewsOfSeveralViewers(t *testing.T) {
	s, id, top := New(t.TempDir()), ID("20260101-000000-abc"), 3
	prompts := &Unsent{Viewer: "v", Prompts: []UnsentPrompt{{Number: 1, Prompt: conversation.QueuedPrompt{Files: []string{}}}}}
	one, two := s.NewViewing(id, View{}), s.NewViewing(id, View{})
	for i, step := range []struct {
		by           *Viewing
		saves        View
		view, beside View
	}{
		{one, View{Draft: "of one"}, View{Draft: "of one"}, View{}},
		{two, View{Top: &top}, View{Draft: "of one"}, View{}},
		{two, View{Draft: "of two", Top: &top}, View{Draft: "of one"}, View{Draft: "of two"}},
		{one, View{Draft: "of one, too", Unsent: prompts}, View{Draft: "of one, too", Unsent: prompts}, View{Draft: "of two"}},
		{one, View{}, View{}, View{Draft: "of two"}},
		{two, View{Draft: "of two, too"}, View{}, View{Draft: "of two, too"}},
		{two, View{}, View{}, View{}},
		{two, View{Draft: "the same"}, View{Draft: "the same"}, View{}},
		{one, View{Draft: "the same"}, View{Draft: "the same"}, View{Draft: "the same"}},
		{s.NewViewing(id, View{Draft: "the same"}), View{Top: &top}, View{Top: &top}, View{Draft: "the same"}},
		{s.NewViewing(id, View{Draft: "the same"}), View{Draft: "where nothing is"}, View{Draft: "where nothing is"}, View{Draft: "the same"}},
	} {
		if err := step.by.Save(step.saves); err != nil {
			t.Error(err)
		}
		view, err := s.View(id)
		beside := View{}
		for _, w := range []*Viewing{one, two} {
			if w.aside.path != "" {
				beside, _ = readView(w.aside.path)
			}
		}
		same := func(a, b View) bool {
			return a.Text() == b.Text() && (a.Unsent == nil) == (b.Unsent == nil) && (a.Top == nil) == (b.Top == nil)
		}
		if err != nil || !same(view, step.view) || !same(beside, step.beside) {
			t.Errorf("step %d: the view is %+v (%v), and beside it is %+v", i+1, view, err, beside)
		}
	}
	two.Leave()
	one.Leave()
	if d, more, err := s.TakeDraft(string(id)); d.View.Draft != "the same" || more != 0 || err != nil {
		t.Errorf("the next viewer finds %+v and %d more, %v", d.View, more, err)
	}
}

// Viewers that save at once keep what each has, and one that was stopped while it saves holds nobody up.
func TestViewersSaveAtOnce(t *testing.T) {
	s := New(t.TempDir())
	for round := range 5 {
		id := ID("20260101-000000-" + strconv.Itoa(100+round))
		var viewers sync.WaitGroup
		for n := range 8 {
			viewers.Go(func() {
				w := New(s.dir).NewViewing(id, View{})
				if err := w.Save(View{Draft: strconv.Itoa(n)}); err != nil {
					t.Error(err)
				}
				w.Leave()
			})
		}
		viewers.Wait()
		v, err := s.View(id)
		_, beside, failed := s.TakeDraft(string(id))
		if err != nil || failed != nil || v.Draft == "" || beside != 6 {
			t.Errorf("round %d: the view is %+v, and there are %d more beside the next, %v, %v", round, v, beside, err, failed)
		}
	}
	f, err := os.OpenFile(filepath.Join(s.dir, "views"+lockSuffix), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if ok, err := config.TryLock(f); !ok {
		t.Fatal(err)
	}
	id := ID("20260101-000000-abc")
	if err := s.NewViewing(id, View{}).Save(View{Draft: "in time"}); err != nil {
		t.Error(err)
	}
	if v, err := s.View(id); v.Draft != "in time" || err != nil {
		t.Errorf("%+v, %v", v, err)
	}
}

// Several programs keep drafts of one directory, and the view of one session, at the same time: nobody
// fails, and each draft is whole and kept once.
func TestSeveralKeepDraftsAtOnce(t *testing.T) {
	dir := t.TempDir()
	id := ID("20260101-000000-abc")
	var writers sync.WaitGroup
	var mu sync.Mutex
	var all []*Draft // a lock ends with its file
	for n := range 8 {
		writers.Go(func() {
			s := New(dir)
			d := s.NewDraft("/project")
			v := View{Draft: strings.Repeat(strconv.Itoa(n), 8<<10*(n+1))}
			for range 50 {
				err := errors.Join(d.Save(v), s.SaveView(id, v))
				d.Leave()
				next, _, failed := s.TakeDraft("/project")
				if d, v = next, next.View; err != nil || failed != nil {
					t.Error(err, failed)
				}
				if _, err := s.View(id); err != nil {
					t.Error(err)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, d)
		})
	}
	writers.Wait()
	var kept []string
	for more := true; more; {
		d, _, err := New(dir).TakeDraft("/project")
		if more = err == nil && d.View.Draft != ""; more {
			all = append(all, d)
		}
	}
	for _, d := range all {
		if d.View.Draft != "" {
			kept = append(kept, d.View.Draft)
		}
	}
	for n := range 8 {
		if want := strings.Repeat(strconv.Itoa(n), 8<<10*(n+1)); len(kept) != 8 || !slices.Contains(kept, want) {
			t.Errorf("of 8 drafts %d are kept, and the one of %d bytes: %v", len(kept), len(want), slices.Contains(kept, want))
		}
	}
}

// A file in place of the store's directory is named when a draft is read.
func TestDraftBehindAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "parley")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(filepath.Join(file, "sessions"))
	if _, _, err := s.TakeDraft("/project"); err == nil || !strings.HasSuffix(err.Error(), "but "+file+" is a file: move it away") {
		t.Errorf("the draft: %v", err)
	}
	if _, err := s.View("one"); err == nil || !strings.HasSuffix(err.Error(), "but "+file+" is a file: move it away") {
		t.Errorf("the view: %v", err)
	}
}
