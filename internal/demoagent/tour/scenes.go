package tour

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"parley/acpclient"
)

// What the commands do, but for the tour itself.

func (t *turn) planning(input string) {
	goal := "fix the greeter"
	if input != "" {
		goal = shortened(input)
	}
	steps := []string{"Read the program", "Change what is wrong", "Run the check"}
	t.think("A plan for this: "+goal+".", "Three steps will do. More would only look thorough.")
	t.plan(-1, steps...)
	t.say("A plan, to " + goal + ":\n\n1. Read the program\n2. Change what is wrong\n3. Run the check\n")
	if !t.mayWork("## The plan\n\n1. Read the program\n2. Change what is wrong\n3. Run the check\n") {
		return
	}
	t.plan(0, steps...)
	if t.sample {
		source, ok := t.read("main.go")
		t.plan(1, steps...)
		if after, buggy := fixed(source); ok && buggy {
			t.change("Greet everybody", filepath.Join(t.kept.Cwd, "main.go"), buggyLine, &source, after)
		} else {
			t.say("There is nothing left to change.\n")
		}
		t.plan(2, steps...)
		t.check()
	} else {
		t.say("This folder is not the sample project of the tour, so I stop at the plan.\n")
	}
	t.plan(len(steps), steps...)
}

func (t *turn) edit(input string) {
	if !t.mayWork("## The plan\n\n1. Change one file\n") {
		return
	}
	line := "The tour was here."
	if input != "" {
		line = input
	}
	if !t.sample {
		t.addFile("# Notes\n\n- " + line + "\n")
		return
	}
	before, ok := t.read("notes.md")
	if !ok {
		t.say("Without the notes I have nothing to edit.\n")
		return
	}
	path := filepath.Join(t.kept.Cwd, "notes.md")
	if t.change("Add a note", path, strings.Count(before, "\n")+1, &before, before+"- "+line+"\n") {
		t.say("The note is in `notes.md`.\n")
	} else {
		t.say("Then the notes stay as they are.\n")
	}
}

// addFile offers to write a file of the tour's own.
func (t *turn) addFile(text string) {
	path, err := newFile(t.kept.Cwd)
	if err != nil {
		t.say("I cannot: " + err.Error() + ".\n")
		return
	}
	name := filepath.Base(path)
	if t.change("Write "+name, path, 1, nil, text) {
		t.say("It is in `" + name + "`.\n")
	} else {
		t.say("Then I write nothing.\n")
	}
}

func (t *turn) command(input string) {
	if !t.mayWork("## The plan\n\n1. Run one command\n") {
		return
	}
	switch {
	case input != "":
		t.runAndSay("Run "+shortened(input), input)
	case t.sample:
		t.check()
	default:
		t.runAndSay("Say hello", "echo 'Hello from a terminal of parley.'")
	}
}

// check runs the sample's own check.
func (t *turn) check() { t.runAndSay("Run the check", "sh check.sh") }

func (t *turn) runAndSay(title, command string) {
	switch exit, ok := t.runCommand(title, command); {
	case !ok:
		t.say("It was not run, or not to its end; the tool call above says why.\n")
	case exit == 0:
		t.say("It ended well.\n")
	default:
		t.say(fmt.Sprintf("It ended with exit code %d.\n", exit))
	}
}

// slow talks for so long that there is time to cancel. No setting shortens its
// pauses, because they are its purpose.
func (t *turn) slow(input string) {
	const pause = 150 * time.Millisecond
	lines, err := strconv.Atoi(input)
	if err != nil || lines <= 0 {
		lines = 200
	}
	id := acpclient.MessageID(t.nextID("message"))
	for i := 1; i <= lines && !t.cancelled(); i++ {
		text := fmt.Sprintf("%d. Still talking. Press `esc` to cancel.\n", i)
		t.tell(&acpclient.ContentChunk{Chunk: acpclient.AgentMessageChunk, Content: acpclient.TextBlock(text), MessageID: id})
		t.wait(pause)
	}
}

func (t *turn) ask(input string) {
	e := t.agent.capabilities().Elicitation
	switch {
	case e == nil || e.Form == nil && e.URL == nil:
		t.say("This client does not let agents ask questions (elicitation), so I cannot.\n")
	case (input == "url" || e.Form == nil) && e.URL != nil:
		t.askURL()
	case input == "url":
		t.say("This client does not open pages for agents.\n")
	default:
		t.askForm()
	}
}

func (t *turn) askForm() {
	one, ten := float64(1), float64(10)
	most := uint32(40)
	res, ok := t.elicit(&acpclient.CreateElicitationRequest{
		Mode: acpclient.ElicitForm, SessionID: t.kept.ID, Message: "A few questions, one of each kind",
		RequestedSchema: &acpclient.ElicitationSchema{
			Type: "object", Title: "About you", Required: []string{"name", "editor"},
			Properties: acpclient.ElicitationProperties{
				{Name: "name", Schema: acpclient.ElicitationPropertySchema{Type: acpclient.PropertyString, Title: "Your name", MaxLength: &most}},
				{Name: "editor", Schema: acpclient.ElicitationPropertySchema{
					Type: acpclient.PropertyString, Title: "Your editor", Description: "There is no wrong answer",
					OneOf: []acpclient.EnumOption{{Const: "vim", Title: "Vim"}, {Const: "emacs", Title: "Emacs"}, {Const: "other", Title: "Another one"}},
				}},
				{Name: "calm", Schema: acpclient.ElicitationPropertySchema{
					Type: acpclient.PropertyInteger, Title: "How calm are you?", Description: "From 1 to 10", Minimum: &one, Maximum: &ten, Default: []byte("7"),
				}},
				{Name: "likes", Schema: acpclient.ElicitationPropertySchema{
					Type: acpclient.PropertyArray, Title: "What do you like?",
					Items: &acpclient.MultiSelectItems{Type: "string", Enum: []string{"tests", "diffs", "tables"}},
				}},
				{Name: "again", Schema: acpclient.ElicitationPropertySchema{Type: acpclient.PropertyBoolean, Title: "May I ask again?", Default: []byte("false")}},
			},
		},
	})
	switch {
	case !ok:
	case res.Action != acpclient.ElicitAccept:
		t.say("You would rather not say. That is fine.\n")
	default:
		var b strings.Builder
		b.WriteString("Thank you. You said:\n\n| question | answer |\n| --- | --- |\n")
		for _, name := range []string{"name", "editor", "calm", "likes", "again"} {
			if v, there := res.Content[name]; there {
				fmt.Fprintf(&b, "| %s | %s |\n", name, cell(v))
			}
		}
		t.say(b.String())
	}
}

// cell is a value as text for a table.
func cell(v any) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(fmt.Sprint(v))
}

func (t *turn) askURL() {
	id := acpclient.ElicitationID(t.nextID("page"))
	res, ok := t.elicit(&acpclient.CreateElicitationRequest{
		Mode: acpclient.ElicitURL, SessionID: t.kept.ID, ElicitationID: id,
		Message: "Have a look at the protocol that we speak", URL: "https://agentclientprotocol.com/",
	})
	switch {
	case !ok:
	case res.Action != acpclient.ElicitAccept:
		t.say("Then the page stays closed.\n")
	default:
		_ = t.agent.conn.Notify(acpclient.ElicitationComplete.Name, &acpclient.CompleteElicitationNotification{ElicitationID: id})
		t.say("A real agent would now wait until you are done there, for instance with signing in.\n")
	}
}

func (t *turn) elicit(r *acpclient.CreateElicitationRequest) (*acpclient.CreateElicitationResponse, bool) {
	if t.cancelled() {
		return nil, false
	}
	res, err := acpclient.Call(t.calls, t.agent.conn, acpclient.ElicitationCreate, r)
	if err != nil {
		t.say("I could not ask: " + err.Error() + "\n")
		return nil, false
	}
	return res, !t.cancelled()
}

func (t *turn) image(string) {
	t.say("A small picture, drawn just now:\n")
	if t.cancelled() {
		return
	}
	t.tell(&acpclient.ContentChunk{
		Chunk: acpclient.AgentMessageChunk, MessageID: acpclient.MessageID(t.nextID("message")),
		Content: acpclient.ImageBlock("image/png", picture()),
	})
	t.say("If you see only its type and size, your terminal cannot show images.\n")
}

// picture is a sunset of 96 by 64 points, as a PNG in base64.
func picture() string {
	const width, height = 96, 64
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			dx, dy := x-width/2, y-height*5/8
			c := color.RGBA{R: uint8(60 + y*3), G: uint8(40 + y), B: uint8(140 - y), A: 255}
			if dx*dx+dy*dy < 14*14 {
				c = color.RGBA{R: 255, G: 210, B: 90, A: 255}
			}
			if y > height*3/4 {
				c = color.RGBA{R: 30, G: 40, B: uint8(90 + x/4), A: 255}
			}
			img.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img) // into memory: it does not fail
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func (t *turn) compact(string) {
	summary := []string{"We talked about parley. ", "The greeter had a bug in its loop. ", "Nothing else is worth keeping."}
	t.mu.Lock()
	before := t.kept.Used
	t.mu.Unlock()
	if c := t.agent.capabilities().Session; c == nil || c.Compaction == nil {
		t.say("Making room in the context. (This client shows no compactions, so I only say so.)\n")
	} else {
		id := acpclient.CompactionID(t.nextID("compaction"))
		t.notify(&acpclient.CompactionUpdate{CompactionID: id, Status: acpclient.CompactionInProgress})
		for _, s := range summary {
			t.step()
			if t.cancelled() {
				t.notify(&acpclient.CompactionUpdate{CompactionID: id, Status: acpclient.CompactionCancelled})
				return
			}
			t.notify(&acpclient.CompactionSummaryChunk{CompactionID: id, Content: acpclient.TextBlock(s)})
		}
		t.notify(&acpclient.CompactionUpdate{CompactionID: id, Status: acpclient.CompactionCompleted})
	}
	t.mu.Lock()
	t.kept.Used = before / 5
	t.mu.Unlock()
	t.say("There is room again. See the context in the status line.\n")
}

// crash ends the agent in the middle of a turn, with a tool call open.
func (t *turn) crash(input string) {
	if input == "" {
		input = "this is what an agent's last words look like"
	}
	t.say("Crashing, as you wished. parley keeps what is on the screen, and offers to start me again.\n")
	t.step()
	if t.cancelled() {
		return
	}
	const title = "Divide by zero"
	written := t.agent.out.after(title)
	t.begin(acpclient.ToolCall{Title: title, Kind: acpclient.ToolOther, Status: acpclient.ToolInProgress})
	select {
	case <-written:
	case <-t.ctx.Done():
		return
	}
	t.agent.crash.Do(func() {
		_, _ = fmt.Fprintln(t.agent.stderr, "parley tour: crashed on request: "+input)
		close(t.agent.crashed)
	})
	<-t.ctx.Done() // the agent ends
}
