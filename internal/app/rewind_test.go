package app

import (
	"strings"
	"testing"

	"parley/internal/journal"
)

// The lines of a plan say what happens to each file, and why one is left alone.
func TestTheLinesOfARewind(t *testing.T) {
	file := func(path string, effect journal.Effect, added, removed int) journal.RewindFile {
		return journal.RewindFile{Comparison: &journal.Comparison{Part: journal.Part{Path: path}, Added: added, Removed: removed}, Effect: effect}
	}
	p := &journal.RewindPlan{Files: []journal.RewindFile{
		file("blocked", journal.EffectBlocked, 0, 0), file("claimed", journal.EffectReported, 1, 1), file("lost", journal.EffectLost, 0, 0),
		file("conflict", journal.EffectConflict, 2, 0), file("other", journal.EffectConflict, 0, 0), file("restored", journal.EffectRestore, 1, 2),
		file("same", journal.EffectUnchanged, 0, 0),
	}}
	p.Files[0].Why = "it is a link now"
	p.Files[1].Reported = true
	const want = `restores restored  +1 −2
restores conflict  +2 −0: loses what has changed since
leaves other: you have changed the same lines since
leaves lost: the earlier content was not kept
leaves claimed  +1 −1: only the agent says what it contained
leaves blocked: it is a link now`
	if got := strings.Join(RewindLines(p, strings.ToLower, journal.Part{Path: "conflict"}), "\n"); got != want {
		t.Errorf("the lines are\n%s\nwant\n%s", got, want)
	}
	if len(Unsettled(p)) != 2 {
		t.Errorf("the user may choose %v", Unsettled(p))
	}
}
