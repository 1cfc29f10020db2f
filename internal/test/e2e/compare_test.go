//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Three agents of different speed: one changes the poem at once, one asks first and changes
// the same line and another file, one fails.
const (
	fastPoet = `
handshake ` + resumes + ` {"sessionId": "fast"}
expect session/prompt as heard
update {"sessionUpdate":"plan","entries":[{"content":"Read","priority":"high","status":"completed"},{"content":"Write","priority":"high","status":"in_progress"}]}
request fs/write_text_file {"sessionId": "fast", "path": "${cwd}/poem.txt", "content": "ONE\ntwo\nTHREE\n"} as written
await written
update {"sessionUpdate":"usage_update","used":1000,"size":200000,"cost":{"amount":0.25,"currency":"USD"}}
say "The fast one heard ${heard.params.prompt.0.text}."
end-turn
serve
`
	askingPoet = `
handshake ` + resumes + ` {"sessionId": "asks"}
expect session/prompt
request session/request_permission {"sessionId":"${session}","toolCall":{"toolCallId":"t","title":"make poems","kind":"execute","rawInput":{"command":"make poems"}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]} as asked
await asked
request fs/write_text_file {"sessionId": "asks", "path": "${cwd}/poem.txt", "content": "eins\ntwo\nthree\n"} as written
await written
request fs/write_text_file {"sessionId": "asks", "path": "${cwd}/more.txt", "content": "more\n"} as written
await written
say "The asking one is done."
end-turn
serve
`
	failingPoet = `
handshake ` + resumes + ` {"sessionId": "fails"}
expect session/prompt
say I will try.
reply-error 500 out of rhymes
serve
`
)

// comparingAll starts parley in a repository, where three agents can be compared.
func comparingAll(t *testing.T, opt Options) (place, *Parley) {
	t.Helper()
	at := repositoryPlace(t)
	opt.Home, opt.Project, opt.Script = at.home, at.dir, fastPoet
	opt.Others = map[string]string{"asks": askingPoet, "fails": failingPoet}
	return at, Start(t, opt)
}

// compare begins a comparison of all three.
func (p *Parley) compare(prompt string) *Parley {
	p.t.Helper()
	p.Ready().Ask("/compare "+prompt).Question("Compare agents", "choose 2 to 6 agents", prompt)
	p.Press("down", "enter").Shows("● asks").Press("down", "enter").Shows("● fails")
	p.Press("down", "down", "enter").Question("Command that tests").Type("test -f more.txt").Press("enter").Question("Compare agents", "test -f more.txt")
	p.Press("up", "up", "up", "up", "up", "up").Shows("❯   Start")
	return p.Press("enter").Shows("Compare  "+prompt, "check failed", "out of rhymes", "waits for your answer", "$0.25")
}

// trees returns the worktrees of the place's repository, by the agents' names.
func (at place) trees() map[string]string {
	at.t.Helper()
	found := map[string]string{}
	entries, _ := os.ReadDir(at.dir + ".worktrees")
	for _, e := range entries {
		parts := strings.SplitN(e.Name(), "-", 4)
		found[parts[len(parts)-1]] = filepath.Join(at.dir+".worktrees", e.Name())
	}
	return found
}

// Agents of different speed work side by side; a question is answered from the page, parts of
// two that conflict are merged, and the rest is dropped.
func TestCompare(t *testing.T) {
	t.Parallel()
	at, p := comparingAll(t, Options{})
	p.compare("sing louder")
	if got := at.git("status", "--porcelain"); got != "" {
		t.Errorf("in the working tree: %s", got)
	}
	// The question is answered here, and the check runs then.
	p.Press("right", "a").Question("Permission, asks, tab 3", "make poems").Answer("Yes")
	p.Shows("Compare  sing louder", "check passed", "2 files +2 −1")
	// Each has its tab.
	p.Press("enter").Shows("The asking one is done.").Press("alt+1").Shows("Compare  sing louder")
	// Of two that conflict, hunks are taken.
	p.Press("left", "d").Shows("poem.txt", "change 1 of 2", "THREE", "eins").Press("]").Shows("change 2 of 2").Press("[").Shows("change 1 of 2").Press("space").Shows("1 marked")
	p.Press("m").Shows("merged poem.txt of")
	p.holds("poem.txt", "ONE\ntwo\nthree\n")
	p.Press("tab").Type("f").Shows("1 marked").Press("p").Shows("more.txt").Press("space").Shows("2 marked").Press("m").Shows("nothing was merged: the same lines")
	p.Press("n", "f").Shows("1 marked").Press("m").Shows("merged more.txt of asks")
	p.holds("more.txt", "more\n").holds("poem.txt", "ONE\ntwo\nthree\n")
	p.Press("u").Shows("undid the merge of more.txt")
	p.Press("q").Shows("differences")
	// The others are dropped after a question that names what would be lost.
	p.Press("x").Question("Drop which worktree?").Answer("All but that of asks")
	p.Question("Drop all worktrees but that of asks?", "poem.txt", "nothing that is not merged").Answer("Drop")
	p.Shows("dropped 2 worktrees")
	if trees := at.trees(); len(trees) != 1 || trees["asks"] == "" {
		t.Errorf("there are %v", trees)
	}
	// One is merged as worktrees are.
	at.git("checkout", "-q", ".")
	p.Press("m").Question("Merge what asks has changed?").Answer("Commit, and merge into main").Shows("Compare  sing louder", "Merged 1 commit into main")
	p.holds("poem.txt", "eins\ntwo\nthree\n").holds("more.txt", "more\n")
	p.Press("q").Leave()
}

// Killed in the middle, all worktrees and sessions are found again and named. Before, they are in use.
func TestAKilledComparisonIsFoundAgain(t *testing.T) {
	t.Parallel()
	at, p := comparingAll(t, Options{})
	p.compare("sing louder")
	q := Start(t, Options{Home: at.home, Project: at.dir, Script: fastPoet, Others: map[string]string{"asks": askingPoet, "fails": failingPoet}})
	q.Ready().Ask("/compare").Question("Comparisons", "sing louder", "asks, fails").Press("down", "enter").Shows("Compare  sing louder", "in use by another parley").Press("q")
	p.Signal(syscall.SIGKILL)
	p.WaitExit()
	if trees := at.trees(); trees["asks"] == "" || len(trees) != 3 {
		t.Errorf("there are %v", trees)
	}
	q.Ask("/compare").Shows("Compare  sing louder", "not open, finished", "1 file +2 −2", "$0.25", "The fast one heard sing louder.").Press("right", "left", "enter")
	q.Question("Start the agent of this session?").Answer("Only read")
	q.Gone("Start the agent").Leave()

	// Plain lines say the same in words.
	l := Start(t, Options{Home: at.home, Project: at.dir, Script: fastPoet, Args: []string{"--plain"}})
	l.Shows(">").Type("/compare").Press("enter")
	l.Shows("sing louder", "scripted: 1 file, +2 −2 lines, in the worktree", "asks: no changes", "parley worktree diff|merge|drop")
}

// Sides that go on in hosts are shown as they are when the comparison is opened again, and take prompts and
// a cancel. What a side changes by a command is counted while it works.
func TestAKeptComparisonGoesOn(t *testing.T) {
	t.Parallel()
	k := kept{repositoryPlace(t)}
	opt := Options{Project: k.dir, Cols: 150, Script: fastPoet, Others: map[string]string{"asks": askingPoet, "fails": `
handshake ` + resumes + ` {"sessionId": "works"}
expect session/prompt
update {"sessionUpdate":"tool_call","toolCallId":"c","title":"Write","kind":"execute","status":"in_progress"}
save ${cwd}/poem.txt "uno\n"
update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}
say out of rhymes
wait-cancel
end-turn cancelled
expect session/prompt as more
say "more: ${more.params.prompt.0.text}"
end-turn
serve
`}}
	k.open(opt).compare("sing louder").Shows("works 1", "1 file +1 −3").Signal(syscall.SIGKILL)
	p := k.open(opt)
	p.Ready().Ask("/compare").Question("Comparisons", "sing louder").Press("down", "enter")
	p.Shows("asks 1 · works 1", "finished after", "waits for your answer", "working · ", "in its host", "alt+s prompt all").Gone("not open")
	p.Press("right", "right", "s").Shows("cancelled after").Press("left")
	p.Press("alt+s").Shows("the prompt for all agents").Type("higher").Press("enter").Shows("sent to 2 agents; queued for 1 agent", "tab 2", "tab 4", "more: higher")
	p.Press("a").Question("Permission", "make poems").Answer("Yes").Shows("The asking one is done.")
}

// Outside a repository it says why not, and what to do. The prompt is the draft again.
func TestComparePageOutsideARepository(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: fastPoet, Others: map[string]string{"asks": askingPoet}})
	p.Ready().Ask("/compare sing").Question("Compare agents").Press("down", "enter").Shows("● asks").Press("up", "up", "up").Shows("❯   Start").Press("enter")
	p.Question("Cannot compare agents", "not in a git repository", "git init").Answer("Close").Shows("❯ sing").Press("ctrl+u")
	p.Leave()
}
