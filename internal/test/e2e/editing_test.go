package e2e

import "testing"

// A user who knows vim writes a prompt with its keys.
func TestVimKeysEditThePrompt(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Config: "vim = true\n", Script: `
handshake
expect session/prompt contains "one three two"
say Got it.
end-turn
`})
	p.Ready()
	p.WaitFor("INSERT")
	p.Type("one two").WaitFor("❯ one two")
	p.Press("esc").WaitFor("NORMAL")
	p.Type("bithree ").WaitFor("❯ one three two", "INSERT")
	p.Press("esc").WaitFor("NORMAL")
	p.Type("viw").WaitFor("VISUAL")
	p.Press("esc").WaitFor("NORMAL")
	p.Type("dd").WaitFor("Type a prompt")
	p.Type("u").WaitFor("❯ one three two")
	p.Press("enter")
	p.Shows("Got it.").Idle()
	p.WaitFor("INSERT")
	p.Leave()
}

// With vim's keys, the esc that ends insert mode is no answer to a question that has
// come meanwhile.
func TestVimEscDoesNotAnswerAQuestion(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Config: "vim = true\n", Script: begin + asks("one", "Clean up", "rm -rf build") + `
await one contains "optionId":"no"
end-turn
`})
	p.Ready().Ask("hello").Question("rm -rf build").TakesKeys()
	p.Type("later")
	p.WaitFor("❯ later", "INSERT")
	p.TakesKeys()
	p.Press("esc").WaitFor("NORMAL", "❯ later")
	p.Type("x").WaitGone("❯ later")
	p.WaitFor("❯ late")
	answersNothing(p)
	p.Question("rm -rf build").Answer("Reject")
	p.Idle()
}

// What is marked in the prompt is replaced by what is typed, and can be copied and cut.
func TestSelectsInThePrompt(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt contains "first new third"
say Got it.
end-turn
`})
	p.Ready()
	p.Type("first second third").WaitFor("❯ first second third")
	p.DragOver("second", "second")
	p.Type("new").WaitFor("❯ first new third")
	p.Press("end", "ctrl+shift+left", "ctrl+c").WaitFor("characters")
	p.WaitClipboard("third")
	p.Press("ctrl+shift+left", "ctrl+x").WaitFor("first third")
	p.Press("ctrl+_").WaitFor("❯ first new third")
	p.Press("enter")
	p.Shows("Got it.").Idle()
	p.Leave()
}
