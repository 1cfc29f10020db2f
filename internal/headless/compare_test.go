package headless_test

import (
	"slices"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/headless"
)

// side is a result with a check, "" for none, and the lines it has changed.
func side(s headless.Status, check string, lines int) headless.Compared {
	c := headless.Compared{Result: &headless.Result{Status: s}, Changed: &app.Tally{Added: lines}}
	if lines > 0 {
		c.Changed.Files = 1
	}
	if check != "" {
		c.Check = &compare.Checked{Passed: check == "passed"}
	}
	return c
}

func TestBestOfAComparison(t *testing.T) {
	for name, tt := range map[string]struct {
		all  []headless.Compared
		want int
	}{
		"the one that passed":        {[]headless.Compared{side("answered", "failed", 1), side("permission_denied", "passed", 9)}, 1},
		"the fewest lines":           {[]headless.Compared{side("answered", "passed", 3), side("answered", "passed", 2)}, 1},
		"the first":                  {[]headless.Compared{side("answered", "passed", 2), side("answered", "passed", 2)}, 0},
		"not one that did nothing":   {[]headless.Compared{side("answered", "passed", 0), side("answered", "passed", 2)}, 1},
		"not one that broke a rule":  {[]headless.Compared{side("rule_bypassed", "passed", 1), side("answered", "passed", 2)}, 1},
		"none that passed":           {[]headless.Compared{side("answered", "failed", 1), side("agent_failed", "", 1)}, -1},
		"none that changed anything": {[]headless.Compared{side("answered", "passed", 0)}, -1},
	} {
		if got := headless.Best(tt.all); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

func TestStatusOfAComparison(t *testing.T) {
	answered, failed := side("answered", "", 1), side("agent_failed", "", 1)
	passed, not := side("permission_denied", "passed", 1), side("answered", "failed", 1)
	for name, tt := range map[string]struct {
		all                  []headless.Compared
		checked, interrupted bool
		want                 headless.Status
	}{
		"all have answered":     {all: []headless.Compared{answered, answered}, want: headless.Answered},
		"one has not":           {all: []headless.Compared{answered, failed, passed}, want: headless.AgentFailed},
		"one has passed":        {all: []headless.Compared{failed, not, passed}, checked: true, want: headless.Answered},
		"none has passed":       {all: []headless.Compared{not, failed}, checked: true, want: headless.CheckFailed},
		"interrupted":           {all: []headless.Compared{passed, not}, checked: true, interrupted: true, want: headless.Cancelled},
		"one broke a rule":      {all: []headless.Compared{passed, side("rule_bypassed", "passed", 1)}, checked: true, want: headless.Bypassed},
		"passed, broke a rule":  {all: []headless.Compared{not, side("rule_bypassed", "passed", 1)}, checked: true, interrupted: true, want: headless.Bypassed},
		"nothing was checkable": {all: []headless.Compared{failed, failed}, checked: true, want: headless.CheckFailed},
	} {
		if got := headless.Overall(tt.all, tt.checked, tt.interrupted); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// The table has the columns that something is in. Wide names keep them straight.
func TestTableOfAComparison(t *testing.T) {
	a, b := side("answered", "passed", 12), side("agent_failed", "", 0)
	a.Name, a.Took, a.Spent = "模型", 1234*time.Millisecond, conversation.Spent{Tokens: 1500, Cost: &acpclient.Cost{Amount: 0.5, Currency: "USD"}}
	b.Name, b.Took, b.Changed = "beta", 75*time.Second, nil
	want := []string{
		"Agent  Status        Time    Tokens  Cost   Files  Lines   Check",
		"模型   answered      1.2s    1.5k    $0.50  1      +12 -0  passed",
		"beta   agent failed  1m 15s  -       -      -      -       -",
	}
	if got := headless.ComparedTable([]headless.Compared{a, b}); !slices.Equal(got, want) {
		t.Errorf("the table is %q", got)
	}
}
