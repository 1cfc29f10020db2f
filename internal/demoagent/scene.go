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
	scene  = script.Script[*turn]
	verb   = script.Verb[*turn]
	action = script.Action[*turn]
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

// play plays a scene. Its variables stay set for later scenes.
func (t *turn) play(scene string) error {
	s := scenes()[scene]
	if s == nil {
		return fmt.Errorf("there is no scene %q", scene)
	}
	if err := s.Play(t); !errors.Is(err, errStop) {
		return err
	}
	return nil
}

// done sets ${ok} to whether a step succeeded, and ${error} if not.
func (t *turn) done(err error) {
	if err != nil {
		t.Let("error", err.Error())
	}
	t.Let("ok", yes(err == nil))
}

func yes(so bool) string { return map[bool]string{true: "yes", false: "no"}[so] }

// answer answers a prompt by playing a scene.
func (t *turn) answer(prompt []acpclient.ContentBlock) {
	t.Let("session", string(t.id))
	t.Let("cwd", t.cwd)
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
		t.Let("name", strings.ReplaceAll(name, "`", ""))
		if i := slices.IndexFunc(commands(), func(c acpclient.AvailableCommand) bool { return c.Name == name }); i >= 0 {
			scene, title = name, commands()[i].Description
		}
	}
	if !t.titled && title != "" {
		t.title(title)
	}
	t.Let("input", text)
	t.Let("short", shortened(text))
	t.Let("id", t.nextID("made"))
	t.Let("received", received(text, prompt))
	t.Let("commands", commandRows())
	t.Let("picture", base64.StdEncoding.EncodeToString(embedded("sunset.png")))
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		t.Let("number", text)
	}
	client := t.agent.capabilities()
	for name, so := range map[string]bool{
		"sample": t.sample, "v2": t.agent.conn.SpeaksV2(), "suggestions": t.current()["suggestions"].Bool,
		"form": client.Elicitation != nil && client.Elicitation.Form != nil, "url": client.Elicitation != nil && client.Elicitation.URL != nil,
		"compaction": client.Session != nil && client.Session.Compaction != nil,
	} {
		t.Let(name, yes(so))
	}
	if err := t.play(scene); err != nil && !t.cancelled() {
		_, _ = fmt.Fprintf(t.agent.stderr, "parley tour: %v\n", err)
	}
	if t.cancelled() && t.ifCancelled != nil {
		_ = t.Update(t.ifCancelled)
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
var verbs = script.Verbs(map[string]verb{
	// Talking.
	"steps": func(a *script.Args) action {
		return script.Expanded(a.Text(), func(t *turn, text string) error {
			t.steps = strings.Split(strings.TrimSpace(text), "\n")
			return nil
		})
	},
	"plan": func(a *script.Args) action {
		done := a.Number()
		return func(t *turn) error { t.plan(done); return nil }
	},
	"title": script.Words(func(t *turn, title string) error { t.title(title); return nil }),

	// Acting, with permission if needed.
	"begin": func(a *script.Args) action { // in plan mode shows TEXT, and stops unless the user approves
		return script.Expanded(a.Text(), func(t *turn, plan string) error {
			if !t.mayWork(plan) {
				return errStop
			}
			return nil
		})
	},
	"read": func(a *script.Args) action { // read FILE[:LINE] as NAME
		file, line, _ := strings.Cut(a.Word(), ":")
		name := a.As()
		return func(t *turn) error {
			n, _ := strconv.Atoi(line)
			text, ok := t.read(file, n)
			t.Let(name, text)
			t.Let("ok", yes(ok))
			return nil
		}
	},
	"change": pair(func(t *turn, what, title string) error { // change FILE to NAME: TITLE
		file, name, _ := strings.Cut(what, " to ")
		after, err := t.Text(name)
		if err == nil {
			t.Let("ok", yes(t.change(title, file, after)))
		}
		return err
	}),
	"run": pair(func(t *turn, command, title string) error { // run COMMAND: TITLE
		exit, ok := t.runCommand(title, command)
		t.Let("exit", fmt.Sprint(exit))
		t.Let("ok", yes(ok))
		return nil
	}),
	"unused": script.Plain(func(t *turn) error { // sets ${file} to the name of a new file
		path, err := newFile(t.cwd)
		t.Let("file", filepath.Base(path))
		t.done(err)
		return nil
	}),

	// An update to send if the turn is cancelled later; none without JSON.
	"if-cancelled": func(a *script.Args) action {
		update := a.JSON()
		if update == "" {
			return func(t *turn) error { t.ifCancelled = nil; return nil }
		}
		return script.ExpandedJSON(update, func(t *turn, raw json.RawMessage) error { t.ifCancelled = raw; return nil })
	},
	"answers": script.Words((*turn).answerRows),
	"replace": func(a *script.Args) action { // replace NAME, a block up to with, and one up to end
		name, before, after := a.Named("variable"), a.Block("with"), a.Block("end")
		return func(t *turn) error {
			text, err := t.Text(name)
			t.Let(name, strings.Replace(text, before, after, 1))
			t.Let("ok", yes(strings.Contains(text, before)))
			return err
		}
	},
	"scene": script.Words((*turn).play),
	"stop":  script.Plain(func(*turn) error { return errStop }),
	"pause": script.Plain(func(t *turn) error { t.step(); return nil }),
	"wait":  script.Plain(func(t *turn) error { t.awaitReader(); return nil }), // until the text is read
	"forget": script.Plain(func(t *turn) error { // makes room in the context
		t.mu.Lock()
		defer t.mu.Unlock()
		t.used /= 5
		return nil
	}),
	"crash": script.Words((*turn).crash),
})

// pair parses a step with two texts separated by a colon.
func pair(do func(t *turn, first, second string) error) verb {
	return func(a *script.Args) action {
		text := a.Rest()
		at := strings.LastIndex(text, ": ")
		if at < 0 {
			a.Fail("wants two texts with a colon between them")
			return nil
		}
		return script.Expanded(text[:at], func(t *turn, first string) error {
			return script.Expanded(text[at+2:], func(t *turn, second string) error { return do(t, first, second) })(t)
		})
	}
}

// answerRows sets ${rows} to the answers to the questions of a form.
func (t *turn) answerRows(questions string) error {
	var answer acpclient.CreateElicitationResponse
	raw, err := t.Text("answer")
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
	t.Let("rows", strings.Join(rows, "\n"))
	return nil
}

// crash ends the agent with a message on stderr.
func (t *turn) crash(last string) error {
	a := t.agent
	if a.conn.Flush(t.Context) == nil {
		a.crash.Do(func() {
			_, _ = fmt.Fprintln(a.stderr, last)
			close(a.crashed)
		})
		<-t.Context.Done() // the agent ends
	}
	return t.Context.Err()
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
