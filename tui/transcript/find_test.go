package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/theme"
)

// small is a list on a screen of 60 by 10.
func small(c *conversation.Conversation) *List {
	l := New(theme.New(true), c)
	l.SetSize(60, 10)
	return l
}

func found(l *List) string {
	at, all := l.Found()
	return fmt.Sprintf("%d/%d", at, all)
}

func sees(l *List, text string) bool {
	return strings.Contains(ansi.Strip(strings.Join(l.Lines(), "\n")), text)
}

func TestFindWalksAllMatches(t *testing.T) {
	var events []conversation.Event
	for i := range 200 {
		events = append(events, ask(fmt.Sprintf("prompt %d", i)), say(fmt.Sprintf("answer %d with a needle", i)), conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	}
	events = append(events, say("Two: needle and Needle."))
	l := small(fold(events...))
	l.Top()
	l.Find("needle")
	if found(l) != "1/202" || !sees(l, "answer 0 ") {
		t.Fatalf("at %s", found(l))
	}
	l.FindNext(1)
	l.FindNext(1)
	if found(l) != "3/202" || !sees(l, "answer 2 ") {
		t.Errorf("at %s", found(l))
	}
	l.FindNext(-1)
	l.FindNext(-1)
	l.FindNext(-1)
	if found(l) != "202/202" || !sees(l, "Two: needle") {
		t.Errorf("before the first: at %s", found(l))
	}
	l.FindNext(-1)
	if found(l) != "201/202" {
		t.Errorf("the first of two in an item: at %s", found(l))
	}
	l.FindNext(1)
	l.FindNext(1)
	if found(l) != "1/202" || !sees(l, "answer 0 ") {
		t.Errorf("behind the last: at %s", found(l))
	}
	l.Find("Needle")
	if found(l) != "1/1" || !sees(l, "Two: needle") {
		t.Errorf("with a capital: at %s", found(l))
	}
	l.Find("nothing of the kind")
	if found(l) != "0/0" || !l.Finding() {
		t.Errorf("nothing: at %s", found(l))
	}
	l.FindNext(1)
	l.Find("")
	if l.Finding() {
		t.Error("an empty text goes on finding")
	}
}

func TestFindMarksMatches(t *testing.T) {
	th := theme.New(true)
	l := small(fold(say("One **needle** and a needle that is long enough to be wrapped, with a hay stack at the very end of it all.")))
	l.Find("needle")
	drawn := strings.Join(l.Lines(), "\n")
	current, other := th.MatchCurrent.Render("needle"), th.Match.Render("needle")
	if strings.Count(drawn, current) != 1 || strings.Count(drawn, other) != 1 {
		t.Errorf("marked: %q", drawn)
	}
	l.FindNext(1)
	if again := strings.Join(l.Lines(), "\n"); strings.Index(again, current) < strings.Index(again, other) {
		t.Errorf("the second match is not the current one: %q", again)
	}
	before := ansi.Strip(drawn)
	l.StopFinding()
	if after := strings.Join(l.Lines(), "\n"); ansi.Strip(after) != before || strings.Contains(after, current) {
		t.Errorf("the marks stay: %q", after)
	}
	// A match that was wrapped is marked in both lines.
	for _, width := range []int{20, 30, 40, 50} {
		l.SetSize(width, 20)
		l.Find("long enough to be wrapped, with a hay stack at the very end")
		if at, all := l.Found(); at != 1 || all != 1 {
			t.Errorf("at a width of %d: %d of %d", width, at, all)
		}
		marked := 0
		for _, line := range l.Lines() {
			if strings.Contains(line, strings.TrimSuffix(strings.SplitAfter(current, "m")[0], "m")) {
				marked++
			}
		}
		if marked < 2 {
			t.Errorf("at a width of %d, %d lines are marked", width, marked)
		}
	}
}

func TestFindOpensWhatIsCollapsed(t *testing.T) {
	long := strings.Repeat("line\n", 100) + "a needle\n" + strings.Repeat("line\n", 100)
	c := fold(ask("go"), tool("t", acpclient.ToolCompleted, acpclient.ToolCallContent{
		Type: acpclient.ToolContentBlock, Content: &acpclient.ContentBlock{Type: acpclient.ContentText, Text: long},
	}), say(strings.Repeat("more\n\n", 50)))
	l := small(c)
	if sees(l, "needle") {
		t.Fatal("it is in sight already")
	}
	l.Find("a needle")
	if !sees(l, "a needle") || found(l) != "1/1" {
		t.Errorf("at %s:\n%s", found(l), ansi.Strip(strings.Join(l.Lines(), "\n")))
	}
}

func TestFindFollowsWhatIsAdded(t *testing.T) {
	c := fold(ask("needle"))
	l := small(c)
	l.Find("needle")
	c.Apply(say("another needle"))
	c.Apply(say(" and a needle"))
	l.FindNext(1)
	if found(l) != "2/3" {
		t.Errorf("at %s", found(l))
	}
}

func TestNextPrompt(t *testing.T) {
	var events []conversation.Event
	for i := range 5 {
		events = append(events, ask(fmt.Sprintf("prompt %d", i)), say(strings.Repeat("words\n\n", 20)), conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	}
	l := small(fold(events...))
	if l.Percent() != 100 {
		t.Errorf("at the end: %d", l.Percent())
	}
	for i := 4; i >= 0; i-- {
		if !l.NextPrompt(-1) || !strings.Contains(ansi.Strip(l.Lines()[0]), fmt.Sprintf("prompt %d", i)) {
			t.Fatalf("up: %q, want prompt %d", ansi.Strip(l.Lines()[0]), i)
		}
	}
	if l.NextPrompt(-1) || l.Percent() != 0 {
		t.Errorf("there is a prompt above the first, or it is at %d", l.Percent())
	}
	if !l.NextPrompt(1) || !strings.Contains(ansi.Strip(l.Lines()[0]), "prompt 1") {
		t.Errorf("down: %q", ansi.Strip(l.Lines()[0]))
	}
}

// BenchmarkFind looks for a word in a session of that many turns: in proportion
// to its text, and never more than a step at a time.
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := conversation.New()
			text := strings.Repeat("Some words of an answer that goes on for a while. ", 10)
			for i := range n {
				c.Apply(ask("a prompt"))
				c.Apply(say(fmt.Sprint(text, i)))
				c.Apply(conversation.TurnEnded{Reason: acpclient.StopEndTurn})
			}
			l := small(c)
			b.ReportAllocs()
			for b.Loop() {
				for more := l.Find("while. 99"); more; {
					more = l.FindOn()
				}
				l.Lines()
			}
		})
	}
}
