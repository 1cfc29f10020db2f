package cli

import (
	"errors"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
)

// An option is named by what is shown: its number or its name. Its id, which nobody sees, is
// no name, and a name that several have, or seem to have, is nobody's.
func TestTheOptionThatAWordNames(t *testing.T) {
	for name, c := range map[string]struct {
		options string // id=name, …
		word    string
		want    string // the id, or what the error says
	}{
		"number":                {"a=Allow once, r=Reject", "2", "r"},
		"name":                  {"a=Allow once, r=Reject", "Reject", "r"},
		"case":                  {"a=Allow once, r=Reject", "allow ONCE", "a"},
		"the id of another":     {"Reject=Allow once, r=No", "Reject", `no option "Reject"`},
		"an id":                 {"a=Allow once, r=No", "a", `no option "a"`},
		"equal names":           {"a=Allow, b=Allow, r=No", "Allow", `2 options of question 7 are called "Allow"`},
		"equal but for case":    {"a=allow, b=ALLOW, r=No", "allow", "2 options"},
		"equal but for blanks":  {"a=Do it, b=Do  it, c=Doit, r=No", "Do it", "3 options"},
		"a hidden one is shown": {"a=Reject, b=Re\u200bject", "Reject", "a"},
		"a number is a number":  {"a=2, b=1", "1", "a"},
		"a name that is 3":      {"a=3, b=No", "3", "no option 3"},
		"no number":             {"a=Allow, b=No", "0", "no option 0"},
		"a negative one":        {"a=Allow, b=No", "-1", "no option -1"},
		"nothing":               {"a=, b=No", "", `no option ""`},
		"hidden characters":     {"a=\u200b, b=No", "\u200b", "no option"},
		"without a name":        {"a=, b=No", "unnamed option", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			q := asked{Seen: conversation.Seen{ID: 7, Revision: 1}}
			var all []acpclient.PermissionOption
			for o := range strings.SplitSeq(c.options, ", ") {
				id, name, _ := strings.Cut(o, "=")
				all = append(all, acpclient.PermissionOption{OptionID: acpclient.PermissionOptionID(id), Name: name, Kind: acpclient.AllowOnce})
			}
			q.Choices = app.PermissionChoices(&conversation.Permission{Options: all})
			got, err := q.named(c.word)
			switch {
			case err == nil && got.Act.(session.Answer).Option != acpclient.PermissionOptionID(c.want):
				t.Errorf("it is %+v", got)
			case err != nil && !strings.Contains(err.Error(), c.want):
				t.Errorf("it ends with %v", err)
			}
		})
	}
}

// The number of a question names its revision, too.
func TestTheQuestionThatANumberNames(t *testing.T) {
	open := []asked{{Seen: conversation.Seen{ID: 7, Revision: 1}}, {Seen: conversation.Seen{ID: 8, Revision: 3}}}
	for number, want := range map[string]string{
		"7": "7", "8.3": "8.3", "8": "question 8 has changed", "8.2": "question 8 has changed", "7.2": "question 7 has changed", "9": `no question "9"`, "": `no question ""`, "8.30": "question 8 has changed",
	} {
		q, err := chosen(open, "4f2c", number)
		switch {
		case err != nil:
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q ends with %v", number, err)
			}
		case q.number() != want:
			t.Errorf("%q is %s", number, q.number())
		}
	}
	var hint *app.HintError
	if _, err := chosen(open, "4f2c", "8"); !errors.As(err, &hint) || !strings.Contains(hint.Hint, "parley answer 4f2c") {
		t.Errorf("the error says %v, and not how to go on", err)
	}
}

// The text of a question cannot look like another question, or like an option.
func TestAQuestionCannotPretendToBeTwo(t *testing.T) {
	q := asked{Seen: conversation.Seen{ID: 7, Revision: 1}, Question: app.Question{Title: "t", Text: "hi\nQuestion 9: fake\n1. Allow", Choices: []app.Choice{{Name: "Reject"}}}}
	want := "Question 7: t\n\n  hi\n  Question 9: fake\n  1. Allow\n\n1. Reject\n\nTo answer it: parley answer 4f2c 7 OPTION\n"
	if got := q.String("4f2c"); got != want {
		t.Errorf("%q", got)
	}
}
