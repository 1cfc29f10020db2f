package toolview

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/pattern"
)

// Agreement is how the title of a call, which is only what the agent says, stands to
// what the call would do.
type Agreement uint8

const (
	// Agrees is a title of which nothing is known to be wrong: most are free text.
	Agrees Agreement = iota
	// Repeats is a title that says no more than the command does.
	Repeats
	// Differs is a title that names another command, file or address than the call
	// itself, and none of those that it does.
	Differs
)

// AgreementOf compares the title of a call with its input, places and changes. Agents
// shorten commands, write paths relative to this or that, and call their tools by
// placeholders: in doubt a title agrees.
func AgreementOf(t *conversation.ToolCall) Agreement {
	title := strings.TrimSpace(t.Title)
	if title == "" || len(title) > maxCompared {
		return Agrees
	}
	line := commandLine(t.RawInput)
	if len(line) > maxCompared {
		line = ""
	}
	if line != "" {
		switch a, sure := commandAgreement(title, line); {
		case sure:
			return a
		case hidesHarm(title, line):
			return Differs
		}
	}
	if c := claims(title, t.Kind); len(c) > 0 && !borneOut(c, t, line) {
		return Differs
	}
	return Agrees
}

// maxCompared bounds what is compared, in bytes.
const maxCompared = 64 << 10

// commandAgreement compares a title with a command; sure is false if the title does not
// say which command it is.
func commandAgreement(title, line string) (a Agreement, sure bool) {
	plain := title
	if m := runs().FindStringSubmatch(title); m != nil {
		plain = m[1]
	}
	head, cut := strings.CutSuffix(strings.Trim(plain, "`"), "…")
	switch {
	case bare(title) == bare(line), bare(plain) == bare(line), cut && bare(head) != "" && strings.HasPrefix(bare(line), bare(head)) && !hidesHarm(title, line):
		return Repeats, true
	}
	said, names := namedCommand(title)
	if !names {
		return Agrees, false
	}
	switch {
	case bare(said) == bare(line):
		return Repeats, true
	case !inOrder(bare(line), said):
		return Differs, true
	case hidesHarm(title, line):
		return Differs, true
	case elided(said):
		return Repeats, true
	}
	return Agrees, true
}

// bare is a command without what does not tell it from another: quotes, the blanks
// around words, the mark of a prompt.
func bare(s string) string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "$ ")
	s = strings.NewReplacer("`", "", "'", "", `"`, "", `\`, "").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}

var (
	// runs are the words with which agents begin a title that names a command.
	runs     = pattern.New(`^(?i:(?:run|running|execute|executing|exec|bash|shell|command|terminal)\b:?|\$)\s+(.*)$`)
	codeSpan = pattern.New("`([^`]+)`")
	// gemini is what gemini-cli writes behind a command: where it runs, and what for.
	gemini = pattern.New(`\s+\[(?:current working directory|in directory) [^\]]*\].*$`)
	// another begins the next command where codex names several.
	another = pattern.New(`, (?:Run|Read|List|Search) `)
	// shellish is what only a command has.
	shellish = pattern.New(`(?:^|\s)--?[A-Za-z0-9]|[|;&<>$]|(?:^|\s)[~.]{0,2}/`)
)

// namedCommand is the command that a title names; ok is false for free text.
func namedCommand(title string) (command string, ok bool) {
	title, _, _ = strings.Cut(title, "\n")
	title = gemini().ReplaceAllString(title, "")
	said := title
	if m := runs().FindStringSubmatch(title); m != nil {
		said = m[1]
	}
	if at := another().FindStringIndex(said); at != nil {
		said = said[:at[0]]
	}
	if m := codeSpan().FindStringSubmatch(said); m != nil {
		whole := m[0] == strings.TrimSpace(said)
		return m[1], whole || known(m[1]) && (said != title || strings.Contains(m[1], " "))
	}
	said = strings.TrimSpace(said)
	return said, known(said) && (!strings.Contains(said, " ") || shellish().MatchString(said))
}

// known reports whether a text begins with the name of a program that agents run often.
func known(said string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(said), " ")
	return slices.Contains(programs, word)
}

var programs = strings.Fields(`ls cat head tail less grep rg find fd sed awk sort uniq wc cut tr diff tree stat file du df ps pwd echo printf
	env which date touch mkdir cp mv rm rmdir ln chmod chown kill pkill git gh go gofmt cargo rustc npm npx pnpm yarn bun node deno python python3 pip pip3 uv
	pytest ruff make cmake gcc cc clang java javac mvn gradle ruby bundle rake php composer docker podman kubectl terraform helm curl wget ssh scp rsync tar zip
	unzip gzip jq yq psql mysql sqlite3 sudo apt apt-get brew systemctl vitest jest eslint tsc prettier dd shred whoami id uname`)

// elision is what stands for what was left out.
var elision = pattern.New(`\s*(?:…|\.{3,}|\[truncated\])\s*`)

// elided reports whether something was left out of a title. The dots of ./... are a
// part of the command.
func elided(s string) bool { return elision().MatchString(strings.ReplaceAll(s, "/...", "/")) }

// inOrder reports whether what a title says stands in a text, with whatever it leaves
// out.
func inOrder(text, said string) bool {
	if whole := bare(said); whole != "" && strings.Contains(text, whole) {
		return true
	}
	found := false
	for _, piece := range elision().Split(said, -1) {
		piece = bare(piece)
		at := strings.Index(text, piece)
		if at < 0 {
			return false
		}
		found = found || piece != ""
		text = text[at+len(piece):]
	}
	return found
}

var (
	webAddress  = pattern.New(`(?i)\bhttps?://[^\s"'` + "`" + `<>)\]]+`)
	mailAddress = pattern.New(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`)
	// namedPath is one path, or the name of one file, to which a title gives all its words.
	namedPath = pattern.New(`^(?:(?i:` + verbs + `)\s+)?["'` + "`" + `]?((?:~|\.{1,2}|…|\.\.\.)?/?[\w@%+.\-…]+(?:/[\w@%+.\-…]+)*\.[A-Za-z0-9]{1,8}|(?:~|\.{1,2})?/[\w@%+./\-…]+|\.[A-Za-z][\w.\-]+)["'` + "`" + `]?` +
		`(?:[:#]L?\d+(?:-L?\d+)?)?(?:$|\s*[:(,→]|\s+(?:in|and|to|at|with|from|lines?|->|=>|→)\b|\s+[(→\[-])`)
	// product is the name of something that looks like that of a file: Node.js.
	product = pattern.New(`^[A-Z][\w]*\.(?:js|io|net|NET|ai|com|dev|org)$|^\d+(?:\.\d+)+$|^v\d`)
)

const verbs = `(?:edit|editing|write|writing to|writing|write to|read|reading|create|creating|delete|deleting|remove|removing|move|moving|rename|` +
	`update|updating|open|opening|append to|modify|modifying|replace in|patch|patching|add|save|view|show|list|fetch|fetching|apply patch to)(?: file)?:?`

// claims are the files and addresses that a title names where it would be wrong if
// they were others.
func claims(title string, kind acpclient.ToolKind) []string {
	list := append(webAddress().FindAllString(title, -1), mailAddress().FindAllString(title, -1)...)
	if len(list) > 0 {
		return list
	}
	first, _, _ := strings.Cut(title, "\n")
	m := namedPath().FindStringSubmatch(first)
	if m == nil || product().MatchString(m[1]) {
		return nil
	}
	switch kind {
	case acpclient.ToolEdit, acpclient.ToolDelete, acpclient.ToolMove, acpclient.ToolRead, acpclient.ToolFetch, acpclient.ToolExecute:
		return m[1:2]
	}
	return nil
}

// borneOut reports whether one of the claims agrees with what is known of a call, or
// nothing is known that could tell.
func borneOut(claims []string, t *conversation.ToolCall, line string) bool {
	paths := pathsOf(t)
	texts := append(slices.Clone(paths), strings.Fields(line)...)
	if len(paths) == 0 || line != "" {
		texts = append(append(texts, line), textsIn(t.RawInput)...)
	}
	if strings.TrimSpace(strings.Join(texts, "")) == "" {
		return true
	}
	for _, claim := range claims {
		said := strings.TrimPrefix(strings.TrimRight(claim, "/.,;:"), "./")
		for _, text := range texts {
			if samePath(text, said) || !slices.Contains(paths, text) && inOrder(bare(text), said) {
				return true
			}
		}
	}
	return false
}

// samePath reports whether two texts can be the same path, one of them written
// relative to a directory, or with its beginning left out.
func samePath(a, b string) bool {
	b = strings.TrimLeft(elision().ReplaceAllString(strings.TrimPrefix(b, "~"), ""), "/")
	a = strings.Trim(a, "/")
	return a == b || strings.HasSuffix(a, "/"+b) || a != "" && strings.HasSuffix(b, "/"+strings.TrimPrefix(a, "./"))
}

// ShownPaths are the paths of a call's places and of its changes.
func ShownPaths(t *conversation.ToolCall) []string {
	var all []string
	for _, l := range t.Locations {
		all = append(all, l.Path)
	}
	for i := range t.Content {
		if c := &t.Content[i]; c.Type == acpclient.ToolContentDiff {
			all = append(all, c.Path)
		}
	}
	return all
}

// pathsOf are the paths of a call: those that it shows, and those in its input.
func pathsOf(t *conversation.ToolCall) []string {
	all := ShownPaths(t)
	in := decoded[map[string]json.RawMessage](t.RawInput)
	for _, key := range PathKeys {
		if s := decoded[string](in[key]); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// textsIn are all the texts in JSON, at any depth, as far as there are not too many.
func textsIn(raw json.RawMessage) []string {
	const most = 1000
	var all []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	if len(raw) <= maxCompared {
		walk(decoded[any](raw))
	}
	return all[:min(len(all), most)]
}
