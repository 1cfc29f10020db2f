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
	"parley/internal/script"
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

type (
	scene  = script.Script[*player]
	verb   = script.Verb[*player]
	action = script.Action[*player]
)

// scenes returns all scenes by name, parsed on first use. init sets it, since the verbs
// refer to it.
var scenes func() map[string]*scene

func init() {
	scenes = sync.OnceValue(func() map[string]*scene {
		out := map[string]*scene{}
		files, _ := sceneFiles.ReadDir("scenes")
		for _, f := range files {
			name, isScene := strings.CutSuffix(f.Name(), ".scene")
			if !isScene {
				continue
			}
			s, err := script.Parse(f.Name(), string(embedded(f.Name())), verbs)
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

// player plays scenes as the answer to a prompt.
type player struct {
	script.Run
	turn *turn
}

// play plays a scene. Its variables stay set for later scenes.
func (p *player) play(scene string) error {
	s := scenes()[scene]
	if s == nil {
		return fmt.Errorf("there is no scene %q", scene)
	}
	if err := s.Play(p); !errors.Is(err, errStop) {
		return err
	}
	return nil
}

// done sets ${ok} to whether a step succeeded.
func (p *player) done(ok bool) {
	p.Let("ok", map[bool]string{true: "yes", false: "no"}[ok])
}

// answer answers a prompt by playing a scene.
func (t *turn) answer(prompt []acpclient.ContentBlock) {
	p := &player{Run: script.Run{Context: t.ctx}, turn: t}
	p.Let("session", string(t.kept.ID))
	p.Let("cwd", t.kept.Cwd)
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
		p.Let("name", strings.ReplaceAll(name, "`", ""))
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
	p.Let("input", text)
	p.Let("short", shortened(text))
	p.Let("id", t.nextID("made"))
	p.Let("received", received(text, prompt))
	p.Let("commands", commandRows())
	p.Let("picture", base64.StdEncoding.EncodeToString(embedded("sunset.png")))
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		p.Let("number", text)
	}
	client := t.agent.capabilities()
	for name, so := range map[string]bool{
		"sample": t.sample, "v2": t.agent.speaksV2(), "suggestions": t.settings().Suggest,
		"form": client.Elicitation != nil && client.Elicitation.Form != nil, "url": client.Elicitation != nil && client.Elicitation.URL != nil,
		"compaction": client.Session != nil && client.Session.Compaction != nil,
	} {
		if so {
			p.Let(name, "yes")
		}
	}
	if err := p.play(scene); err != nil && !t.cancelled() {
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

// verbs are the verbs of scenes. A step that can fail sets ${ok} and may set ${error}.
var verbs = map[string]verb{
	// Talking.
	"say": texts(func(p *player, text string) error { p.turn.say(text); return nil }),
	"think": texts(func(p *player, text string) error { // the first line at low effort, all at high effort
		brief, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
		p.turn.think(brief, more)
		return nil
	}),
	"steps": texts(func(p *player, text string) error {
		p.turn.steps = strings.Split(strings.TrimSpace(text), "\n")
		return nil
	}),
	"plan": func(a *script.Args) action {
		done := a.Number()
		return func(p *player) error { p.turn.plan(done); return nil }
	},
	"title": script.Words(func(p *player, title string) error { p.turn.title(title); return nil }),

	// Acting, with permission if needed.
	"begin": texts(func(p *player, plan string) error { // in plan mode shows TEXT, and stops unless the user approves
		if !p.turn.mayWork(plan) {
			return errStop
		}
		return nil
	}),
	"read": parseRead, // read FILE[:LINE] as NAME
	"change": pair(func(p *player, what, title string) error { // change FILE to NAME: TITLE
		file, name, _ := strings.Cut(what, " to ")
		after, err := p.Text(name)
		if err == nil {
			p.done(p.turn.change(title, file, after))
		}
		return err
	}),
	"run": pair(func(p *player, command, title string) error { // run COMMAND: TITLE
		exit, ok := p.turn.runCommand(title, command)
		p.Let("exit", fmt.Sprint(exit))
		p.done(ok)
		return nil
	}),
	"unused": script.Plain(func(p *player) error { // sets ${file} to the name of a new file
		path, err := newFile(p.turn.kept.Cwd)
		p.Let("file", filepath.Base(path))
		p.done(err == nil)
		if err != nil {
			p.Let("error", err.Error())
		}
		return nil
	}),

	// Sending messages of the protocol.
	"update": func(a *script.Args) action {
		return script.ExpandedJSON(a.NeedJSON(), func(p *player, raw json.RawMessage) error { p.turn.updateRaw(raw); return nil })
	},
	"if-cancelled": parseIfCancelled,
	"notify": func(a *script.Args) action {
		method := a.Method()
		return script.ExpandedJSON(a.NeedJSON(), func(p *player, raw json.RawMessage) error { return p.turn.agent.conn.Notify(method, raw) })
	},
	"request": parseRequest,
	"answers": script.Words((*player).answerRows),

	"let": func(a *script.Args) action {
		name, text := a.Named("variable"), textOf(a, "")
		return script.Expanded(text, func(p *player, text string) error { p.Let(name, text); return nil })
	},
	"replace": parseReplace,
	"scene":   script.Words((*player).play),
	"stop":    script.Plain(func(*player) error { return errStop }),
	"pause":   script.Plain(func(p *player) error { p.turn.step(); return nil }),
	"wait":    script.Plain(func(p *player) error { p.turn.awaitReader(); return nil }), // until the text is read
	"sleep": func(a *script.Args) action { // only skipping ahead shortens it
		d := a.Duration()
		return func(p *player) error { return p.turn.wait(d) }
	},
	"forget": script.Plain(func(p *player) error { // makes room in the context
		p.turn.mu.Lock()
		defer p.turn.mu.Unlock()
		p.turn.kept.Used /= 5
		return nil
	}),
	"crash": script.Words((*player).crash),
}

// texts parses a step with a text, which is the rest of the line or the lines up to end.
func texts(do func(*player, string) error) verb {
	return func(a *script.Args) action { return script.Expanded(textOf(a, "\n"), do) }
}

// textOf takes the rest of the line and adds end, or takes a block if there is none.
func textOf(a *script.Args, end string) string {
	if text := a.Rest(); text != "" {
		return text + end
	}
	return a.Block("end")
}

// pair parses a step with two texts separated by a colon.
func pair(do func(p *player, first, second string) error) verb {
	return func(a *script.Args) action {
		text := a.Rest()
		at := strings.LastIndex(text, ": ")
		if at < 0 {
			a.Fail("wants two texts with a colon between them")
			return nil
		}
		return script.Expanded(text[:at], func(p *player, first string) error {
			return script.Expanded(text[at+2:], func(p *player, second string) error { return do(p, first, second) })(p)
		})
	}
}

func parseRead(a *script.Args) action {
	file, line, _ := strings.Cut(a.Word(), ":")
	name := a.As()
	return func(p *player) error {
		n, _ := strconv.Atoi(line)
		text, ok := p.turn.read(file, n)
		p.Let(name, text)
		p.done(ok)
		return nil
	}
}

// parseRequest parses a step with a request, which sets a variable to its result.
func parseRequest(a *script.Args) action {
	method, params, name := a.Method(), a.NeedJSON(), a.As()
	return script.ExpandedJSON(params, func(p *player, raw json.RawMessage) error {
		var result json.RawMessage
		err := p.turn.agent.conn.Call(p.turn.calls, method, raw, &result)
		p.Set(name, result)
		p.done(err == nil)
		if err != nil {
			p.Let("error", err.Error())
		}
		return nil
	})
}

// parseReplace parses a step that replaces a text in a variable: replace NAME, a block up
// to with, and one up to end.
func parseReplace(a *script.Args) action {
	name, before, after := a.Named("variable"), a.Block("with"), a.Block("end")
	return func(p *player) error {
		text, err := p.Text(name)
		p.Let(name, strings.Replace(text, before, after, 1))
		p.done(strings.Contains(text, before))
		return err
	}
}

// parseIfCancelled parses a step with an update that the agent sends if the turn is
// cancelled later.
func parseIfCancelled(a *script.Args) action {
	update := a.JSON()
	if update == "" {
		return func(p *player) error { p.turn.ifCancelled = nil; return nil }
	}
	return script.ExpandedJSON(update, func(p *player, raw json.RawMessage) error { p.turn.ifCancelled = raw; return nil })
}

// answerRows sets ${rows} to the answers to the questions of a form.
func (p *player) answerRows(questions string) error {
	var answer acpclient.CreateElicitationResponse
	raw, err := p.Text("answer")
	if err == nil {
		err = json.Unmarshal([]byte(raw), &answer)
	}
	if err != nil {
		return err
	}
	var rows []string
	for _, name := range strings.Fields(questions) {
		if v, ok := answer.Content[name]; ok {
			value := strings.NewReplacer("|", `\|`, "\n", " ").Replace(fmt.Sprint(v))
			rows = append(rows, fmt.Sprintf("| %s | %s |", name, value))
		}
	}
	p.Let("rows", strings.Join(rows, "\n"))
	return nil
}

// crash ends the agent with a message on stderr.
func (p *player) crash(last string) error {
	a := p.turn.agent
	if a.conn.Flush(p.Context) == nil {
		a.crash.Do(func() {
			_, _ = fmt.Fprintln(a.stderr, last)
			close(a.crashed)
		})
		<-p.Context.Done() // the agent ends
	}
	return p.Context.Err()
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
