package composer

import (
	"strings"
	"testing"

	"parley/internal/prompt"
)

func TestADraftThatIsACommand(t *testing.T) {
	for _, c := range []struct {
		typed string
		line  string
		is    bool
	}{
		{"!ls -la", "ls -la", true},
		{"! make test ", "make test", true},
		{"!", "", true},
		{"  !important", "", false},
		{"say !", "", false},
		{"!!", "!", true},
	} {
		f := newTest(t, nil)
		play(f, c.typed)
		if f.IsCommand() != c.is {
			t.Errorf("%q: IsCommand is %v", c.typed, f.IsCommand())
		}
		r := play(f, "<enter>")
		switch {
		case !c.is && (r.Command != nil || r.Prompt == nil):
			t.Errorf("%q was no prompt", c.typed)
		case c.is && (r.Prompt != nil || r.Command == nil || *r.Command != c.line):
			t.Errorf("%q was sent as %+v", c.typed, r)
		}
		if !f.Empty() {
			t.Errorf("%q: something is left", c.typed)
		}
	}
}

func TestAttachmentsGoWithThePrompt(t *testing.T) {
	a := prompt.Attachment{Label: "output of $ ls: 1 line", URI: "terminal://t/ls", Text: "notes.txt"}
	f := newTest(t, nil)
	play(f, "see ")
	if !f.Attach(a) || !strings.Contains(screen(f), "see [output of $ ls: 1 line]") {
		t.Fatalf("it is not in the draft: %q", screen(f))
	}
	if f.Attach(a) || strings.Contains(screen(f), "output of") {
		t.Fatalf("it was not taken away: %q", screen(f))
	}
	f.Attach(a)
	play(f, "please")
	sent := play(f, "<enter>").Prompt
	if sent == nil {
		t.Fatal("nothing was sent")
	}
	const text = "see [output of $ ls: 1 line] please"
	blocks := sent.Queued().Prompt
	if len(blocks) != 2 || blocks[0].Text != text || blocks[1].Resource == nil || *blocks[1].Resource.Text != a.Text || blocks[1].Resource.URI != a.URI {
		t.Errorf("sent %+v", blocks)
	}
}
