package record_test

import (
	"strings"
	"testing"

	"parley/internal/record"
)

// Of two secrets of which one is a part of the other, nothing is left of the longer one.
func TestTheLongerSecretIsReplacedFirst(t *testing.T) {
	const short, long = "hunter2-correct", "hunter2-correct-horse"
	for _, secrets := range [][]string{{short, long}, {long, short}, {short, long, short}} {
		r := record.NewRedactor(secrets)
		if got := r.Text("a " + long + " b " + short); got != "a [secret] b [secret]" {
			t.Errorf("%q: %q", secrets, got)
		}
		if got := string(r.Event([]byte(`{"text":"` + long + `"}`))); got != `{"text":"[secret]"}` {
			t.Errorf("%q: %s", secrets, got)
		}
	}
}

// A message in which secrets are found has none, wherever they are.
func TestRedactedMessages(t *testing.T) {
	r := record.NewRedactor([]string{`hunter2"\<correct>`})
	for line, want := range map[string]string{
		// A value is found in any spelling of JSON.
		`{"a":["hunter2\"\\<correct>"]}`:                         `{"a":["[secret]"]}`,
		`{"a":"hunter2\u0022\u005c\u003ccorrect\u003e","n":1e3}`: `{"a":"[secret]","n":1e3}`,
		// Fields that hold secrets.
		`{"env":[{"name":"A","value":"b"},"c"],"x":1}`: `{"env":[{"name":"A","value":"[secret]"},"[secret]"],"x":1}`,
		`{"headers":{"Auth":"b"}}`:                     `{"headers":{"Auth":"[secret]"}}`,
		`{"p":[{"env":"A=b"}]}`:                        `{"p":[{"env":"[secret]"}]}`,
		// What looks as if it had some, and cannot be read.
		`{"env":`: `"[secret]"`,
		// What has none stays, byte for byte.
		`{"a": "b",  "n":1.0}`: `{"a": "b",  "n":1.0}`,
	} {
		if got := string(r.Message(false, []byte(line))); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	form := `{"id":1,"result":{"action":"accept","content":{"password":"abc","n":5}}}`
	if got := string(r.Message(true, []byte(form))); strings.Contains(got, "abc") || strings.Contains(got, "5") || !strings.Contains(got, "password") {
		t.Errorf("the answers of a form: %s", got)
	}
}
