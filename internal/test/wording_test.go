package test

import (
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// stilted are phrases that are not plain English, or not the words of the field.
var stilted = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	`taken back`, `take the switch back`, `accept and go on`, `takes? (it|that|them) back`, `what waits`, `go on with`, `what came of`, `is none of`, `are none of`, `do not go together`,
	`of its own accord`, `no key goes`, `by itself what`, `is called so`, `nothing fits`, `made by others`, `no rule counts`,
	`is no verdict`, `rule is about`, `which is not there`, `lets no`, `told for certain`, `nobody knows`, `of harm`,
	`where that cannot`, `to the kills`, `is there already`, `what stands`, `was gone to`, `is asked about`, `are asked about`, `that is no more`,
	`are others`, `is to be`, `of which nothing`, `it is told`,
}, "|") + `)\b`)

// oneWord has the words of which each says one thing: the user quits parley, closes tabs, lists
// and pages, cancels turns, stops agents and commands, ends sessions, and detaches from those
// that go on. Only what stays as it was is left.
var oneWord = []struct {
	wrong *regexp.Regexp
	right string
}{
	{regexp.MustCompile(`(?i)^leave$|^(quit|choose) or leave|\bleaves?( parley| the (session|tab|program|replay|agent|list|page|dialog|host)\b|;| when| or parley|: the)|\*leave|when you leave| and leave$|^leaves\.`), "quit, close or detach"},
	{regexp.MustCompile(`(?i)\b(stop|close|end|exit)s? parley\b|until parley exits`), "quit"},
	{regexp.MustCompile(`(?i)\b(quit|close|leave|exit)s? the (turn|agent)\b`), "cancel or stop"},
	{regexp.MustCompile(`(?i)\b(quit|exit)s? the (tab|dialog|list|page|replay|session)\b`), "close or end"},
}

// sayOneWord checks a text that users read.
func sayOneWord(t *testing.T, at, text string) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		for _, w := range oneWord {
			if w.wrong.MatchString(line) {
				t.Errorf("%s: say %s: %q", at, w.right, line)
			}
		}
	}
}

// TestWording reads the texts of the program. With -v it lists them by file.
func TestWording(t *testing.T) {
	words := regexp.MustCompile(`\p{L}{2,}[^\p{L}]+\p{L}{2,}`)
	for _, name := range []string{"README.md", "docs/guide.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		sayOneWord(t, name, string(text))
	}
	read := 0
	for _, s := range sources(t) {
		if s.below("internal/test") {
			continue
		}
		s.literals(t, func(at token.Position, text string) {
			if s.below("tui", "config", "internal/app", "internal/cli", "internal/headless") {
				sayOneWord(t, at.String(), text)
			}
			if !words.MatchString(text) {
				return
			}
			read++
			if testing.Verbose() {
				t.Logf("%s: %s", at, text)
			}
			if bad := stilted.FindString(text); bad != "" {
				t.Errorf("%s: %q is not plain English: %q", at, bad, text)
			}
		})
	}
	if read < 1000 {
		t.Errorf("%d texts read", read)
	}
}
