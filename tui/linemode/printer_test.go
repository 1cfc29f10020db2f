package linemode

import "testing"

func TestProse(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"## The plan", 0, "Agent: The plan"},
		{"# A title #\n#no heading\n   ### Third", 0, "Agent: A title\n#no heading\nThird"},
		{"Some **bold** and __strong__ words, 2 ** 3 ** 4, a__b__c and `**code**`.", 0, "Agent: Some bold and strong words, 2 ** 3 ** 4, a__b__c and **code**."},
		{"`esc` stops it; ``two`` too, and a lone ` stays.", 0, "Agent: esc stops it; two too, and a lone ` stays."},
		{"```sh\n# a comment in a long line of code\n**kept**\n```\n## A heading", 20, "Agent: ```sh\n# a comment in a long line of code\n**kept**\n```\nA heading"},
		{"These words are broken in between.", 20, "Agent: These words\nare broken in\nbetween."},
		{"hostile \x1b[2J and long enough for two", 20, "Agent: hostile  and\nlong enough for two"},
	} {
		var p prose
		if got := p.Lines(c.text, "Agent: ", c.width); got != c.want {
			t.Errorf("%q at %d columns is %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// A fence stays open from one piece of a message to the next.
func TestProseInPieces(t *testing.T) {
	var p prose
	got := p.Lines("```", "", 0) + "\n" + p.Lines("# a comment", "", 0) + "\n" + p.Lines("```\n# a heading", "", 0)
	if want := "```\n# a comment\n```\na heading"; got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}
