package dialog

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// commandOf is a command of so many lines, all different and of no other round.
func commandOf(round, lines int) (command []string, update conversation.Event) {
	for i := range lines {
		command = append(command, fmt.Sprintf("echo r%02d-%03d;", round, i))
	}
	return command, conversation.Update{Update: &acpclient.ToolCallUpdate{
		ToolCallID: "t", RawInput: []byte(`{"command":` + quote(strings.Join(command, "\n")) + `}`),
	}}
}

// answered tries every way to answer by keys, and reports whether one was an answer. It
// looks at what is drawn after each key, which may scroll. Enter is left out where a part
// is out of sight, since it goes to the end then.
func answered(d *Permission, c *clock, look func()) bool {
	defer c.pass(LookTime + QuietTime)
	for _, keys := range [][]string{{"1", "1", "enter"}, {"y", "y", "enter"}, {"down", "enter"}, {"alt+1", "alt+enter"}} {
		d.mark(-1)
		c.pass(LookTime + QuietTime) // what was typed before is text
		for _, key := range keys {
			if strings.HasSuffix(key, "enter") && !d.viewed.complete() {
				continue
			}
			if _, ok := d.Key(press(key)).(Answer); ok {
				return true
			}
			look()
		}
	}
	d.mark(-1)
	return false
}

// What was seen of a question counts no more when the agent changes what it asks.
func TestAQuestionThatHasGrownTakesNoAnswer(t *testing.T) {
	conv, p := proposed()
	_, short := commandOf(0, 2)
	conv.Apply(short)
	d, c := armed(p)
	shownBy(d, 80, 20)
	long, grown := commandOf(1, 60)
	conv.Apply(grown)
	shownBy(d, 80, 20)
	c.pass(LookTime + QuietTime + ReplaceTime)
	if text := shownBy(d, 80, 20); strings.Contains(text, long[59]) {
		t.Fatalf("the end is in sight:\n%s", text)
	}
	look := func() { shownBy(d, 80, 20) }
	if answered(d, c, look) {
		t.Error("it took an answer before its new end was seen")
	}
	if _, ok := d.Key(press("enter")).(Answer); ok {
		t.Error("enter gave an answer before its new end was seen")
	}
	d.Key(press("end"))
	if text := shownBy(d, 80, 20); !strings.Contains(text, long[59]) {
		t.Fatalf("the end is not in sight:\n%s", text)
	}
	if !answered(d, c, look) {
		t.Error("it takes no answer once its end was seen")
	}
}

// Whatever the user scrolls and the agent changes, no answer is taken unless every line of
// what is asked now was drawn. ("end" is left out: it goes to the end without them.)
func TestNoAnswerBeforeEveryLineWasDrawn(t *testing.T) {
	test.Checks(t, 50) // of many rounds each
	rapid.Check(t, func(rt *rapid.T) {
		conv, p := proposed()
		command, first := commandOf(0, rapid.IntRange(1, 8).Draw(rt, "lines"))
		conv.Apply(first)
		d, c := armed(p)
		drawn := map[string]bool{}
		height := rapid.IntRange(14, 30).Draw(rt, "height")
		look := func() {
			text := shownBy(d, 80, height)
			for _, line := range command {
				drawn[line] = drawn[line] || strings.Contains(text, line)
			}
		}
		look()
		for round := 1; round < 40; round++ {
			switch step := rapid.SampledFrom([]string{"change", "pgdown", "pgdown", "pgup", "shift+down", "home", "size", "answer", "answer"}).Draw(rt, "step"); step {
			case "change":
				var e conversation.Event
				command, e = commandOf(round, rapid.IntRange(1, 60).Draw(rt, "lines"))
				conv.Apply(e)
				look()
				c.pass(LookTime + QuietTime + ReplaceTime)
			case "size":
				height = rapid.IntRange(14, 30).Draw(rt, "height")
			case "answer":
				if !answered(d, c, look) {
					break
				}
				for _, line := range command {
					if !drawn[line] {
						rt.Fatalf("an answer was taken before %q was drawn", line)
					}
				}
			default:
				d.Key(press(step))
			}
			look()
		}
	})
}
