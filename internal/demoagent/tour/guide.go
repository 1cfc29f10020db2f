package tour

import "path/filepath"

// The walk through parley.

// banner greets in a new session, before anything was asked.
const banner = "Hello! I am the tour that is built into parley: an agent without a model. " +
	"Type `/tour` and press `enter`, and I show you around in two minutes; or type `/` to see what else I can do.\n"

const welcome = "# Welcome to parley\n\n" +
	"I am an agent, and parley is how we talk. You write below; what I say, think and do appears here. " +
	"I am only the tour: no model, no account, no network. Everything else is real: " +
	"the files, the commands, and the permission I need for them.\n\n" +
	"Watch me work for two minutes. You can stop me at any time with `esc`.\n"

const (
	aboutReading   = "## 1. Reading\n\nAbove is my **plan**; it ticks itself off. First I read a file. "
	readsByParley  = "parley does that for me, inside this folder only.\n"
	readsByTheTour = "I do that myself, and parley shows it.\n"
)

const aboutBug = "There it is:\n\n" +
	"```go\nfor i := 1; i < len(names); i++ {\n```\n\n" +
	"The loop begins at **1**, and lists begin at 0, so Ada gets no greeting. Ranging over the names leaves nobody out.\n"

const aboutEditing = "## 2. Changing a file\n\n" +
	"In *ask* mode I may not write without you. parley shows the change, and asks:\n\n" +
	"- press the **number** of an answer, or choose with the **arrows** and `enter`\n" +
	"- *until the session ends* means that I need not ask for this kind of thing again\n" +
	"- rejecting is fine: I go on without it\n"

const (
	aboutRunning  = "## 3. Running a command\n\nNow a command, in a terminal that belongs to "
	runsInParley  = "parley. Its output appears as it is printed.\n"
	runsInTheTour = "me. Its output appears as it is printed.\n"
)

const aboutKeys = "## 4. The keys worth knowing\n\n" +
	"| key | what it does |\n| --- | --- |\n" +
	"| `shift+tab` | the next mode: *ask*, *auto*, *plan* |\n" +
	"| `ctrl+p` | all that can be done, to search |\n" +
	"| `f2` `f3` `f4` | choose mode, model, thought level |\n" +
	"| `ctrl+o` | all options of the agent |\n" +
	"| `@` `/` | a file, a command, as you type |\n" +
	"| `tab` | walk the conversation: `j` `k` move, `enter` opens, `y` copies |\n" +
	"| `esc` | cancel what I am doing |\n" +
	"| `f1` | help, with every key |\n\n" +
	"They work while I am busy, too. In *auto* mode I do not ask; in *plan* mode I only plan.\n\n" +
	"The status line shows how full my context is and what I cost. My figures are made up; a real agent's are not.\n"

const farewell = "## That was it\n\n" +
	"Stay and play: `/plan`, `/edit`, `/run`, `/slow`, `/ask`, `/image`, or just write something. " +
	"Or leave with `ctrl+d` and start parley where your work is:\n\n" +
	"```sh\ncd ~/my-project\nparley            # finds the agents on this machine\n```\n"

var tourPlan = []string{"Read the program", "Find the bug", "Fix it, with your permission", "Run the check", "Show the keys"}

func (t *turn) tour(string) {
	if !t.mayWork("## The tour\n\n1. Read `main.go`\n2. Fix its bug\n3. Run `check.sh`\n") {
		return
	}
	t.title("A tour of parley")
	t.think("Somebody new. Let me show what matters, and keep it short.",
		"First how reading works, then the one thing that needs their attention: permissions. Then a command, so that they see a terminal, and the keys last, when they know what the keys are for.")
	t.say(welcome)
	t.step()
	t.plan(0, tourPlan...)
	t.say(aboutReading + t.inVersion(readsByParley, readsByTheTour))
	if t.sample {
		t.fixBug()
	} else {
		t.writeOwnFile()
	}
	t.plan(4, tourPlan...)
	t.say(aboutKeys)
	t.step()
	t.plan(len(tourPlan), tourPlan...)
	t.notice("The tour is over", "Everything else here is for you to try.")
	t.say(farewell)
}

// inVersion are the words for the first version of the protocol, in which the client reads,
// writes and runs, or those for the second, in which the tour does.
func (t *turn) inVersion(first, second string) string {
	if t.agent.speaksV2() {
		return second
	}
	return first
}

// fixBug is the middle of the tour, on the sample project.
func (t *turn) fixBug() {
	source, ok := t.read("main.go")
	t.plan(1, tourPlan...)
	after, buggy := fixed(source)
	switch {
	case !ok:
		t.say("I could not read it, so there is nothing to fix. On we go.\n")
	case !buggy:
		t.say("The bug has been fixed already, it seems by us. Then I leave the file as it is.\n")
	default:
		t.think("The loop begins at one.", "Indices begin at zero, so the first name is never reached. A range would do, and reads better.")
		t.say(aboutBug)
		t.plan(2, tourPlan...)
		t.say(aboutEditing)
		t.step()
		if t.change("Greet everybody", filepath.Join(t.kept.Cwd, "main.go"), buggyLine, &source, after) {
			t.say("Done. Thank you.\n")
		} else {
			t.say("You said no, so the file is as it was. I take no offence.\n")
		}
	}
	t.plan(3, tourPlan...)
	t.say(aboutRunning + t.inVersion(runsInParley, runsInTheTour))
	t.step()
	t.check()
}

// writeOwnFile is the middle of the tour where there is no sample project: it
// reads and changes nothing that is the person's.
func (t *turn) writeOwnFile() {
	t.say("This folder is your own, not the sample project of the tour, so I read nothing here. I only offer to add one file, which you may reject, or delete later.\n")
	t.plan(2, tourPlan...)
	t.say(aboutEditing)
	t.step()
	t.addFile("# A note from the tour\n\nThis file was written by the tour of parley. You may delete it.\n")
	t.plan(3, tourPlan...)
	t.say(aboutRunning + t.inVersion(runsInParley, runsInTheTour))
	t.step()
	t.runAndSay("Say hello", "echo 'Hello from a terminal of parley.'")
}
