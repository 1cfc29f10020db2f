package machine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
	"parley/internal/session"
)

// user answers questions as a test tells them to.
type user struct {
	mu     sync.Mutex
	asked  []conversation.FileQuestion
	before []*string
	answer func(q *conversation.FileQuestion) (acpclient.PermissionOptionID, error)
	// rule are the rules; nil is none. ran holds the commands that were asked about.
	rule func(call *acpclient.ToolCallUpdate) session.Ruling
	ran  []string
	runs bool // the answer about commands
}

// says is a user who always answers the same.
func says(a acpclient.PermissionOptionID) *user {
	return &user{answer: func(*conversation.FileQuestion) (acpclient.PermissionOptionID, error) { return a, nil }}
}

func (p *user) Ask(_ context.Context, e conversation.PermissionOpened, why string) (acpclient.PermissionOptionID, error) {
	call := &e.Request.ToolCall
	if e.File == nil {
		p.ran = append(p.ran, *call.Title+": "+why)
		if p.runs {
			return conversation.FileOnce, nil
		}
		return conversation.FileNo, nil
	}
	var before *string
	if len(call.Content) > 0 {
		before = call.Content[0].OldText
	}
	p.mu.Lock()
	p.asked = append(p.asked, *e.File)
	p.before = append(p.before, before)
	p.mu.Unlock()
	return p.answer(e.File)
}

func (p *user) Judge(_ context.Context, call *acpclient.ToolCallUpdate) session.Ruling {
	if p.rule == nil {
		return session.Ruling{}
	}
	return p.rule(call)
}

func (p *user) Deny(context.Context, *acpclient.ToolCallUpdate, session.Ruling) error {
	return errors.New("denied by the rule")
}

func (p *user) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

// served is a machine with a root, a directory beside it, and a user.
type served struct {
	*Machine
	t              *testing.T
	inside, beside string
	state          string // of the journal
	told           *record
}

func serveTo(t *testing.T, asker session.Asker) *served {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &served{t: t, inside: filepath.Join(base, "in"), beside: filepath.Join(base, "out"), told: newRecord()}
	for _, dir := range []string{s.inside, s.beside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	table, err := policy.NewSensitiveFiles(nil, nil, []string{filepath.Join(base, "in", "own")}, base)
	if err != nil {
		t.Fatal(err)
	}
	if s.Machine, err = New(s.told.observe, Options{Asker: asker, Sensitive: table, Unattended: asker == nil}, s.inside); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func (s *served) put(path, content string) string {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	write(s.t, path, content)
	return path
}

func (s *served) read(path string) (string, error) {
	r, err := s.ReadTextFile(s.t.Context(), &acpclient.ReadTextFileRequest{Path: path})
	if err != nil {
		return "", err
	}
	return r.Content, nil
}

func (s *served) write(path, content string) error {
	_, err := s.WriteTextFile(s.t.Context(), &acpclient.WriteTextFileRequest{Path: path, Content: content})
	return err
}

func (s *served) holds(path, want string) {
	s.t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		s.t.Errorf("%s holds %q, %v, want %q", filepath.Base(path), got, err, want)
	}
}

func link(t *testing.T, target, path string) string {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	return path
}

// What is asked about is the place that a path leads to, however it is spelled, and a
// no changes nothing.
func TestWhatIsAsked(t *testing.T) {
	who := says(conversation.FileNo)
	s := serveTo(t, who)
	secret := s.put(filepath.Join(s.beside, "notes.txt"), "secret")
	key := s.put(filepath.Join(s.inside, ".ssh", "id_rsa"), "key")
	env := s.put(filepath.Join(s.inside, ".ENV"), "A=1")
	link(t, secret, filepath.Join(s.inside, "innocent"))
	link(t, s.beside, filepath.Join(s.inside, "dir"))
	link(t, ".ssh", filepath.Join(s.inside, "docs"))
	link(t, ".ENV", filepath.Join(s.inside, "settings"))
	link(t, "../out/new.txt", filepath.Join(s.inside, "dangling"))
	s.put(filepath.Join(s.inside, "own", "log"), "log")
	hard := s.put(filepath.Join(s.beside, "hard"), "linked")
	if err := os.Link(hard, filepath.Join(s.inside, "hard")); err != nil {
		t.Skip("no hard links here:", err)
	}
	sep := string(filepath.Separator)
	for _, c := range []struct {
		path   string // relative to the root
		write  bool
		target string
		why    func(conversation.FileQuestion) bool
	}{
		{"innocent", false, secret, func(q conversation.FileQuestion) bool { return q.Outside && q.Folder == s.beside }},
		{"../out/notes.txt", false, secret, func(q conversation.FileQuestion) bool { return q.Outside }},
		{"dir" + sep + "notes.txt", true, secret, func(q conversation.FileQuestion) bool { return q.Outside && q.Folder == "" }},
		{"dir/../out/notes.txt", true, secret, func(q conversation.FileQuestion) bool { return q.Outside }}, // dir/.. is above out
		{"dangling", true, filepath.Join(s.beside, "new.txt"), func(q conversation.FileQuestion) bool { return q.Outside }},
		{"sub/../../out/sub/deep/new", true, filepath.Join(s.beside, "sub", "deep", "new"), func(q conversation.FileQuestion) bool { return q.Outside }},
		{"docs/id_rsa", false, key, func(q conversation.FileQuestion) bool { return q.Secret == ".ssh" || q.Secret != "" && !q.Outside }},
		{"docs/id_rsa", true, key, func(q conversation.FileQuestion) bool { return q.Secret != "" }},
		{"settings", false, env, func(q conversation.FileQuestion) bool { return q.Secret == ".env" && q.Folder == "" }},
		{".git/hooks/pre-commit", true, filepath.Join(s.inside, ".git", "hooks", "pre-commit"), func(q conversation.FileQuestion) bool { return q.Runs == ".git" }},
		{".Git/config", true, filepath.Join(s.inside, ".Git", "config"), func(q conversation.FileQuestion) bool { return q.Runs == ".git" }},
		{"own/log", false, filepath.Join(s.inside, "own", "log"), func(q conversation.FileQuestion) bool { return q.Own }},
		{"own/new", true, filepath.Join(s.inside, "own", "new"), func(q conversation.FileQuestion) bool { return q.Own }},
		{"hard", true, filepath.Join(s.inside, "hard"), func(q conversation.FileQuestion) bool { return q.Links == 2 }},
	} {
		path, before := s.inside+sep+c.path, who.count()
		var err error
		if c.write {
			err = s.write(path, "mine")
		} else {
			_, err = s.read(path)
		}
		if err == nil || !strings.Contains(err.Error(), "The user denied") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s is answered %v", c.path, err)
		}
		if who.count() != before+1 {
			t.Errorf("%s was asked about %d times", c.path, who.count()-before)
			continue
		}
		if q := who.asked[before]; q.Target != c.target || q.Path != path || q.Write != c.write || !c.why(q) {
			t.Errorf("%s is asked about as %+v", c.path, q)
		}
	}
	s.holds(secret, "secret")
	s.holds(key, "key")
	s.holds(hard, "linked")
	for _, name := range []string{"out/new.txt", "out/sub", "in/.git", "in/own/new"} {
		if _, err := os.Lstat(filepath.Join(filepath.Dir(s.inside), name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was made without a yes", name)
		}
	}
	if got := s.told.got(); got != "" {
		t.Errorf("the observer saw %q", got)
	}
}

// What is ordinary, or cannot be done anyway, is not asked about.
func TestWhatIsNotAsked(t *testing.T) {
	who := says(conversation.FileNo)
	s := serveTo(t, who)
	s.put(filepath.Join(s.inside, "a.txt"), "a")
	s.put(filepath.Join(s.inside, ".git", "HEAD"), "ref: x")
	for _, path := range []string{"a.txt", ".git/HEAD"} {
		if _, err := s.read(filepath.Join(s.inside, path)); err != nil {
			t.Error(err)
		}
	}
	if err := s.write(filepath.Join(s.inside, "a.txt"), "b"); err != nil {
		t.Error(err)
	}
	if err := s.write(filepath.Join(s.inside, "new", "b.txt"), "b"); err != nil {
		t.Error(err)
	}
	if _, err := s.read(filepath.Join(s.beside, "missing")); !acpclient.IsCode(err, acpclient.CodeResourceNotFound) {
		t.Errorf("a missing file is answered %v", err)
	}
	if _, err := s.read(s.beside); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory is answered %v", err)
	}
	if err := s.write(s.beside, ""); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory is answered %v", err)
	}
	if who.count() != 0 {
		t.Errorf("was asked about %+v", who.asked)
	}
}

func TestOnceAndForTheSession(t *testing.T) {
	who := says(conversation.FileOnce)
	s := serveTo(t, who)
	one, two := s.put(filepath.Join(s.beside, "one"), "1"), s.put(filepath.Join(s.beside, "two"), "2")
	key, deep := s.put(filepath.Join(s.beside, "a.pem"), "key"), s.put(filepath.Join(s.beside, "sub", "deep"), "3")
	read := func(path, want string, questions int) {
		t.Helper()
		before := who.count()
		if got, err := s.read(path); err != nil || got != want || who.count() != before+questions {
			t.Errorf("%s: %q, %v, %d questions", filepath.Base(path), got, err, who.count()-before)
		}
	}
	read(one, "1", 1)
	read(one, "1", 1)
	who.answer = says(conversation.FileSession).answer
	read(one, "1", 1) // covers the files beside it
	read(one, "1", 0)
	read(two, "2", 0)
	read(deep, "3", 1)  // is not directly there
	read(key, "key", 1) // is asked about on its own
	read(key, "key", 0)
	before := who.count()
	for range 2 { // a yes to reading is none to writing
		if err := s.write(one, "new"); err != nil {
			t.Error(err)
		}
	}
	if n := who.count() - before; n != 1 {
		t.Errorf("writing was asked about %d times", n)
	}
	if q := who.asked[before]; who.before[before] == nil || *who.before[before] != "1" || q.Hidden {
		t.Errorf("the question has no diff: %+v", q)
	}
	if err := s.write(two, "new"); err != nil || who.count() != before+2 {
		t.Errorf("writing another file: %v, %d questions", err, who.count()-before)
	}
	s.holds(one, "new")
}

func TestNobodyToAsk(t *testing.T) {
	s := serveTo(t, nil)
	outside := s.put(filepath.Join(s.beside, "a"), "a")
	env := s.put(filepath.Join(s.inside, ".env"), "A=1")
	file := s.put(filepath.Join(s.inside, "file"), "old")
	refused := func(err error, says ...string) {
		t.Helper()
		var e *acpclient.Error
		if !errors.As(err, &e) || e.Code != acpclient.CodeInvalidParams {
			t.Errorf("answered %v", err)
			return
		}
		for _, part := range says {
			if !strings.Contains(e.Message, part) {
				t.Errorf("%q does not say %q", e.Message, part)
			}
		}
	}
	_, err := s.read(outside)
	refused(err, outside, s.inside, "outside the session's directories")
	refused(s.write(outside, "b"), "outside the session's directories")
	_, err = s.read(filepath.Join(s.beside, "missing"))
	if !acpclient.IsCode(err, acpclient.CodeResourceNotFound) {
		t.Errorf("a missing file is answered %v", err)
	}
	_, err = s.read(env)
	refused(err, env, "secrets", "no user can be asked")
	refused(s.write(filepath.Join(s.inside, ".git", "hooks", "x"), "#!"), "run", "no user can be asked")
	if _, err := s.read(file); err != nil {
		t.Fatal(err)
	}
	write(t, file, "the user's")
	refused(s.write(file, "mine"), "changed on disk", "read it again")
	if _, err := s.read(file); err != nil {
		t.Fatal(err)
	}
	if err := s.write(file, "mine"); err != nil {
		t.Error(err)
	}
	s.holds(file, "mine")
}

// While a user thinks, other files are served, of any size; and the question is
// given up with its request.
func TestAQuestionHoldsNobodyUp(t *testing.T) {
	asked := make(chan struct{}, 10)
	s := serveTo(t, askerFunc(func(ctx context.Context) (acpclient.PermissionOptionID, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return conversation.FileNo, ctx.Err()
	}))
	s.inFlight = newBudget(1000)
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		path := s.put(filepath.Join(s.beside, name), strings.Repeat("x", 900))
		waiting.Go(func() {
			_, err := s.WriteTextFile(ctx, &acpclient.WriteTextFileRequest{Path: path, Content: strings.Repeat("y", 900)})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the write ended with %v", err)
			}
		})
	}
	<-asked
	big := s.put(filepath.Join(s.inside, "big"), strings.Repeat("z", 1000))
	if _, err := s.read(big); err != nil {
		t.Error(err)
	}
	if err := s.write(big, "small"); err != nil {
		t.Error(err)
	}
	cancel()
	waiting.Wait()
	if n := len(asked); n != 0 {
		t.Errorf("%d more questions came up at the same time", n)
	}
}

// askerFunc is a user who decides nothing by the question.
type askerFunc func(context.Context) (acpclient.PermissionOptionID, error)

func (f askerFunc) Judge(context.Context, *acpclient.ToolCallUpdate) session.Ruling {
	return session.Ruling{}
}

func (f askerFunc) Deny(context.Context, *acpclient.ToolCallUpdate, session.Ruling) error { return nil }

func (f askerFunc) Ask(ctx context.Context, _ conversation.PermissionOpened, _ string) (acpclient.PermissionOptionID, error) {
	return f(ctx)
}

func TestCancelledQuestionIsAnsweredAsCancelled(t *testing.T) {
	s := serveTo(t, askerFunc(func(context.Context) (acpclient.PermissionOptionID, error) {
		return conversation.FileNo, session.ErrCancelled
	}))
	path := s.put(filepath.Join(s.beside, "a"), "a")
	if _, err := s.read(path); !acpclient.IsCode(err, acpclient.CodeRequestCancelled) {
		t.Errorf("read = %v", err)
	}
	if err := s.write(path, "b"); !acpclient.IsCode(err, acpclient.CodeRequestCancelled) {
		t.Errorf("write = %v", err)
	}
}

// A change that is too large is asked about without its text.
func TestLargeChangesAreNotKept(t *testing.T) {
	who := says(conversation.FileOnce)
	s := serveTo(t, who)
	path := s.put(filepath.Join(s.beside, "a"), strings.Repeat("x", maxShown))
	if err := s.write(path, "small"); err != nil {
		t.Fatal(err)
	}
	if err := s.write(path, strings.Repeat("y", maxShown)); err != nil {
		t.Fatal(err)
	}
	for i, q := range who.asked {
		if !q.Hidden {
			t.Errorf("question %d shows a large change", i)
		}
	}
	if len(who.asked) != 2 {
		t.Errorf("%d questions", len(who.asked))
	}
}

// Text in UTF-16 is read as text and stays UTF-16, and the user is told once.
func TestUTF16(t *testing.T) {
	s := serveTo(t, nil)
	encode := func(text string) string {
		out := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(text)) {
			out = append(out, byte(u), byte(u>>8))
		}
		return string(out)
	}
	file := s.put(filepath.Join(s.inside, "file.txt"), encode("Grüße 🌍\r\n"))
	for range 2 {
		if got, err := s.read(file); err != nil || got != "Grüße 🌍\r\n" {
			t.Fatalf("read = %q, %v", got, err)
		}
	}
	if err := s.write(file, "neu\r\n"); err != nil {
		t.Fatal(err)
	}
	s.holds(file, encode("neu\r\n"))
	want := "file.txt is stored as UTF-16 (little-endian); wrote file.txt: " + encode("neu\r\n")
	if got := s.told.got(); got != want {
		t.Errorf("the observer saw %q", got)
	}
	if _, err := s.read(s.put(filepath.Join(s.inside, "odd"), "\xff\xfea")); err == nil || !strings.Contains(err.Error(), "not a text file") {
		t.Errorf("half a character is answered %v", err)
	}
}

func TestRecentForgets(t *testing.T) {
	var r recent[int]
	for i := range 10 * maxRecent {
		r.put(string(rune(i)), i)
	}
	if n := len(r.young) + len(r.old); n > 2*maxRecent {
		t.Errorf("remembers %d", n)
	}
	if _, ok := r.get(string(rune(10*maxRecent - maxRecent))); !ok {
		t.Error("forgot what is recent")
	}
}
