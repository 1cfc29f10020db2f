package termtext

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestJSON: what a terminal interprets, or what hides or reorders text, is escaped, and the
// value stays the same.
func TestJSON(t *testing.T) {
	for in, want := range map[string]string{
		"\u202eb":     `"\u202eb"`,
		"a\u2066b":    `"a\u2066b"`,
		"a\u200bb":    `"a\u200bb"`,
		"\u2028":      `"\u2028"`,
		"a\x7fb":      `"a\u007fb"`,
		"a\u009b31m":  `"a\u009b31m"`,
		"\ufeff":      `"\ufeff"`,
		"\U000e0041x": `"\udb40\udc41x"`,
		"\U0001d173":  `"\ud834\udd73"`,
		"\x1b[31m":    `"\u001b[31m"`,
		"é 世界 👩 \t":   `"é 世界 👩 \t"`,
	} {
		var raw strings.Builder
		enc := json.NewEncoder(&raw)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(in); err != nil {
			t.Fatal(err)
		}
		got := string(JSON([]byte(strings.TrimSuffix(raw.String(), "\n"))))
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
		var back string
		if err := json.Unmarshal([]byte(got), &back); err != nil || back != in {
			t.Errorf("%q is read back as %q, %v", in, back, err)
		}
	}
	if got := string(JSON([]byte("\"a\xff\""))); got != "\"a\\ufffd\"" {
		t.Errorf("what is not UTF-8: %s", got)
	}
}
