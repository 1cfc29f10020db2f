package toolview

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuestions(t *testing.T) {
	for _, c := range []struct {
		name, input string
		want        []Question
	}{
		{
			"as most agents ask",
			`{"questions":[{"question":"Which colour?","header":"Colour","multiSelect":true,"options":[{"label":"Red","description":"Warm"},{"label":"Blue"}]}]}`,
			[]Question{{Text: "Which colour?", Line: "Colour: Which colour?", Multiple: true, Options: []string{"Red: Warm", "Blue"}}},
		},
		{"in strings", `{"questions":["Go on?"]}`, []Question{{Text: "Go on?", Line: "Go on?"}}},
		{"options in strings", `{"questions":[{"text":"Go on?","options":["yes","no"]}]}`, []Question{{Text: "Go on?", Line: "Go on?", Options: []string{"yes", "no"}}}},
		{"what hides is seen", `{"questions":["a\u202eb\nc"]}`, []Question{{Text: "a⟨U+202E⟩b␤c", Line: "a⟨U+202E⟩b␤c"}}},
		{"nothing that makes sense", `{"questions":[7,{"question":[]},{}]}`, nil},
		{"no array", `{"questions":"why?"}`, nil},
		{"none", `{"command":"ls"}`, nil},
		{"no JSON", ``, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, Questions([]byte(c.input))); d != "" {
				t.Error(d)
			}
		})
	}
}
