package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/internal/rules"
	"parley/internal/session"
)

// The project's prompts count once the user trusts them as they are; they can lead nowhere
// else, and one of the user's own hides one of the same name.
func TestTemplates(t *testing.T) {
	home, project, outside := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	own, theirs := filepath.Join(home, "parley", "prompts"), filepath.Join(project, ".parley", "prompts")
	write(own, "review.md", "mine")
	write(theirs, "review.md", "theirs")
	write(theirs, "ship.md", "Ship it")
	write(outside, "secret.md", "secret")
	if err := os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(theirs, "secret.md")); err != nil {
		t.Fatal(err)
	}
	store := rules.NewStore(filepath.Join(t.TempDir(), "rules.json"))
	opened := func() (Session, map[string]string) {
		t.Helper()
		r, err := rules.Open(rules.Options{Cwd: project, Store: store})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Here(session.Options{Judge: r, Machine: func(session.Observer, session.Asker) (session.Machine, error) { return nil, nil }})
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		for _, p := range Templates(s) {
			texts[p.Name] = p.Text
		}
		return s, texts
	}
	s, texts := opened()
	if q := TrustQuestion(s); q == nil || q.Title != "This project has its own prompts" || !slices.Equal(q.Lines, []string{"/review", "theirs", "/ship", "Ship it"}) {
		t.Errorf("the question is %+v", q)
	}
	if len(texts) != 1 || texts["review"] != "mine" {
		t.Errorf("untrusted, the prompts are %q", texts)
	}
	if err := session.Try(t.Context(), s, rules.SetTrust{Trust: rules.Trusted}); err != nil {
		t.Fatal(err)
	}
	if _, texts = opened(); len(texts) != 2 || texts["review"] != "mine" || texts["ship"] != "Ship it" {
		t.Errorf("trusted, they are %q", texts)
	}
	write(theirs, "ship.md", "Ship everything")
	if s, texts = opened(); len(texts) != 1 || TrustQuestion(s) == nil {
		t.Errorf("after a change, they are %q", texts)
	}
}
