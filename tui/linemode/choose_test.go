package linemode

import (
	"strings"
	"testing"

	"parley/internal/app"
	"parley/internal/command"
)

// Words after a command choose by number, name or value, say more about what they chose, or do
// something else to it.
func TestWordsChoose(t *testing.T) {
	var did string
	leaf := func(id, title, words string) command.Item {
		it := command.Item{ID: id, Title: title, Words: words}
		it.Do = func() { did += "chose " + id }
		it.Also = []func(){func() { did += "dropped " + id }}
		return it
	}
	for words, want := range map[string]string{
		"1":                "chose b",
		"2":                "chose three",
		"b":                "chose b",
		"the second":       "chose b",
		"yes":              "chose b",
		"drop":             "chose drop",
		"drop 1":           "dropped b",
		"drop the second":  "dropped b",
		"drop 9":           "",
		"drop drop":        "dropped drop",
		"Three of them on": "chose on",
		"three 2":          "chose off",
		"three on off":     "",
		"the second off":   "",
		"fixed":            "",
		"0":                "",
		"9":                "",
	} {
		did = ""
		var written strings.Builder
		f := &front{p: &program{out: newPrinter(&written, true), session: &live{}}, name: "pick", words: words}
		f.Choose(command.Choice{Title: "Pick", Ask: "Which?", Keys: []command.Key{{Word: "drop"}}, Items: []command.Item{
			{ID: "fixed", Title: "Fixed", Why: "it is so"},
			leaf("b", "The second", "yes"),
			{ID: "three", Title: "Three of them", Do: func() { did = "toggled" }, Open: func() {
				if f.words == "" {
					did = "chose three"
					return
				}
				f.Choose(command.Choice{Items: []command.Item{leaf("on", "on", ""), leaf("off", "off", "")}})
			}},
			leaf("drop", "Drop", ""),
		}})
		if says := written.String(); did != want || (want == "") != strings.Contains(says, "Not one of the choices: ") {
			t.Errorf("/pick %s does %q, want %q, and says %q", words, did, want, says)
		}
	}
}

// A choice that is not available, such as a second sign-in method of the same id, is not taken.
func TestWhatIsNotAvailableIsNotChosen(t *testing.T) {
	t.Parallel()
	p := &program{out: newPrinter(new(strings.Builder), true)}
	p.question = &question{Question: app.Question{Choices: []app.Choice{{Name: "Sign in", Why: "another method has this id", Here: func() { t.Error("it was taken") }}}}}
	if got := p.answerWith(p.question, "1"); got != "1: another method has this id. Nothing was answered." || p.question == nil {
		t.Errorf("%q", got)
	}
}
