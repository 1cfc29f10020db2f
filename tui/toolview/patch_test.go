package toolview

import (
	"testing"

	"parley/acpclient"
)

// A patch that says anything else than the change is shown beside it.
func TestAPatchThatSaysMoreIsShown(t *testing.T) {
	old := "one\ntwo\nthree\n"
	c := acpclient.DiffContent("/p/a.txt", &old, "one\n2\nthree\n")
	for patch, want := range map[string]bool{
		"--- a/p/a.txt\n+++ b/p/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n": true,
		"@@ -2 +2 @@\n-two\n+2\n\\ No newline at end of file\n":                   true,
		"--- /p/a.txt\n+++ /p/b.txt\n@@ -2 +2 @@\n-two\n+2\n":                     false,
		"@@ -2 +2 @@\n-two\n+22\n":                                                false,
		"@@ -2 +2 @@\n-two\n+2\n@@ -9 +9 @@\n-x\n+rm\n":                           false,
		"rename from x\n@@ -2 +2 @@\n-two\n+2\n":                                  false,
		"two":                                                                     false,
		"":                                                                        false,
	} {
		if got := isPatchOf(patch, c); got != want {
			t.Errorf("%q: %v", patch, got)
		}
	}
}
