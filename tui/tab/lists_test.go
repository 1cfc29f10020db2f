package tab

import (
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// twoModes is an agent with two modes, modeless is one with none.
const (
	twoModes = `handshake {} {"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Mode ask"}, {"id": "code", "name": "Mode code"}]}}
serve
`
	modeless = "handshake\nserve\n"
)

func TestNextMode(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.Do(nextMode(b.Tab))
		if b.toast.text != "" {
			t.Errorf("before there is a session it says %q", b.toast.text)
		}
		b.play(twoModes)
		for _, want := range []string{"Mode code", "Mode ask"} {
			b.Do(nextMode(b.Tab))
			if got, _ := b.conv.CategoryValue(acpclient.CategoryMode); got != want {
				t.Errorf("the mode is %q, want %q", got, want)
			}
		}
	})
	runBench(t, func(_ *testing.T, b *bench) {
		b.play(modeless)
		b.Do(nextMode(b.Tab))
		b.MustSay("this agent has no modes")
	})
}

// A mode that is on or off is toggled, and where there is nothing to switch to, it says so.
func TestNextModeOfOtherKinds(t *testing.T) {
	const script = `handshake {} {"configOptions": [%s]}
serve
`
	option := func(rest string) string {
		return strings.Replace(script, "%s", `{"id": "m", "name": "Plan mode", "category": "mode", `+rest+`}`, 1)
	}
	runBench(t, func(_ *testing.T, b *bench) {
		b.play(option(`"type": "boolean", "currentValue": false`))
		for _, want := range []string{"on", "off"} {
			b.Do(nextMode(b.Tab))
			if got, _ := b.conv.CategoryValue(acpclient.CategoryMode); got != want {
				t.Errorf("the mode is %q, want %q", got, want)
			}
		}
	})
	for rest, want := range map[string]string{
		`"type": "select", "currentValue": "a", "options": [{"value": "a", "name": "Mode A"}]`: "Plan mode has no other value than Mode A",
		`"type": "select", "currentValue": "a", "options": []`:                                 "Plan mode has no values",
	} {
		runBench(t, func(_ *testing.T, b *bench) {
			b.play(option(rest))
			b.Do(nextMode(b.Tab))
			b.MustSay(want)
		})
	}
}

func TestTheFirstScreenShowsNoIDs(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.play(twoModes)
		b.mustShow(t, "Mode ask")
		b.mustNotShow(t, "=ask")
	})
}

func TestCategory(t *testing.T) {
	runBench(t, func(_ *testing.T, b *bench) {
		b.play(twoModes)
		b.Do(categoryList(b.Tab, "this agent offers no models", acpclient.CategoryModel))
		b.MustSay("this agent offers no models")
		b.Do(categoryList(b.Tab, "", acpclient.CategoryMode))
		b.MustSay("Mode code")
	})
}

// The files that the agent wrote are listed with how much they have changed, and opened in
// the person's editor.
func TestFiles(t *testing.T) {
	t.Setenv("VISUAL", "my-editor")
	runBench(t, func(t *testing.T, b *bench) {
		b.ready()
		b.conv.Apply(conversation.FileWritten{Path: b.cwd + "/a.txt", After: "one\ntwo\n"})
		b.Do(fileList(b.Tab))
		b.MustSay("a.txt")
		b.MustSay("+2")
		b.Choose("a.txt")
		if got := b.wished(); len(got) != 1 || !slices.Contains(got[0].(Exec).Cmd.Args, b.cwd+"/a.txt") {
			t.Errorf("it wished %v", got)
		}
		b.conv = conversation.New()
		b.Do(fileList(b.Tab))
		b.MustSay("No files written through parley.")
	})
}

func TestNothingToCancel(t *testing.T) {
	if items := pieceItems(t.Context(), conversation.New(), nil); len(items) != 0 {
		t.Errorf("%d calls can be cancelled", len(items))
	}
}

// What the agent does not cancel is told in the transcript.
func TestCancelPiece(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		s := b.ready()
		b.Do(cancelOperation(t.Context(), s, conversation.Operation{Call: &conversation.ToolCall{ID: "t"}}))
		b.mustShow(t, "The agent did not cancel the call")
	})
}
