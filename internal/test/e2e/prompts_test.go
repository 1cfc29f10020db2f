//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test/ptytest"
)

// takesImages is the opening of an agent that takes images and files.
const takesImages = `handshake {"promptCapabilities": {"image": true, "embeddedContext": true}}
`

// pngFile is a picture of a size, as it stands in a file.
func pngFile(t *testing.T, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	must(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, w, h))))
	return b.String()
}

// withClipboard is the environment of a desktop on whose clipboard is a picture.
func withClipboard(t *testing.T, picture string) []string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "clipboard.png"), []byte(picture), 0o600))
	script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *list-types*) echo image/png;; *) exec cat %s/clipboard.png;; esac\n", dir)
	must(t, os.WriteFile(filepath.Join(dir, "wl-paste"), []byte(script), 0o755))
	return []string{"WAYLAND_DISPLAY=wayland-test", "PATH=" + dir + ":" + os.Getenv("PATH")}
}

func TestAFolderIsTakenOnceAndSent(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Files: map[string]string{"docs/guide.md": "x"}, Script: begin + "say Seen.\nend-turn\n"})
	p.Ready().Type("see @doc").Shows("› docs/").Press("enter").Shows("❯ see @docs/", "› docs/")
	p.Press("enter").Gone("› docs/").Shows("❯ see @docs/")
	p.Press("enter").Shows("Seen.")
	if got := p.Sent("session/prompt")[0]; !strings.Contains(got, `"inode/directory"`) {
		t.Errorf("sent %s", got)
	}
}

func TestLinesOfAFileGoAlong(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{
		Files:  map[string]string{"list.txt": "one\ntwo\nthree\nfour\n"},
		Script: takesImages + "expect session/prompt\nsay Read.\nend-turn\n",
	})
	p.Ready().Type("what is @list.txt:2-3").Shows("lines 2 to 3 of list.txt").Type(" ").Gone("lines 2 to 3").Press("enter").Shows("Read.")
	if got := p.Sent("session/prompt")[0]; !strings.Contains(got, `list.txt#L2-L3`) || !strings.Contains(got, `"two\nthree\n"`) || strings.Contains(got, "four") {
		t.Errorf("sent %s", got)
	}
}

func TestSeveralFilesInARow(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{
		Files:  map[string]string{"apple.txt": "a round fruit", "banana.txt": "a long one"},
		Script: begin + "say Both.\nend-turn\n",
	})
	p.Ready().Type("@app").Shows("› apple.txt").Press("ctrl+space").Shows("❯ @apple.txt @")
	p.Type("ban").Shows("› banana.txt").Press("tab").Shows("❯ @apple.txt @banana.txt").Press("enter").Shows("Both.")
	got := p.Sent("session/prompt")[0]
	for _, name := range []string{"apple.txt", "banana.txt"} {
		if !strings.Contains(got, "/"+name+`"`) {
			t.Errorf("%s is not in %s", name, got)
		}
	}
}

func TestTheHistoryIsAListToChooseFrom(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: "handshake\nserve session/prompt\nserve\n"})
	p.Ready().Ask("fix the parser").Idle().Shows("❯ fix the parser").Ask("write the docs").Idle().Ask("fix a test").Idle()
	p.Press("ctrl+r").Shows("› fix a test", "  write the docs", "  fix the parser", "search:", "back to the draft").Gone("enter send")
	p.Type("ftp").Shows("› fix the parser", "1 of 3").Press("backspace", "backspace", "backspace").Type("fix").Shows("› fix a test", "2 of 3")
	p.Press("ctrl+r").Shows("› fix the parser").Press("enter").Gone("search:").Shows("❯ fix the parser", "enter send")
	p.Press("ctrl+u", "ctrl+r").Shows("search:").Type("docs").Shows("› write the docs").Press("esc").Gone("search:").Shows("❯ Type a prompt")
}

func TestAnImageIsPastedDroppedAndMentioned(t *testing.T) {
	t.Parallel()
	pasted := pngFile(t, 64, 48)
	p := Start(t, Options{
		Env: withClipboard(t, pasted), Files: map[string]string{"shot.png": pngFile(t, 32, 20), "my drop.png": pngFile(t, 10, 10)},
		Script: takesImages + "expect session/prompt\nsay Three pictures.\nend-turn\n",
	})
	p.Ready().Type("compare ").Press("ctrl+v").Shows(fmt.Sprintf("❯ compare [image, 64×48, %d bytes]", len(pasted)))
	p.Type("@shot").Shows("› shot.png").Press("tab").Shows("[image shot.png, 32×20, ")
	p.Paste(strings.ReplaceAll(filepath.Join(p.Project(), "my drop.png"), " ", `\ `))
	p.Shows("[image my drop.png, 10×10, ")
	p.Press("enter").Shows("Three pictures.")
	if got := p.Sent("session/prompt")[0]; strings.Count(got, `"type":"image"`) != 3 || strings.Count(got, `"mimeType":"image/png"`) != 3 {
		t.Errorf("sent %s", got)
	}
}

func TestAnAgentThatTakesNoImages(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{
		Env: withClipboard(t, pngFile(t, 64, 48)), Files: map[string]string{"shot.png": pngFile(t, 32, 20)},
		Script: `handshake {"promptCapabilities": {}}
expect session/prompt
say A link.
end-turn
`,
	})
	p.Ready().Type("see ").Press("ctrl+v").Shows("takes no images").Gone("[image")
	p.Type("@shot").Shows("› shot.png").Press("tab").Shows("❯ see @shot.png").Press("enter").Shows("A link.")
	if got := p.Sent("session/prompt")[0]; !strings.Contains(got, `"resource_link"`) || strings.Contains(got, `"type":"image"`) {
		t.Errorf("sent %s", got)
	}
}

func TestTheCommandsOfParleyStandApart(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `handshake
update {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "review", "description": "look at the change", "input": {"hint": "what to look at"}}, {"name": "help", "description": "of the agent"}]}
expect session/prompt contains "/help"
say The agent's help.
end-turn
`})
	p.Ready().Type("/").Shows("› /review", "look at the change", "/mode      parley  Choose the mode", "/help      of the agent")
	p.Type("rev").Press("tab").Shows("❯ /review what to look at").Type("src").Shows("❯ /review src", " /review what to look at ")
	p.Press("ctrl+u").Ask("/help").Shows("The agent's help.").Idle()
	p.Ask("/guide").Shows("The guide to parley").Press("esc").Gone("The guide to parley")
	if n := len(p.Sent("session/prompt")); n != 1 {
		t.Errorf("%d prompts were sent", n)
	}
}

func TestTheQueueIsEditedOrderedAndEmptied(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + `say At it.
expect session/cancel
end-turn cancelled
serve session/prompt
serve
`})
	p.Ready().Ask("first").Shows("At it.").Ask("one").Shows("queued: one").Ask("two").Shows("queued: two").Ask("three").Shows("queued: three")
	p.Press("alt+q").Question("Queue", "one", "two", "three", "Clear the queue")
	p.Press("alt+down").order("two", "one", "three")
	p.Press("down").Press("ctrl+x").Question("Queue").Gone("queued: three").order("two", "one")
	p.Press("up", "enter").Gone("Clear the queue").Shows("❯ one").Gone("queued: one")
	p.Type(" more").Press("enter").Shows("queued: one more").order("two", "one more")
	p.Press("alt+q").Question("Clear the queue").Press("end", "enter").Shows("removed 2 prompts").Gone("queued:")
	p.Press("esc").Shows("Cancelled").Idle()
	if n := len(p.Sent("session/prompt")); n != 1 {
		t.Errorf("%d prompts were sent", n)
	}
}

// A draft is not lost to a prompt that waits: the list says so, and stays as it was.
func TestAPromptThatWaitsDoesNotReplaceADraft(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + "say At it.\nexpect session/cancel\nend-turn cancelled\n"})
	p.Ready().Ask("first").Shows("At it.").Ask("one").Shows("queued: one").Ask("two").Shows("queued: two").Type("a draft")
	p.Press("alt+q").Question("Queue", "Queued prompts", "❯   one").Press("down").Question("❯   two").Press("enter")
	p.Shows("send or clear the draft first").Question("Queue", "❯   two")
	p.Press("esc").Gone("Queue").Shows("❯ a draft", "queued: two")
}

// order waits until what waits stands in that order above the prompt.
func (p *Parley) order(texts ...string) *Parley {
	p.t.Helper()
	p.WaitUntil(fmt.Sprintf("what waits is %q", texts), func(s ptytest.Screen) bool {
		var queued []string
		for y := range s.Rows {
			if _, text, ok := strings.Cut(s.Line(y), "queued: "); ok {
				queued = append(queued, strings.TrimSpace(text))
			}
		}
		return fmt.Sprint(queued) == fmt.Sprint(texts)
	})
	return p
}

func TestSendNowCancelsTheTurnFirst(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + `say At it.
expect session/cancel
end-turn cancelled
expect session/prompt contains "this instead"
say Instead.
end-turn
expect session/prompt contains "later"
say Later.
end-turn
`})
	p.Ready().Ask("first").Shows("At it.").Ask("later").Shows("queued: later")
	p.Type("this instead").Shows("alt+s cancel and send").Press("alt+s").Shows("Cancelled", "Instead.", "Later.")
	if n := len(p.Sent("session/cancel")); n != 1 {
		t.Errorf("%d turns were cancelled", n)
	}
}

// steers begins a script whose agent takes prompts into its turn.
const steers = `expect initialize as i
reply i {"protocolVersion":1,"agentCapabilities":{},"_meta":{"steering":{"supported":true}}}
expect session/new as n
reply n {"sessionId":"s"}
expect session/prompt as p
`

// A prompt goes into a turn in the middle of a tool call, and while a question is open.
func TestSendNowSteersTheTurn(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: steers + `update {"sessionUpdate":"tool_call","toolCallId":"c","title":"Build","kind":"execute","status":"in_progress","rawInput":{"command":"make"}}
expect _session/steering as q contains "use clang"
reply q {"outcome":"injected"}
request session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"y","name":"Allow once","kind":"allow_once"},{"optionId":"n","name":"Reject","kind":"reject_once"}]} as ask
expect _session/steering as r contains "with tests"
reply r {"outcome":"injected"}
await ask contains "y"
update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}
say Built with clang.
end-turn
`})
	p.Ready().Ask("build").Shows("make", "alt+s steer")
	p.Type("use clang").Press("alt+s").Shows("❯ use clang", "steered into the running turn", "Allow once")
	p.Type("with tests").Press("alt+s").Shows("❯ with tests")
	p.Answer("Allow once").Shows("Built with clang.").Idle()
	if n := len(p.Sent("session/prompt")) + len(p.Sent("session/cancel")); n != 1 {
		t.Errorf("%d prompts and cancels were sent, want the first prompt alone", n)
	}
}

func TestEscTwiceEditsTheLastPrompt(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + "say Done.\nend-turn\n" + "expect session/prompt contains \"hello all\"\nsay Again.\nend-turn\n"})
	p.Ready().Ask("hello").Shows("Done.").Idle()
	p.Press("esc").Shows("again: edit the last prompt")
	p.PressAtOnce("esc", "esc") // twice: for the first it may be too late
	p.WaitUntil("the prompt below holds it", func(s ptytest.Screen) bool { return strings.HasPrefix(s.Line(s.Rows-4), "❯ hello") })
	p.Type(" all").Press("enter").Shows("Again.")
}

func TestADraftOutlivesACancel(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + "say At it.\nexpect session/cancel\nend-turn cancelled\n"})
	p.Ready().Ask("first").Shows("At it.").Type("half a tho").Shows("❯ half a tho")
	p.Press("esc").Shows("Cancelled").Idle().Shows("❯ half a tho")
}

func TestADraftOutlivesTheAgent(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + "say At it.\nexpect session/cancel\nexit 3\n"})
	p.Ready().Ask("first").Shows("At it.").Type("half a tho").Shows("❯ half a tho")
	p.Press("esc").Shows("The agent exited", "❯ half a tho")
}

func TestADraftOutlivesLeavingBeforeAnythingWasSaid(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	p := Start(t, Options{Home: home, Project: project, Script: begin})
	p.Ready().Type("half a tho").Shows("❯ half a tho").Leaves()
	p = Start(t, Options{Home: home, Project: project, Script: begin})
	p.Ready().Shows("❯ half a tho")
}

func TestSendsWhatWaitsNow(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + `say At it.
expect session/cancel
end-turn cancelled
expect session/prompt contains "two"
say Two first.
end-turn
expect session/prompt contains "one"
say One then.
end-turn
`})
	p.Ready().Ask("first").Shows("At it.").Ask("one").Shows("queued: one").Ask("two").Shows("queued: two")
	p.Press("alt+q").Question("Queue").Press("down", "alt+up").order("two", "one")
	p.Press("esc").Gone("Queue").Press("alt+s").Shows("Two first.", "One then.")
}

func TestADraftOutlivesTheChoiceOfAnotherAgent(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Others: map[string]string{"asker": "handshake\n"}, Script: begin})
	p.Ready().Type("half a tho").Shows("❯ half a tho").Palette("New tab with another").Shows("New tab: choose an agent", "asker").Type("asker").Shows("❯   asker").Press("enter")
	p.TabLine("2").Ready().Gone("half a tho").Press("alt+1").Shows("❯ half a tho")
}

// Who is killed before the agent has answered a steer cannot know whether it took the prompt, and says so.
func TestKilledDuringASteer(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	p := at.start(strings.Replace(steers, `"agentCapabilities":{}`, `"agentCapabilities":`+resumes, 1) + "expect _session/steering as q\nhang\n")
	p.Ready().Ask("build").Shows("alt+s steer").Type("use clang").Press("alt+s").Shows("steering: use clang")
	p.Signal(syscall.SIGKILL)
	p.WaitExit()
	again := at.start(talk(resumes, "Built."), "--continue")
	again.Shows("paused, the agent may have it: use clang").Press("enter").Shows("Built.").Idle().Leave()
}
