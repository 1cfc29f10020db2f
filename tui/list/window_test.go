package list

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever is done to a window, the marked row is one that there is, and in sight.
func TestWindowKeepsTheMarkInSight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Window
		number := rapid.IntRange(-50, 50)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				w.Fit(rapid.IntRange(0, 40).Draw(t, "rows"), rapid.IntRange(0, 20).Draw(t, "height"))
			case 1:
				w.Move(number.Draw(t, "move"))
			case 2:
				w.By(number.Draw(t, "scroll"))
			case 3:
				w.Click(number.Draw(t, "click"))
			case 4:
				w.Follow = !w.Follow
			}
			if w.Top < 0 || w.Top > max(0, w.Len-w.Height) {
				t.Fatalf("%+v: there are no such lines", w)
			}
			if w.Len > 0 && w.Height > 0 && (w.Mark < w.Top || w.Mark >= w.End()) {
				t.Fatalf("%+v: the mark is out of sight", w)
			}
		}
	})
}

func TestScrollKeepsALineOfThePageBefore(t *testing.T) {
	var s Scroll
	for _, tt := range []struct{ height, top int }{{1, 1}, {3, 3}, {4, 3}, {20, 19}} {
		s.Top = 0
		s.Fit(100, tt.height)
		if s.Page(1); s.Top != tt.top {
			t.Errorf("a page of %d lines goes to line %d, want %d", tt.height, s.Top, tt.top)
		}
	}
}
