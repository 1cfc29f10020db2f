package tab

import (
	"slices"
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

func TestCategory(t *testing.T) {
	runBench(t, func(_ *testing.T, b *bench) {
		b.play(twoModes)
		b.Do(categoryList(b.Tab, acpclient.CategoryModel, "this agent offers no models"))
		b.MustSay("this agent offers no models")
		b.Do(categoryList(b.Tab, acpclient.CategoryMode, ""))
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
		b.MustSay("The agent has written no file through parley.")
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
		b.Do(cancelPiece(t.Context(), s, conversation.Piece{Call: &conversation.ToolCall{ID: "t"}}))
		b.mustShow(t, "The agent has not cancelled the call")
	})
}
