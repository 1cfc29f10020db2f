package dialog

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/config"
	"parley/internal/command"
	"parley/internal/termtext"
)

// picked is what was chosen in a test, in place of the action that does so.
type picked struct{ id string }

func (picked) action() {}

// chosen is the last item of a test that was chosen, or key that was used.
var chosen picked

func pick(id string) func() { return func() { chosen = picked{id} } }

// did carries out what a list or question does, and returns what was picked.
func did(a Action) Action {
	chosen = picked{}
	switch a := a.(type) {
	case Act:
		a.Do()
	case Chosen:
		a.Choice.Here()
	default:
		return a
	}
	return chosen
}

func manyModels(n int) []command.Item {
	items := make([]command.Item, n)
	for i := range items {
		items[i] = command.Item{ID: fmt.Sprint(i), Title: fmt.Sprintf("provider-%d/model-%d", i%7, i), Detail: "a model of its time", Do: pick(fmt.Sprint(i))}
	}
	return items
}

func threeItems() []command.Item {
	return []command.Item{
		{ID: "ask", Title: "Ask", Group: "careful", Do: pick("ask")},
		{ID: "off", Title: "Gone", Why: "not here", Group: "careful"},
		{ID: "code", Title: "Code", Group: "bold", Current: true, Do: pick("code")},
	}
}

func TestSelectorKeys(t *testing.T) {
	for _, tt := range []struct {
		keys string
		want Action
	}{
		{"enter", picked{"code"}}, // the current one is marked
		{"up enter", picked{"ask"}},
		{"up up up enter", picked{"ask"}},
		{"up down enter", picked{"code"}},
		{"down down enter", picked{"code"}},
		{"home enter", picked{"ask"}},
		{"pgup enter", picked{"ask"}},
		{"pgup end enter", picked{"code"}},
		{"a s k enter", picked{"ask"}},
		{"o d e enter", picked{"code"}},
		{"g o n e enter", nil}, // it cannot be chosen
		{"z z enter", nil},
		{"z z backspace backspace enter", picked{"code"}},
		{"z esc enter", picked{"code"}}, // esc clears the filter first
		{"z esc esc", Close{}},
		{"esc", Close{}},
	} {
		t.Run(tt.keys, func(t *testing.T) {
			env, _ := newEnv()
			s := NewSelector(env, command.Choice{Title: "Mode", Items: threeItems()})
			s.View(80, 20)
			if got := did(presses(t, s, strings.Fields(tt.keys)...)); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("did %#v, want %#v", got, tt.want)
			}
		})
	}
}

func TestSelectorFilterPrefersTitles(t *testing.T) {
	env, _ := newEnv()
	items := manyModels(3)
	items = append(items, command.Item{ID: "d", Title: "Other", Detail: "an opus of its kind"}, command.Item{ID: "t", Title: "Opus", Do: pick("t")})
	s := NewSelector(env, command.Choice{Items: items})
	s.Paste("op us\n")
	if got := did(s.Key(press("enter"))); got != (picked{"t"}) {
		t.Errorf("chose %v", got)
	}
	if text := shownBy(s, 80, 20); !strings.Contains(text, "2 of 5") {
		t.Errorf("it does not say how many fit:\n%s", text)
	}
}

func TestSelectorKeepsItsMarkWhenTheListChanges(t *testing.T) {
	env, _ := newEnv()
	s := NewSelector(env, command.Choice{Items: manyModels(5)})
	presses(t, s, "down", "down") // model 2
	items := append([]command.Item{{ID: "new", Title: "new"}}, manyModels(5)...)
	s.SetList(command.Choice{Items: items})
	if id := s.markedID(); id != "2" {
		t.Errorf("marked %q", id)
	}
	s.SetList(command.Choice{})
	if got := s.Key(press("enter")); got != nil {
		t.Errorf("an empty list chose %v", got)
	}
	s.SetList(command.Choice{Items: items})
	if id := s.markedID(); id != "2" {
		t.Errorf("after it was empty, marked is %q", id)
	}
	s.SetList(command.Choice{})
	s.SetList(command.Choice{Items: manyModels(2)})
	if got := did(s.Key(press("enter"))); got != (picked{"0"}) {
		t.Errorf("chose %v", got)
	}
}

// What closes a list can do something else, also while there is a filter.
func TestSelectorDoesSomethingElseThanToClose(t *testing.T) {
	env, _ := newEnv()
	s := NewSelector(env, command.Choice{Items: manyModels(20)})
	presses(t, s, "m")
	s.SetList(command.Choice{Loading: true, Stop: pick("stop"), Closing: "stop"})
	if text := hintsOf(s); !strings.Contains(text, "esc stop") {
		t.Errorf("the hints are %s", text)
	}
	if got := did(s.Key(press("esc"))); got != (picked{"stop"}) {
		t.Errorf("it did %v", got)
	}
}

func hintsOf(d Dialog) string {
	var all []string
	for _, h := range d.Hints() {
		all = append(all, h.Key+" "+h.Text)
	}
	return strings.Join(all, "  ")
}

func TestSelectorMouse(t *testing.T) {
	env, _ := newEnv()
	s := NewSelector(env, command.Choice{Items: manyModels(40)})
	v := s.View(80, 20)
	y := -1
	for i, l := range v.Lines {
		if strings.Contains(ansi.Strip(l), "model-3 ") {
			y = i
		}
	}
	click := tea.MouseClickMsg{Button: tea.MouseLeft, Y: y}
	if got := s.Mouse(click, 5, y); got != nil {
		t.Fatalf("the first click did %v", got)
	}
	if got := did(s.Mouse(click, 5, y)); got != (picked{"3"}) {
		t.Errorf("the second click did %v", got)
	}
	s.Mouse(tea.MouseWheelMsg{Button: tea.MouseWheelDown}, 0, 0)
	if id := s.markedID(); id != "6" {
		t.Errorf("the wheel marked %s", id)
	}
	if got := s.Mouse(click, 5, 0); got != nil {
		t.Errorf("a click on the frame did %v", got)
	}
}

// What types text belongs to the filter, even if it is bound to something.
func TestSelectorTypesWhatIsBound(t *testing.T) {
	cfg, err := config.Parse("test", []byte("[keys]\ndialog_down = [\"j\", \"down\"]\n"), TestActions)
	if err != nil {
		t.Fatal(err)
	}
	env, _ := newEnv()
	env.Keys = cfg.Keys
	s := NewSelector(env, command.Choice{Items: append(manyModels(20), command.Item{ID: "jay", Title: "jay", Do: pick("jay")})})
	if got := did(presses(t, s, "j", "a", "y", "enter")); got != (picked{"jay"}) {
		t.Errorf("chose %v", got)
	}
	few := NewSelector(env, command.Choice{Items: threeItems()[:1]})
	presses(t, few, "j")
	if few.input.Text() != "" {
		t.Error("a list without a filter took the key for one")
	}
}

// An item says when it was last used, in a column.
func TestWhenAnItemWasUsed(t *testing.T) {
	env, _ := newEnv()
	var items []command.Item
	for i, ago := range []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Hour} {
		items = append(items, command.Item{Title: fmt.Sprint("T", i), Used: env.Now().Add(-ago), Detail: "~/x  and more"})
	}
	text := shownBy(NewSelector(env, command.Choice{Items: append(items, command.Item{Title: "T3", Detail: "~/x"})}), 80, 20)
	for _, want := range []string{"T0  just now   ~/x  and more\n", "T1  5 min ago  ~/x  and more\n", "T2  yesterday  ~/x  and more\n", "T3  ~/x\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown in\n%s", want, text)
		}
	}
}

func BenchmarkSelectorFilter(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			env, _ := newEnv()
			items := manyModels(n)
			b.ReportAllocs()
			for b.Loop() {
				s := NewSelector(env, command.Choice{Items: items})
				for _, k := range []string{"m", "o", "7"} {
					s.Key(press(k))
				}
			}
		})
	}
}

func BenchmarkSelectorView(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			env, _ := newEnv()
			s := NewSelector(env, command.Choice{Items: manyModels(n)})
			b.ReportAllocs()
			for b.Loop() {
				s.Key(press("down"))
				s.View(120, 30)
			}
		})
	}
}

func BenchmarkPermissionView(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := editPermission()
			p.Asked.Content = []acpclient.ToolCallContent{acpclient.DiffContent("a.go", nil, strings.Repeat("one more line of code\n", n))}
			d, _ := armed(p)
			b.ReportAllocs()
			for b.Loop() {
				d.View(120, 30)
			}
		})
	}
}

// In a window of the smallest size the marked item is seen, whatever else is not.
func TestTheMarkedItemIsSeenWithLittleRoom(t *testing.T) {
	env, _ := newEnv()
	items := manyModels(20)
	for i := range items {
		items[i].Group, items[i].Detail = "some group", strings.Repeat("a long detail ", 10)
	}
	s := NewSelector(env, command.Choice{Title: "Many", Items: items})
	for range items {
		if text := shownBy(s, 40, 6); !strings.Contains(text, "❯") {
			t.Fatalf("it shows\n%s", text)
		}
		s.Key(press("down"))
	}
}

// Nothing of a row is cut while there is room, and a reason ends at a word.
func TestARowIsNotCutWithRoomLeft(t *testing.T) {
	env, _ := newEnv()
	letters := rapid.StringMatching(`[a-z]{1,9}( [a-z]{1,9}){0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(60, 120).Draw(t, "width")
		items := make([]command.Item, rapid.IntRange(1, 5).Draw(t, "items"))
		keys := 0
		for i := range items {
			items[i] = command.Item{ID: fmt.Sprint(i), Title: letters.Draw(t, "title"), Why: letters.Draw(t, "reason"), Key: rapid.SampledFrom([]string{"", "f5", "ctrl+o"}).Draw(t, "key")}
			if n := len(items[i].Key); n > 0 {
				keys = max(keys, n+keysGap)
			}
		}
		text := shownBy(NewSelector(env, command.Choice{Title: "Palette", Items: items}), width, 40)
		for _, it := range items {
			room := inner(width, 40) - rowLead
			if it.Key != "" {
				room -= keys
			}
			if len(it.Title)+detailGap+len(it.Why) <= room {
				if !regexp.MustCompile(`\b` + it.Title + ` {2,}` + it.Why + `\b`).MatchString(text) {
					t.Fatalf("%q and %q are cut:\n%s", it.Title, it.Why, text)
				}
			}
		}
		whole, room := items[0].Why, rapid.IntRange(11, 60).Draw(t, "room")
		if got := cutAtWord(whole, room); got != whole {
			if rest, is := strings.CutPrefix(whole, strings.TrimSuffix(got, " …")); !is || rest[0] != ' ' || termtext.Width(got) > room || len(whole) <= room {
				t.Fatalf("%q cut to %d is %q", whole, room, got)
			}
		}
	})
}

// What is told of an item is searched for words: letters that happen to stand somewhere in
// it would leave the whole list.
func TestSelectorFilterFindsWordsBesideTitles(t *testing.T) {
	env, _ := newEnv()
	items := []command.Item{
		{ID: "copy", Title: "Copy", Group: "the item that is marked"},
		{ID: "theme", Title: "Choose the theme", Group: "more", Do: pick("theme")},
		{ID: "sonnet", Title: "Sonnet", Detail: "a model of Claude", Do: pick("sonnet")},
	}
	for filter, want := range map[string]string{"theme": "theme", "thme": "theme", "Claude mod": "sonnet", "sonnet claude": "sonnet"} {
		s := NewSelector(env, command.Choice{Title: "Palette", Items: items})
		s.Paste(filter)
		if view := ansi.Strip(strings.Join(s.View(80, 20).Lines, "\n")); !strings.Contains(view, "1 of 3") || strings.Contains(view, "Copy") {
			t.Errorf("%q leaves:\n%s", filter, view)
		}
		if got := did(s.Key(press("enter"))); got != (picked{want}) {
			t.Errorf("%q chose %v, want %s", filter, got, want)
		}
	}
}

// A title that has the words that are looked for stands before those that have only their
// letters, of whichever words.
func TestSelectorFilterPrefersWords(t *testing.T) {
	env, _ := newEnv()
	s := NewSelector(env, command.Choice{Items: []command.Item{{Title: "copy the message"}, {Title: "the menu"}, {Title: "choose the Theme", Do: pick("theme")}}})
	if got := did(presses(t, s, strings.Fields("t h e m e enter")...)); !reflect.DeepEqual(got, picked{"theme"}) {
		t.Errorf("chose %#v", got)
	}
}

// The value that is on is marked, and beside it the one that the agent has yet to confirm.
func TestAPendingValueIsNotMarkedAsOn(t *testing.T) {
	env, _ := newEnv()
	s := NewSelector(env, command.Choice{Items: []command.Item{{Title: "Model A", Current: true}, {Title: "Model B", Pending: true}}})
	if text := shownBy(s, 80, 20); !strings.Contains(text, "● Model A") || !strings.Contains(text, "◐ Model B") {
		t.Errorf("it shows\n%s", text)
	}
}

// A group ends where its items end.
func TestGroupsOfItemsEnd(t *testing.T) {
	env, _ := newEnv()
	s := NewSelector(env, command.Choice{Items: []command.Item{{ID: "b", Title: "Model B", Group: "Used often"}, {ID: "a", Title: "Model A"}}})
	if text := shownBy(s, 80, 20); !strings.Contains(text, "Used often\n❯   Model B\n\nModel A") {
		t.Errorf("it shows\n%s", text)
	}
}

// Space chooses in a list that has it, and the list may stay.
func TestSpaceChooses(t *testing.T) {
	env, _ := newEnv()
	s := NewSelector(env, command.Choice{Space: true, Items: []command.Item{{Title: "Brave mode", Stays: true, Do: pick("brave")}}})
	a := presses(t, s, "space")
	if got := did(a); got != (picked{"brave"}) || !a.(Act).Stays {
		t.Errorf("it did %#v", a)
	}
}

func TestAListOfSixHasAFilter(t *testing.T) {
	env, _ := newEnv()
	for n, want := range map[int]bool{5: false, 6: true} {
		s := NewSelector(env, command.Choice{Items: manyModels(n)})
		if got := strings.Contains(shownBy(s, 80, 20), "type to filter"); got != want {
			t.Errorf("with %d items: filter %v", n, got)
		}
	}
}

// A list that is asked for more items as its owner types shows those that were found
// below those that fit by themselves.
func TestSelectorAsksForItemsThatFit(t *testing.T) {
	env, _ := newEnv()
	var asked []string
	l := command.Choice{Title: "Sessions", Filter: true, Items: []command.Item{{ID: "a", Title: "apples"}, {ID: "b", Title: "bananas"}}}
	l.Search = func(words string) { asked = append(asked, words) }
	l.Wider, l.WiderHint = func() { asked = append(asked, "wider") }, "all directories"
	s := NewSelector(env, l)
	do := func(a Action) {
		t.Helper()
		act, ok := a.(Act)
		if !ok || !act.Stays {
			t.Fatalf("the action is %#v", a)
		}
		act.Do()
	}
	for _, k := range "ll" { // the same key twice is written twice
		do(s.Key(tea.KeyPressMsg{Code: k, Text: string(k)}))
	}
	do(s.Paste("o"))
	if a := s.Key(tea.KeyPressMsg{Code: tea.KeyLeft}); a != nil {
		t.Errorf("moving in the line asks again: %T", a)
	}
	do(s.Key(tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl}))
	if want := []string{"l", "ll", "llo", "wider"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	if got := strings.Join(s.View(80, 20).Lines, "\n"); !strings.Contains(got, "No matches") {
		t.Errorf("something fits:\n%s", got)
	}
	l.Items = append(slices.Clone(l.Items), command.Item{ID: "c", Title: "cherries", Found: true})
	s.SetList(l)
	if got := strings.Join(s.View(80, 20).Lines, "\n"); !strings.Contains(got, "cherries") || strings.Contains(got, "apples") {
		t.Errorf("it shows\n%s", got)
	}
	if !slices.Contains(s.Hints(), Hint{env.Keys.For(command.DialogWider)[0], "all directories"}) {
		t.Errorf("the hints are %v", s.Hints())
	}
}
