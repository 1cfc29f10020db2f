package v2

import (
	"strings"
	"testing"

	"parley/acpclient"
)

// A change that is made to be expensive costs no more than a few times its length: this
// test does not end otherwise.
func TestHostilePatches(t *testing.T) {
	const many = 100_000
	tests := map[string]struct {
		changes int
		patch   string
	}{
		"paths of nothing but spaces": {1, "diff --git " + strings.Repeat(" ", 20*many)},
		"no line has an end":          {1, "diff --git a/x b/x\n@@ -0,0 +1,9999999 @@\n" + strings.Repeat("+some text\n\\\n", 2*many)},
		"many changes of many files":  {many, strings.Repeat("diff --git a/y b/y\n", many)},
		"many changes of one file":    {many, strings.Repeat("diff --git a/x b/x\n", many)},
		"nothing but backticks":       {0, strings.Repeat("`", 40*many)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var d diff
			d.Patch.Format, d.Patch.Text = GitPatch, tt.patch
			for range tt.changes {
				d.Changes = append(d.Changes, fileChange{Operation: acpclient.FileDelete, Path: "x"})
			}
			if got := d.contents(); len(got) < tt.changes {
				t.Errorf("of %d changes, %d are shown", tt.changes, len(got))
			}
		})
	}
}

// A block of code ends where its own fence is, and nowhere in the text.
func TestFenceOfPatch(t *testing.T) {
	for text, want := range map[string]string{
		"":            "```",
		"a `b` ``c``": "```",
		"```\nx\n```": "````",
		"````` `````": "``````",
	} {
		if got, _, _ := strings.Cut(fenced(text), "diff\n"); got != want {
			t.Errorf("%q has the fence %q, want %q", text, got, want)
		}
	}
}
