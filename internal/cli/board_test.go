package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/host"
)

// Printed, the board has the groups and the order of the page: those of a comparison stand together.
func TestThePrintedBoardHasTheGroupsOfThePage(t *testing.T) {
	at := func(id, comparison string, s conversation.Standing) host.Status {
		return host.Status{ID: id, Comparison: comparison, Overview: app.Overview{Standing: s}}
	}
	rows := boardRows([]host.Status{
		at("left", "bake", conversation.StandingIdle), at("works", "", conversation.StandingWorking), at("lost", "", conversation.StandingLost), at("right", "bake", conversation.StandingAsks),
	})
	var text, json bytes.Buffer
	printBoard(&streams{Out: &text}, rows, time.Now())
	var got []string
	for line := range strings.Lines(text.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{"ID GROUP COMPARISON STATE", "right needs you bake asks", "left needs you bake idle", "lost needs you - exited", "works works - works"}
	for i, line := range want {
		if len(got) != len(want) || !strings.HasPrefix(got[i], line) {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	if err := writeJSON(&json, rows); err != nil || strings.Count(json.String(), `"group": "needs you"`) != 3 {
		t.Errorf("%v: %s", err, json.String())
	}
}
