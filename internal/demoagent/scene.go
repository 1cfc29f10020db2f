package demoagent

import (
	"cmp"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/acpclient"
)

// The scenes of the tour are scripts with additional verbs, one file each. A slash command
// plays the scene of its name.

//go:embed scenes
var sceneFiles embed.FS

// embedded returns a file of the scenes.
func embedded(name string) []byte {
	b, err := sceneFiles.ReadFile("scenes/" + name)
	if err != nil {
		panic(err)
	}
	return b
}

// decoded returns the value of a JSON file of the scenes.
func decoded[T any](name string) (out T) {
	if err := acpclient.Unmarshal(embedded(name), &out); err != nil {
		panic(fmt.Errorf("%s: %w", name, err))
	}
	return out
}

// scenes returns all scenes by name, parsed on first use. init sets it, since the verbs
// refer to it.
var scenes func() map[string]*Script

func init() {
	scenes = sync.OnceValue(func() map[string]*Script {
		out := map[string]*Script{}
		files, _ := sceneFiles.ReadDir("scenes")
		for _, f := range files {
			name, isScene := strings.CutSuffix(f.Name(), ".scene")
			if !isScene {
				continue
			}
			s, err := parse(f.Name(), string(embedded(f.Name())), sceneVerbs)
			if err != nil {
				panic(err)
			}
			out[name] = s
		}
		return out
	})
}

// commands returns the slash commands.
var commands = sync.OnceValue(func() []acpclient.AvailableCommand {
	return decoded[[]acpclient.AvailableCommand]("commands.json")
})

// errStop ends a scene.
var errStop = errors.New("the scene is over")

// play plays a scene. Its variables stay set for later scenes.
func (r *runner) play(scene string) error {
	s := scenes()[scene]
	if s == nil {
		return fmt.Errorf("there is no scene %q", scene)
	}
	outer := r.script
	r.script = s
	defer func() { r.script = outer }()
	if err := r.steps(s.steps); !errors.Is(err, errStop) {
		return err
	}
	return nil
}

// let sets a variable to a text.
func (r *runner) let(name, text string) { r.captured[name] = encode(text) }

// done sets ${ok} to whether a step succeeded.
func (r *runner) done(ok bool) {
	r.let("ok", map[bool]string{true: "yes", false: "no"}[ok])
}

// answer answers a prompt by playing a scene.
func (t *turn) answer(prompt []acpclient.ContentBlock) {
	r := &runner{turn: t, ctx: t.ctx, captured: map[string]json.RawMessage{}, session: string(t.kept.ID), cwd: t.kept.Cwd}
	text := ""
	for _, b := range prompt {
		if b.Type == acpclient.ContentText {
			text = strings.TrimSpace(b.Text)
			break
		}
	}
	scene, title := "chat", shortened(text)
	if command, isCommand := strings.CutPrefix(text, "/"); isCommand {
		name, input, _ := strings.Cut(command, " ")
		scene, text, title = "unknown", strings.TrimSpace(input), ""
		r.let("name", strings.ReplaceAll(name, "`", ""))
		if i := slices.IndexFunc(commands(), func(c acpclient.AvailableCommand) bool { return c.Name == name }); i >= 0 {
			scene, title = name, commands()[i].Description
		}
	}
	t.mu.Lock()
	untitled := t.kept.Title == ""
	t.mu.Unlock()
	if untitled && title != "" {
		t.title(title)
	}
	r.let("input", text)
	r.let("short", shortened(text))
	r.let("id", t.nextID("made"))
	r.let("received", received(text, prompt))
	r.let("commands", commandRows())
	r.let("picture", base64.StdEncoding.EncodeToString(embedded("sunset.png")))
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		r.let("number", text)
	}
	client := t.agent.capabilities()
	for name, so := range map[string]bool{
		"sample": t.sample, "v2": t.agent.speaksV2(), "suggestions": t.settings().Suggest,
		"form": client.Elicitation != nil && client.Elicitation.Form != nil, "url": client.Elicitation != nil && client.Elicitation.URL != nil,
		"compaction": client.Session != nil && client.Session.Compaction != nil,
	} {
		if so {
			r.let(name, "yes")
		}
	}
	if err := r.play(scene); err != nil && !t.cancelled() {
		_, _ = fmt.Fprintf(t.agent.stderr, "parley tour: %v\n", err)
	}
	if t.cancelled() && t.ifCancelled != nil {
		t.updateRaw(t.ifCancelled)
	}
}

// shortened returns the beginning of a text, for a title.
func shortened(text string) string {
	const most = 40
	line, _, _ := strings.Cut(text, "\n")
	if r := []rune(line); len(r) > most {
		line = strings.TrimSpace(string(r[:most])) + "…"
	}
	return cmp.Or(line, "A session with the tour")
}

// received lists the blocks of a prompt.
func received(text string, prompt []acpclient.ContentBlock) string {
	var b strings.Builder
	for _, block := range prompt {
		switch block.Type {
		case acpclient.ContentText:
			words := len(strings.Fields(block.Text))
			fmt.Fprintf(&b, "- text of %d word%s\n", words, map[bool]string{true: "", false: "s"}[words == 1])
		case acpclient.ContentResourceLink:
			fmt.Fprintf(&b, "- a link to %s\n", block.Name)
		case acpclient.ContentResource:
			if block.Resource != nil {
				fmt.Fprintf(&b, "- the content of %s\n", block.Resource.URI)
			}
		case acpclient.ContentImage, acpclient.ContentAudio:
			fmt.Fprintf(&b, "- an %s (%s, %d bytes of base64)\n", block.Type, block.MimeType, len(block.Data))
		default:
			fmt.Fprintf(&b, "- content of type %s\n", block.Type)
		}
	}
	switch {
	case b.Len() == 0:
		return "- nothing"
	case text != "":
		b.WriteString("\nIt began:\n\n> " + shortened(text))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// commandRows returns the commands as the rows of a table.
func commandRows() string {
	var rows []string
	for _, c := range commands() {
		name := "/" + c.Name
		if c.Input != nil {
			name += " [" + c.Input.Hint + "]"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s |", name, c.Description))
	}
	return strings.Join(rows, "\n")
}

// sceneVerbs are the verbs of scenes. A step that can fail sets ${ok} and may set ${error}.
var sceneVerbs = map[string]verb{
	// Talking: TEXT is the rest of the line, or the lines up to end.
	"say": texts(func(r *runner, text string) error { r.turn.say(text); return nil }),
	"think": texts(func(r *runner, text string) error { // the first line at low effort, all at high effort
		brief, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
		r.turn.think(brief, more)
		return nil
	}),
	"steps": texts(func(r *runner, text string) error {
		r.turn.steps = strings.Split(strings.TrimSpace(text), "\n")
		return nil
	}),
	"plan":  words(func(r *runner, done string) error { n, err := number(done); r.turn.plan(n); return err }),
	"title": words(func(r *runner, title string) error { r.turn.title(title); return nil }),

	// Acting, with permission if needed.
	"begin": texts(func(r *runner, plan string) error { // in plan mode shows TEXT, and stops unless the user approves
		if !r.turn.mayWork(plan) {
			return errStop
		}
		return nil
	}),
	"read": parseRead, // read FILE[:LINE] as NAME
	"change": pair(func(r *runner, what, title string) error { // change FILE to NAME: TITLE
		file, name, _ := strings.Cut(what, " to ")
		after, err := r.value(name, false)
		if err == nil {
			r.done(r.turn.change(title, file, after))
		}
		return err
	}),
	"run": pair(func(r *runner, command, title string) error { // run COMMAND: TITLE
		exit, ok := r.turn.runCommand(title, command)
		r.let("exit", fmt.Sprint(exit))
		r.done(ok)
		return nil
	}),
	"unused": plain(func(r *runner) error { // sets ${file} to the name of a new file
		path, err := newFile(r.cwd)
		r.let("file", filepath.Base(path))
		r.done(err == nil)
		if err != nil {
			r.let("error", err.Error())
		}
		return nil
	}),

	// Sending messages of the protocol.
	"update":       parseUpdate,
	"if-cancelled": parseIfCancelled,
	"notify":       parseNotify,
	"request":      parseRequest,
	"answers":      words((*runner).answerRows),

	"let": func(a *args) action {
		name, text := a.named("variable"), a.rest()
		if text == "" {
			text = a.block("end")
		}
		return expanded(text, func(r *runner, text string) error { r.let(name, text); return nil })
	},
	"replace": parseReplace,
	"scene":   words((*runner).play),
	"stop":    plain(func(*runner) error { return errStop }),
	"pause":   plain(func(r *runner) error { r.turn.step(); return nil }),
	"wait":    plain(func(r *runner) error { r.turn.awaitReader(); return nil }), // until the text is read
	"sleep": func(a *args) action { // only skipping ahead shortens it
		d := a.duration()
		return func(r *runner) error { return r.turn.wait(d) }
	},
	"forget": plain(func(r *runner) error { // makes room in the context
		r.turn.mu.Lock()
		defer r.turn.mu.Unlock()
		r.turn.kept.Used /= 5
		return nil
	}),
	"crash": words((*runner).crash),
}

// texts parses a step with a text of one or more lines.
func texts(do func(*runner, string) error) verb {
	return func(a *args) action { return expanded(a.lines(), do) }
}

// pair parses a step with two texts separated by a colon.
func pair(do func(r *runner, first, second string) error) verb {
	return func(a *args) action {
		text := a.rest()
		at := strings.LastIndex(text, ": ")
		if at < 0 {
			a.fail("wants two texts with a colon between them")
			return nil
		}
		return expanded(text[:at], func(r *runner, first string) error {
			return expanded(text[at+2:], func(r *runner, second string) error { return do(r, first, second) })(r)
		})
	}
}

func parseRead(a *args) action {
	file, line, _ := strings.Cut(a.word(), ":")
	name := a.as()
	return func(r *runner) error {
		n, _ := strconv.Atoi(line)
		text, ok := r.turn.read(file, n)
		r.let(name, text)
		r.done(ok)
		return nil
	}
}

// parseReplace parses a step that replaces a text in a variable: replace NAME, a block up
// to with, and one up to end.
func parseReplace(a *args) action {
	name, before, after := a.named("variable"), a.block("with"), a.block("end")
	return func(r *runner) error {
		text, err := r.value(name, false)
		r.let(name, strings.Replace(text, before, after, 1))
		r.done(strings.Contains(text, before))
		return err
	}
}

// parseIfCancelled parses a step with an update that the agent sends if the turn is
// cancelled later.
func parseIfCancelled(a *args) action {
	update := a.json()
	if update == "" {
		return func(r *runner) error { r.turn.ifCancelled = nil; return nil }
	}
	return expandedJSON(update, func(r *runner, raw json.RawMessage) error { r.turn.ifCancelled = raw; return nil })
}

// answerRows sets ${rows} to the answers to the questions of a form.
func (r *runner) answerRows(questions string) error {
	var answer acpclient.CreateElicitationResponse
	if err := json.Unmarshal(r.captured["answer"], &answer); err != nil {
		return err
	}
	var rows []string
	for _, name := range strings.Fields(questions) {
		if v, ok := answer.Content[name]; ok {
			value := strings.NewReplacer("|", `\|`, "\n", " ").Replace(fmt.Sprint(v))
			rows = append(rows, fmt.Sprintf("| %s | %s |", name, value))
		}
	}
	r.let("rows", strings.Join(rows, "\n"))
	return nil
}

// crash ends the agent with a message on stderr.
func (r *runner) crash(last string) error {
	a := r.turn.agent
	if a.conn.Flush(r.ctx) == nil {
		a.crash.Do(func() {
			_, _ = fmt.Fprintln(a.stderr, last)
			close(a.crashed)
		})
		<-r.ctx.Done() // the agent ends
	}
	return r.ctx.Err()
}

// markerName is the file that marks a directory that the tour may change.
const markerName = ".parley-tour"

const markerText = "parley's tour created this folder. You can delete it at any time.\n"

// sampleFiles are the files of the sample project. The suffix .txt keeps main.go out of this
// program.
//
//go:embed sample
var sampleFiles embed.FS

// WriteSample writes the sample project of the tour to dir, which must exist and be empty, to
// protect the user's files.
func WriteSample(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("write the sample project: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("write the sample project: %s is not empty", dir)
	}
	files := map[string]string{markerName: markerText}
	sample, _ := sampleFiles.ReadDir("sample")
	for _, f := range sample {
		text, _ := sampleFiles.ReadFile("sample/" + f.Name())
		files[strings.TrimSuffix(f.Name(), ".txt")] = string(text)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("write the sample project: %w", err)
		}
	}
	return nil
}

// isSample reports whether a directory is a sample project.
func isSample(dir string) bool {
	b, err := os.ReadFile(filepath.Join(dir, markerName))
	return err == nil && string(b) == markerText
}

// newFile returns the path of a new file, whose name shows that it is the tour's.
func newFile(dir string) (string, error) {
	for n := 1; n <= 1000; n++ {
		path := filepath.Join(dir, fmt.Sprintf("parley-tour-%d.md", n))
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return path, nil
		}
	}
	return "", fmt.Errorf("no free file name: %s has a thousand files from the tour", dir)
}
