package desktop

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// finder is an environment with some variables and programs.
func finder(env map[string]string, programs ...string) EditorFinder {
	return EditorFinder{
		Getenv: func(name string) string { return env[name] },
		LookPath: func(name string) (string, error) {
			for _, p := range programs {
				if p == name {
					return "/usr/bin/" + name, nil
				}
			}
			return "", exec.ErrNotFound
		},
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		name, editor string
		want         []string
	}{
		{"one word", "vi", []string{"vi"}},
		{"arguments", " code --wait  -n ", []string{"code", "--wait", "-n"}},
		{"quotes", `"/my apps/edit" -n 'a b' c\ d`, []string{"/my apps/edit", "-n", "a b", "c d"}},
		{"a variable", "$HOME/bin/ed \"${HOME}\" '$HOME'", []string{"/h/bin/ed", "/h", "$HOME"}},
		{"a variable that has several words", "$MINE -n", []string{"code", "--wait", "-n"}},
		{"the home directory", "~/bin/ed a~b", []string{"/h/bin/ed", "a~b"}},
		{"a quote that is not closed", `"vi`, nil},
		{"a command within it", "$(touch x)", nil},
		{"a command within quotes", "\"`touch x`\"", nil},
		{"a second command", "vi; touch x", nil},
		{"a pipe", "vi | tee x", nil},
		{"what comes of other files", "vi < x", nil},
		{"an empty name", `"" x`, nil},
		{"a variable that is not set", "$NOTHING", nil},
		{"an odd substitution", "${", nil},
		{"a variable that is changed", "${HOME:-vi}", nil},
		{"several words in one", "vi {1..9999999}", nil},
		{"arithmetic that fails", "$((1/0))", nil},
		{"a process", "<(true)", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := finder(map[string]string{"EDITOR": c.editor, "HOME": "/h", "MINE": "code --wait"}).Words()
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c.want == nil && (err == nil || !strings.Contains(err.Error(), "$EDITOR")) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	for _, c := range []struct {
		name string
		env  map[string]string
		have []string
		line int
		want []string
	}{
		{"VISUAL before EDITOR", map[string]string{"VISUAL": "hx", "EDITOR": "vi"}, nil, 7, []string{"hx", "f"}},
		{"at a line", map[string]string{"EDITOR": "/usr/bin/nvim -R"}, nil, 7, []string{"/usr/bin/nvim", "-R", "+7", "f"}},
		{"without a line", map[string]string{"EDITOR": "vi"}, nil, 0, []string{"vi", "f"}},
		{"nano, when neither is set", nil, []string{"vi", "nano"}, 3, []string{"/usr/bin/nano", "+3", "f"}},
		{"vi, when there is no other", map[string]string{"EDITOR": "  "}, []string{"vi"}, 3, []string{"/usr/bin/vi", "+3", "f"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd, err := finder(c.env, c.have...).Open("f", c.line)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, cmd.Args); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if _, err := finder(nil).Open("f", 1); !errors.Is(err, errNoEditor) {
		t.Errorf("without any editor: %v", err)
	}
}

// Whatever stands in the variable, there is an error or a program, never a panic.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"vi", `"a b" c`, "$(x)", "${x", "`", "a\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words, err := finder(map[string]string{"EDITOR": s}).Words()
		if err == nil && (len(words) == 0 || words[0] == "") {
			t.Errorf("%q: %q", s, words)
		}
	})
}

func TestPager(t *testing.T) {
	for value, want := range map[string][]string{
		"":                {"less", "-R"},
		"cat":             nil,
		"less -FRX":       {"less", "-FRX"},
		"'my pager' -a":   {"my pager", "-a"},
		"not-there":       nil,
		"less | tee copy": nil,
	} {
		got := Pager(func(name string) string {
			if name == "PAGER" {
				return value
			}
			return ""
		}, func(program string) (string, error) {
			if program == "not-there" {
				return "", exec.ErrNotFound
			}
			return program, nil
		})
		if !slices.Equal(got, want) {
			t.Errorf("PAGER=%q: %q, want %q", value, got, want)
		}
	}
}
