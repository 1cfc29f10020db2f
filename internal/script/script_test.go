package script

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// writer is a run that keeps what its steps write.
type writer struct {
	Run
	text strings.Builder
}

var verbs = map[string]Verb[*writer]{
	"write": Words(func(w *writer, text string) error { w.text.WriteString(text + "\n"); return nil }),
	"text": func(a *Args) Action[*writer] {
		return Expanded(a.Block("end"), func(w *writer, text string) error { w.text.WriteString(text); return nil })
	},
	"json": func(a *Args) Action[*writer] {
		return ExpandedJSON(a.NeedJSON(), func(w *writer, raw json.RawMessage) error { w.text.Write(append(raw, '\n')); return nil })
	},
	"set": func(a *Args) Action[*writer] {
		name, value := a.Named("variable"), a.NeedJSON()
		return ExpandedJSON(value, func(w *writer, raw json.RawMessage) error { w.Set(name, raw); return nil })
	},
	"call": func(a *Args) Action[*writer] {
		a.Method()
		a.As()
		return nil
	},
	"sleep": func(a *Args) Action[*writer] { a.Duration(); return nil },
	"exit": func(a *Args) Action[*writer] {
		a.Number()
		return func(*writer) error { return errDone }
	},
	"hang": Plain(func(*writer) error { return nil }),
}

var errDone = errors.New("done")

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"unknown step", "# comment\n\nspeak hello", `s.txt:3: there is no step "speak"`},
		{"no JSON", "json", "s.txt:1: json: wants JSON"},
		{"bad JSON", "json {a}", "s.txt:1: json: wants JSON: invalid character 'a'"},
		{"JSON that does not end", "\njson {\n\"a\":1", "s.txt:2: json: the JSON does not end"},
		{"too much", "json {} {}", `s.txt:1: json: does not take "{}"`},
		{"argument where there is none", "hang on", `s.txt:1: hang: does not take "on"`},
		{"repeat without end", "repeat 3\nwrite a", "s.txt:1: repeat: end is missing"},
		{"repeat without number", "repeat x\nend", `s.txt:1: repeat: wants a whole number, not "x"`},
		{"end without repeat", "write a\nend", "s.txt:2: end: ends no repeat or if"},
		{"else without if", "write a\nelse", "s.txt:2: else: ends no repeat or if"},
		{"else in a repeat", "repeat 2\nelse\nend", "s.txt:1: repeat: has no else"},
		{"two elses", "if a\nelse\nelse\nend", "s.txt:1: if: has more than one else"},
		{"if without end", "if a\nelse", "s.txt:1: if: end is missing"},
		{"error inside repeat", "repeat 2\n  sleep long\nend", "s.txt:2: sleep: wants a duration such as 50ms"},
		{"text without end", "text\na", `s.txt:1: text: the text does not end with "end"`},
		{"no method", "call", "s.txt:1: call: wants a method"},
		{"name", "call x as 7", `s.txt:1: call: wants the name of a value`},
		{"no name", "set true {}", `s.txt:1: set: wants the name of a variable`},
		{"line after JSON of several lines", "json {\n}\nexit no", `s.txt:3: exit: wants a whole number`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("s.txt", tt.src, verbs)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func played(t *testing.T, src string) (string, error) {
	t.Helper()
	s, err := Parse("s.txt", src, verbs)
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{Run: Run{Context: t.Context()}}
	err = s.Play(w)
	return w.text.String(), err
}

func TestPlay(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"nested repeats", "repeat 2\nwrite a${n}\nrepeat 2\n  write b${n}\nend\nwrite c${n}\nend", "a1\nb1\nb2\nc1\na2\nb1\nb2\nc2\n"},
		{"a variable as count", "set x 2\nrepeat ${x}\nwrite ${n}\nend", "1\n2\n"},
		{
			"if and else", "set go {\"on\": \"yes\"}\nif go.on is yes\nwrite 1\nelse\nwrite 2\nend\nif go.on is no\nwrite 3\nend\nif !gone\nwrite 4\nend\nif go\nwrite 5\nend",
			"1\n4\n5\n",
		},
		{"no is not set", "set a \"no\"\nif a\nwrite 1\nelse\nwrite 2\nend", "2\n"},
		{"values", "set v {\"list\": [{\"text\": \"a \\\"b\\\"\"}], \"n\": 1}\nwrite ${v.list.0.text} ${v.n} ${ab:2}\njson {\"x\": \"${v.list.0.text}\", \"y\": ${v.list}}", `a "b" 1 abab
{"x":"a \"b\"","y":[{"text":"a \"b\""}]}
`},
		{"a text of several lines", "text\n\n  a\n    b\n  end", "\na\n  b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := played(t, tt.src); got != tt.want || err != nil {
				t.Errorf("got %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

func TestErrorsNameTheirStep(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"write ${who}", `s.txt:1: write: ${who}: nothing is called "who"`},
		{"repeat 1\nend\nwrite ${n}", `s.txt:3: write: ${n}: nothing is called "n"`},
		{"set a {}\nwrite ${a.b}", `s.txt:2: write: ${a.b}: no such value in {}`},
		{"write ${a:-1}", `s.txt:1: write: ${a:-1}: "-1" is not a count`},
		{"set a \"x\"\nrepeat ${a}\nend", `s.txt:2: repeat: wants a whole number, not "x"`},
		{"repeat 2\nif !a\nexit 1\nend\nend", "s.txt:3: exit: done"},
	} {
		if _, err := played(t, tt.src); err == nil || err.Error() != tt.want {
			t.Errorf("%q: %v\nwant %s", tt.src, err, tt.want)
		}
	}
	if _, err := played(t, "exit 1"); !errors.Is(err, errDone) {
		t.Errorf("%v is not the error of the step", err)
	}
}

func TestTheContextEndsTheRun(t *testing.T) {
	s, err := Parse("s.txt", "hang\nwrite a", verbs)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	w := &writer{Run: Run{Context: ctx}}
	if err := s.Play(w); !errors.Is(err, context.Canceled) || w.text.Len() > 0 {
		t.Errorf("wrote %q, %v", w.text.String(), err)
	}
}
