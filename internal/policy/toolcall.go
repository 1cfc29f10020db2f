package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Call is what is known of a tool call.
type Call struct {
	// Title is only the agent's claim: no rule allows anything because of it. For rules that
	// deny or ask it may be a command or, if no file is known, name files.
	Title string
	// Kind is the protocol's kind of the tool.
	Kind string
	// Name is the tool's own name, if the agent gives one.
	Name     string
	RawInput []byte
	// Paths are the paths of its locations, Changes the paths of its diffs.
	Paths, Changes []string
}

// Input keys that real agents use for what a tool acts on, and those that only say how.
var (
	pathKeys    = []string{"path", "file_path", "filePath", "filepath", "abs_path", "absolute_path", "absolutePath", "file", "filename", "fileName", "dir", "dir_path", "directory", "notebook_path", "target_file", "paths", "old_path", "new_path", "source", "destination", "from", "to"}
	commandKeys = []string{"command", "cmd", "script", "commandLine", "command_line", "argv", "shell_command"}
	cwdKeys     = []string{"cwd", "workdir", "working_directory", "workingDirectory", "directory", "dir_path"}
	envKeys     = []string{"env", "environment", "envs", "env_vars", "envVars", "environment_variables", "environmentVariables"}
	globKeys    = []string{"pattern", "glob", "include"} // some tools take a path there
	urlKeys     = []string{"url", "uri", "address"}
	plainKeys   = []string{
		"description", "summary", "intention", "riskLevel", "riskLevelReason", "explanation", "justification", "reason", "timeout", "timeout_ms", "timeoutMs", "yield_time_ms", "max_output_tokens", "limit", "offset", "line", "lines", "start_line", "end_line", "head_limit",
		"pattern", "query", "glob", "include", "exclude", "type", "output_mode", "case_sensitive", "-i", "-n", "-A", "-B", "-C", "multiline", "recursive", "encoding", "view_range",
		"old_string", "new_string", "oldString", "newString", "old_str", "new_str", "oldText", "newText", "content", "contents", "text", "edits", "replace_all", "replaceAll", "expected_replacements", "instruction", "prompt", "format",
	}
)

// Describe derives what a tool call would do from its input, its locations and its
// diffs. resolve returns where a path leads. Request.Unclear says what is uncertain; an
// input with a command is a command, regardless of the call's kind.
func Describe(c Call, agent, mode string, resolve func(path string) Path) Request {
	r := Request{Agent: agent, Mode: mode, Kind: kindOfTool(c.Kind), Resolve: resolve}
	d := describer{call: c, resolve: resolve, request: &r}
	d.words()
	d.input()
	for _, p := range c.Paths {
		d.path(p)
	}
	for _, p := range c.Changes {
		d.path(p)
		if p != "" {
			r.Changes = append(r.Changes, resolve(p))
		}
	}
	if c.Kind == string(Execute) {
		for _, line := range titleCommands(c.Title, r.runs()) {
			if line != r.Command {
				r.Others = append(r.Others, Request{Command: line})
			}
		}
	}
	if row := rowOf(r.Kind); row != nil && row.subject == files && len(r.Paths) == 0 {
		d.mentions(c.Title)
	}
	if row := rowOf(r.Kind); len(c.Changes) > 0 && (row == nil || !row.changes) {
		d.unclear("it changes files, but the agent calls it something else")
	}
	if c.Kind == string(switchMode) {
		r.Kind, r.Unclear = switchMode, "parley always asks before the mode changes"
	}
	return r
}

type describer struct {
	call    Call
	resolve func(string) Path
	request *Request
}

func (d *describer) unclear(format string, args ...any) {
	if d.request.Unclear == "" {
		d.request.Unclear = fmt.Sprintf(format, args...)
	}
}

// words handles an input that is text, or a list of texts, in place of named values: of a
// command, or of an object as JSON.
func (d *describer) words() {
	texts, ok := textsOf(d.call.RawInput)
	switch {
	case !ok || string(d.call.RawInput) == "null":
	case d.call.RawInput[0] == '[':
		d.request.Others = append(d.request.Others, Request{Args: texts})
	case strings.HasPrefix(strings.TrimSpace(texts[0]), "{"):
		d.unclear("the tool's input has an unknown format")
		d.call.RawInput = []byte(texts[0])
	case rowOf(d.request.Kind).subject == files:
		d.mentions(texts[0])
	default:
		d.request.Others = append(d.request.Others, Request{Command: texts[0]})
	}
}

// mentions adds what may be files that a text names.
func (d *describer) mentions(text string) {
	_, object, _ := strings.Cut(strings.TrimSpace(text), " ")
	for _, name := range append([]string{text, object}, pathsIn(text)...) {
		if name = strings.Trim(name, " `\"'"); name != "" && len(d.request.Named) < maxNamed {
			d.request.Named = append(d.request.Named, d.resolve(name))
		}
	}
}

// maxNamed limits the files that a text names.
const maxNamed = 50

func (d *describer) path(name string) {
	if name == "" {
		return
	}
	p := d.resolve(name)
	if !slices.ContainsFunc(d.request.Paths, func(o Path) bool { return o.Name == p.Name && o.Written == p.Written }) {
		d.request.Paths = append(d.request.Paths, p)
	}
}

func (d *describer) input() {
	in, ok := FieldsOf(d.call.RawInput)
	atTop := slices.ContainsFunc(in, func(f Field) bool { return slices.Contains(commandKeys, f.Key) && string(f.Value) != "null" })
	if tool, mcp := strings.CutPrefix(d.call.Name, "mcp__"); mcp && tool != "" { // in the form of rules: server__tool
		d.request.Tool = tool
		if !atTop {
			d.request.Kind = MCP
			if d.hiddenCommands() {
				d.unclear("the tool's input contains a command")
			}
			return // the other arguments are up to the MCP server
		}
	}
	if d.hiddenCommands() && !atTop {
		d.unclear("the tool's input contains a command")
	}
	if !ok {
		d.unclear("the tool's input has an unknown format")
		return
	}
	seen, command := map[string]bool{}, false
	for _, f := range in {
		if seen[f.Key] {
			d.unclear("the tool's input has %q twice", f.Key)
		}
		seen[f.Key] = true
		command = command || slices.Contains(commandKeys, f.Key)
	}
	if command {
		d.request.Kind = Execute
	}
	for _, f := range in {
		d.key(f.Key, f.Value, command)
	}
	d.parts(in)
	if seen["questions"] {
		d.request.Kind, d.request.Unclear = question, "the agent asks a question"
		return
	}
	if missing := rowOf(d.request.Kind).subject.missing; missing != nil {
		if why := missing(*d.request); why != "" {
			d.unclear("%s", why)
		}
	}
}

// hiddenCommands adds the commands anywhere in the input to the request, except those
// under the usual keys at the top. It reports whether there is any command.
func (d *describer) hiddenCommands() bool {
	type level struct{ object, value bool } // value: a value comes next, not a key
	var open []level
	found := false
	dec := json.NewDecoder(bytes.NewReader(d.call.RawInput))
	for {
		token, err := dec.Token()
		if err != nil {
			return found
		}
		last := len(open) - 1
		key, text := token.(string)
		switch {
		case token == json.Delim('}') || token == json.Delim(']'):
			open = open[:last]
		case last >= 0 && open[last].object && !open[last].value && text:
			open[last].value = true
			if !isCommandKey(key) {
				continue
			}
			var value json.RawMessage
			if dec.Decode(&value) != nil {
				return true
			}
			open[last].value = false
			if string(value) == "null" {
				continue
			}
			found = true
			if last > 0 || !slices.Contains(commandKeys, key) {
				other := Request{}
				if json.Unmarshal(value, &other.Command) != nil {
					_ = json.Unmarshal(value, &other.Args) // of another form, it is only found
				}
				d.request.Others = append(d.request.Others, other)
			}
			continue
		default:
			if last >= 0 {
				open[last].value = false
			}
			if token == json.Delim('{') || token == json.Delim('[') {
				open = append(open, level{object: token == json.Delim('{')})
			}
		}
	}
}

// isCommandKey reports whether a key is one of commandKeys in any spelling.
func isCommandKey(key string) bool {
	bare := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	return slices.ContainsFunc(commandKeys, func(k string) bool { return bare(k) == bare(key) })
}

func (d *describer) key(key string, value json.RawMessage, command bool) {
	texts, ok := textsOf(value)
	switch {
	case string(value) == "null":
	case slices.Contains(commandKeys, key):
		d.command(key, value)
	case command && slices.Contains(cwdKeys, key):
		d.cwd(key, texts, ok)
	case command && slices.Contains(envKeys, key):
		env, ok := environment(value)
		if !ok {
			d.unclear("%s has an unknown format", key)
		}
		d.request.Env = append(d.request.Env, env...)
	case slices.Contains(pathKeys, key):
		if !ok {
			d.unclear("%s has an unknown format", key)
		}
		for _, t := range texts {
			d.path(t)
		}
	case key == "diff" && d.request.Kind == Edit && len(texts) == 1:
		d.patch(texts[0])
	case key == FileDiff && d.request.Kind == Edit:
		d.fileDiff(value)
	case slices.Contains(urlKeys, key) && d.request.Kind == Fetch:
		if !ok || len(texts) != 1 || d.request.URL != "" {
			d.unclear("the agent names several addresses")
			return
		}
		d.request.URL = texts[0]
	case slices.Contains(globKeys, key) && slices.ContainsFunc(texts, func(pattern string) bool {
		return strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~") || strings.Contains(pattern, "..")
	}):
		d.unclear("%s may lead outside the session's directories", key)
	case command && key == partsKey: // see parts
	case !slices.Contains(plainKeys, key) || !plainValue(value, maxDeep):
		d.unclear("the meaning of %q to the tool is unknown", key)
	}
}

// FileDiff is the key under which kilo describes the edit of a file: its path, the diff or both texts,
// and the numbers of changed lines.
const FileDiff = "filediff"

func (d *describer) fileDiff(value json.RawMessage) {
	in, ok := FieldsOf(value)
	if !ok {
		d.unclear("%s has an unknown format", FileDiff)
	}
	for _, f := range in {
		switch texts, ok := textsOf(f.Value); {
		case f.Key == "patch" && ok && len(texts) == 1:
			d.patch(texts[0])
		case slices.Contains([]string{"before", "after", "additions", "deletions"}, f.Key) && plainValue(f.Value, 0):
		default:
			d.key(f.Key, f.Value, false)
		}
	}
}

// hunkHead is the line at which a hunk of a unified diff begins.
var hunkHead = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// patch adds the files that a unified diff names. Everything between its hunks has to be
// understood.
func (d *describer) patch(diff string) {
	before, after := 0, 0 // the lines of the hunk that are still to come
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		if before > 0 || after > 0 {
			switch {
			case line == "" || line[0] == ' ':
				before, after = before-1, after-1
			case line[0] == '-':
				before--
			case line[0] == '+':
				after--
			}
			continue
		}
		if m := hunkHead.FindStringSubmatch(line); m != nil {
			before, after = lineCount(m[1]), lineCount(m[2])
			continue
		}
		if strings.Trim(line, "=") == "" || strings.HasPrefix(line, `\ `) {
			continue
		}
		i := slices.IndexFunc(patchHeads, func(head string) bool { return strings.HasPrefix(line, head) })
		if i < 0 {
			d.unclear("the diff has an unknown line: %q", line)
			return
		}
		if name, _, _ := strings.Cut(line[len(patchHeads[i]):], "\t"); name != "/dev/null" {
			d.path(name)
		}
	}
	if before != 0 || after != 0 {
		d.unclear("the diff ends in the middle of a hunk")
	}
}

// patchHeads are the prefixes of file names in a unified diff.
var patchHeads = []string{"Index: ", "--- ", "+++ "}

// lineCount parses a number of lines in the head of a hunk; without one it is 1.
func lineCount(s string) int {
	if s == "" {
		return 1
	}
	n, _ := strconv.Atoi(s)
	return n
}

// maxDeep limits how deeply nested values are inspected.
const maxDeep = 6

// plainValue reports whether a value names nothing but plain keys, at any depth. A
// value that is too deep does not count as plain.
func plainValue(value json.RawMessage, deep int) bool {
	var list []json.RawMessage
	fields, object := FieldsOf(value)
	switch {
	case json.Unmarshal(value, &list) != nil && !object:
		return true
	case deep == 0:
		return false
	}
	return !slices.ContainsFunc(list, func(v json.RawMessage) bool { return !plainValue(v, deep-1) }) &&
		!slices.ContainsFunc(fields, func(f Field) bool { return !slices.Contains(plainKeys, f.Key) || !plainValue(f.Value, deep-1) })
}

// command handles a command line, or a program with its arguments.
func (d *describer) command(key string, value json.RawMessage) {
	r := d.request
	var line string
	var args []string
	switch {
	case json.Unmarshal(value, &line) == nil:
	case json.Unmarshal(value, &args) == nil && len(args) > 0:
	default:
		d.unclear("%s has an unknown format", key)
		return
	}
	if r.Command != "" && r.Command != line || r.Args != nil && !slices.Equal(r.Args, args) || r.Command != "" && args != nil {
		d.unclear("the agent names two different commands")
		r.Others = append(r.Others, Request{Command: line, Args: args})
		return
	}
	r.Command, r.Args = line, args
}

// Environment returns the variables that the input of a command sets, as NAME=value, and the keys
// that they are under. A value that it cannot read is under no key.
func Environment(input []byte) (env, keys []string) {
	fields, _ := FieldsOf(input)
	for _, f := range fields {
		if set, ok := environment(f.Value); ok && slices.Contains(envKeys, f.Key) {
			env, keys = append(env, set...), append(keys, f.Key)
		}
	}
	return env, keys
}

// environment returns the variables in a value: an object, or a list of objects with name and
// value, or of texts as NAME=value.
func environment(value json.RawMessage) (env []string, ok bool) {
	if fields, ok := FieldsOf(value); ok {
		for _, f := range fields {
			var text string
			if json.Unmarshal(f.Value, &text) != nil {
				return nil, false
			}
			env = append(env, f.Key+"="+text)
		}
		return env, true
	}
	var pairs []struct{ Name, Value *string }
	if json.Unmarshal(value, &pairs) != nil {
		var texts []string
		err := json.Unmarshal(value, &texts)
		return texts, err == nil
	}
	for _, p := range pairs {
		if p.Name == nil || p.Value == nil {
			return nil, false
		}
		env = append(env, *p.Name+"="+*p.Value)
	}
	return env, true
}

func (d *describer) cwd(key string, texts []string, ok bool) {
	if !ok || len(texts) != 1 {
		d.unclear("%s has an unknown format", key)
		return
	}
	if p := d.resolve(texts[0]); !p.Inside {
		d.unclear("the command would run in %s, outside the session's directories", p.Name)
	}
	if d.request.Dir != "" && d.request.Dir != texts[0] {
		d.unclear("the agent names two different directories for the command")
	}
	d.request.Dir = texts[0]
}

// partsKey is where copilot lists the programs of its command again.
const partsKey = "commands"

// parts compares a list of the programs of a command with the command.
func (d *describer) parts(in []Field) {
	i := slices.IndexFunc(in, func(f Field) bool { return f.Key == partsKey })
	if i < 0 || d.request.Command == "" && d.request.Args == nil || string(in[i].Value) == "null" {
		return
	}
	listed, ok := textsOf(in[i].Value)
	if !ok {
		d.unclear("%s has an unknown format", partsKey)
	}
	known := d.request.parts()
	for _, line := range listed {
		if line == d.request.Command {
			continue
		}
		for _, p := range collect([]string{""}, line) {
			if p.unclear != "" || !slices.ContainsFunc(known, func(k part) bool {
				return len(p.words) <= len(k.words) && slices.Equal(p.words, k.words[:len(p.words)])
			}) {
				d.unclear("the agent names another command in %s", partsKey)
			}
		}
		d.request.Others = append(d.request.Others, Request{Command: line})
	}
}

// label matches what agents write before a command in a title: "Run: ls", "Running ls".
var label = regexp.MustCompile(`^[A-Z][A-Za-z ]{0,20}:\s+|^[A-Z][a-z]+\s+`)

// titleCommands returns what may be commands in a title: all of it, also without a label and
// backquotes and, unless the command is known, what is in backquotes anywhere.
func titleCommands(title string, known bool) (all []string) {
	title = strings.TrimSpace(title)
	add := func(line string) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		if quoted := strings.Trim(line, "`"); len(quoted) == len(line)-2 {
			line = quoted
		}
		if line != "" && !strings.Contains(line, "`") && !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	add(title)
	if at := label.FindStringIndex(title); at != nil {
		add(title[at[1]:])
	}
	for i, piece := range strings.Split(title, "`") {
		if i%2 == 1 && !known {
			add(piece)
		}
	}
	return all
}

// Field is a member of a JSON object.
type Field struct {
	Key   string
	Value json.RawMessage
}

// FieldsOf returns the members of a JSON object in order, including duplicates; ok is
// false if it is not an object. An empty input has none.
func FieldsOf(raw []byte) (fields []Field, ok bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, true
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, false
		}
		f := Field{}
		if f.Key, ok = key.(string); !ok || dec.Decode(&f.Value) != nil {
			return nil, false
		}
		fields = append(fields, f)
	}
	_, err := dec.Token()
	return fields, err == nil
}

// FieldsWithoutDir is FieldsOf without those that say that a command runs in a directory.
func FieldsWithoutDir(raw []byte, dir string) (fields []Field, ok bool) {
	fields, ok = FieldsOf(raw)
	return slices.DeleteFunc(fields, func(f Field) bool {
		texts, _ := textsOf(f.Value)
		return slices.Contains(cwdKeys, f.Key) && slices.Equal(texts, []string{dir})
	}), ok
}

// textsOf returns the strings of a value that is a string or a list of strings.
func textsOf(value json.RawMessage) ([]string, bool) {
	var one string
	if json.Unmarshal(value, &one) == nil {
		return []string{one}, true
	}
	var several []string
	if json.Unmarshal(value, &several) == nil {
		return several, true
	}
	return nil, false
}
