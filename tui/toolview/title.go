package toolview

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
)

// TitleCheck is how the title of a call, which is only the agent's claim, relates to
// what the call would do.
type TitleCheck uint8

const (
	// TitleAgrees means that nothing is known to be wrong with the title. Most titles are
	// free text.
	TitleAgrees TitleCheck = iota
	// TitleRepeats means that the title says no more than the command.
	TitleRepeats
	// TitleDiffers means that the title names a command, file or address that is not among
	// those of the call.
	TitleDiffers
)

// CheckTitle compares the title of a call with its input, locations and changes.
// Agents shorten commands, write relative paths, and use placeholders as titles: in
// doubt a title agrees.
func CheckTitle(t *conversation.ToolCall) TitleCheck {
	title := strings.TrimSpace(t.Title)
	if title == "" || len(title) > maxCompared {
		return TitleAgrees
	}
	line := commandLine(t.RawInput)
	if len(line) > maxCompared {
		line = ""
	}
	if line != "" {
		// qwen-code appends the description, which is shown as such.
		if about := description(t.RawInput); title == line+" ("+about+")" {
			return TitleRepeats
		}
		switch a, sure := checkCommandTitle(title, line); {
		case sure:
			return a
		case hidesHarm(title, line):
			return TitleDiffers
		}
	}
	if c := claims(title, t.Kind); len(c) > 0 && !matchesCall(c, t, line) {
		return TitleDiffers
	}
	return TitleAgrees
}

// maxCompared bounds what is compared, in bytes.
const maxCompared = 64 << 10

// checkCommandTitle compares a title with a command; sure is false if the title does not
// name a command.
func checkCommandTitle(title, line string) (a TitleCheck, sure bool) {
	plain := title
	if m := runs().FindStringSubmatch(title); m != nil {
		plain = m[1]
	}
	head, cut := strings.CutSuffix(strings.Trim(plain, "`"), "…")
	switch {
	case bare(title) == bare(line), bare(plain) == bare(line), cut && bare(head) != "" && strings.HasPrefix(bare(line), bare(head)) && !hidesHarm(title, line):
		return TitleRepeats, true
	}
	said, names := namedCommand(title)
	if !names {
		return TitleAgrees, false
	}
	switch {
	case bare(said) == bare(line):
		return TitleRepeats, true
	case !inOrder(bare(line), said):
		return TitleDiffers, true
	case hidesHarm(title, line):
		return TitleDiffers, true
	case elision.MatchString(strings.ReplaceAll(said, "/...", "/")): // the dots of ./... are part of the command
		return TitleRepeats, true
	}
	return TitleAgrees, true
}

// bare removes from a command what does not distinguish it: quotes, white space, a
// prompt sign.
func bare(s string) string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "$ ")
	s = strings.NewReplacer("`", "", "'", "", `"`, "", `\`, "").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}

// lazily returns a function that compiles the expression when it is called first: together
// they would cost a quarter of a millisecond of every start.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var (
	// runs matches the words with which agents begin a title that names a command.
	runs     = lazily(`^(?i:(?:run|running|execute|executing|exec|bash|shell|command|terminal)\b:?|\$)\s+(.*)$`)
	codeSpan = lazily("`([^`]+)`")
	// gemini matches what gemini-cli appends to a command: its directory and purpose.
	gemini = lazily(`\s+\[(?:current working directory|in directory) [^\]]*\].*$`)
	// another begins the next command where codex names several.
	another = lazily(`, (?:Run|Read|List|Search) `)
	// shellish matches what only a command contains.
	shellish = lazily(`(?:^|\s)--?[A-Za-z0-9]|[|;&<>$]|(?:^|\s)[~.]{0,2}/`)
)

// namedCommand returns the command that a title names; ok is false for free text.
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

// known reports whether a text begins with the name of a program that agents often run.
func known(said string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(said), " ")
	return slices.Contains(programs, word)
}

var programs = strings.Fields(`ls cat head tail less grep rg find fd sed awk sort uniq wc cut tr diff tree stat file du df ps pwd echo printf
	env which date touch mkdir cp mv rm rmdir ln chmod chown kill pkill git gh go gofmt cargo rustc npm npx pnpm yarn bun node deno python python3 pip pip3 uv
	pytest ruff make cmake gcc cc clang java javac mvn gradle ruby bundle rake php composer docker podman kubectl terraform helm curl wget ssh scp rsync tar zip
	unzip gzip jq yq psql mysql sqlite3 sudo apt apt-get brew systemctl vitest jest eslint tsc prettier dd shred whoami id uname`)

// elision matches a mark for omitted text.
var elision = regexp.MustCompile(`\s*(?:…|\.{3,}|\[truncated\])\s*`)

// inOrder reports whether the parts of a title around its elisions occur in a text, in
// order.
func inOrder(text, said string) bool {
	if whole := bare(said); whole != "" && strings.Contains(text, whole) {
		return true
	}
	found := false
	for _, piece := range elision.Split(said, -1) {
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
	webAddress  = lazily(`(?i)\bhttps?://[^\s"'` + "`" + `<>)\]]+`)
	mailAddress = lazily(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`)
	// namedPath matches a title that consists of one path or file name.
	namedPath = lazily(`^(?:(?i:` + verbs + `)\s+)?["'` + "`" + `]?((?:~|\.{1,2}|…|\.\.\.)?/?[\w@%+.\-…]+(?:/[\w@%+.\-…]+)*\.[A-Za-z0-9]{1,8}|(?:~|\.{1,2})?/[\w@%+./\-…]+|\.[A-Za-z][\w.\-]+)["'` + "`" + `]?` +
		`(?:[:#]L?\d+(?:-L?\d+)?)?(?:$|\s*[:(,→]|\s+(?:in|and|to|at|with|from|lines?|->|=>|→)\b|\s+[(→\[-])`)
	// product matches a name that looks like that of a file: Node.js.
	product = lazily(`^[A-Z][\w]*\.(?:js|io|net|NET|ai|com|dev|org)$|^\d+(?:\.\d+)+$|^v\d`)
)

const verbs = `(?:edit|editing|write|writing to|writing|write to|read|reading|create|creating|delete|deleting|remove|removing|move|moving|rename|` +
	`update|updating|open|opening|append to|modify|modifying|replace in|patch|patching|add|save|view|show|list|fetch|fetching|apply patch to)(?: file)?:?`

// claims returns the files and addresses that a title names exactly.
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

// matchesCall reports whether one of the claims agrees with the call, or the call has
// nothing to compare with.
func matchesCall(claims []string, t *conversation.ToolCall, line string) bool {
	paths := append(shownPaths(t), texts(t.RawInput, pathKeys)...)
	named := append(slices.Clone(paths), strings.Fields(line)...)
	if len(paths) == 0 || line != "" {
		named = append(append(named, line), textsIn(t.RawInput)...)
	}
	if strings.TrimSpace(strings.Join(named, "")) == "" {
		return true
	}
	for _, claim := range claims {
		said := strings.TrimPrefix(strings.TrimRight(claim, "/.,;:"), "./")
		for _, text := range named {
			if samePath(text, said) || !slices.Contains(paths, text) && inOrder(bare(text), said) {
				return true
			}
		}
	}
	return false
}

// samePath reports whether two texts may be the same path, one of them relative or
// without its beginning.
func samePath(a, b string) bool {
	b = strings.TrimLeft(elision.ReplaceAllString(strings.TrimPrefix(b, "~"), ""), "/")
	a = strings.Trim(a, "/")
	return a == b || strings.HasSuffix(a, "/"+b) || a != "" && strings.HasSuffix(b, "/"+strings.TrimPrefix(a, "./"))
}

// shownPaths returns the paths of a call's locations and changes.
func shownPaths(t *conversation.ToolCall) []string {
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

// textsIn returns the strings in JSON, at any depth, up to a bound.
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

// harmful are programs that delete things or gain privileges. A title that claims to
// only look at something, or names another program, hides them.
var harmful = strings.Fields(`rm rmdir unlink shred dd mv chmod chown kill pkill killall sudo su doas truncate wipefs reboot shutdown nc ssh scp`)

// looking matches the beginning of titles that claim to change nothing.
var looking = regexp.MustCompile(`^(?i:read|reading|list|lists|listing|show|shows|search|searching|view|look|check|print|display|find|count|grep|cat|get)\b`)

// hidesHarm reports whether a title claims to only look, or names another command,
// while the command runs a harmful program that the title does not name.
func hidesHarm(title, line string) bool {
	said := title
	if m := runs().FindStringSubmatch(title); m != nil {
		said = m[1]
	}
	if !looking.MatchString(title) && !known(bare(said)) {
		return false
	}
	named := strings.FieldsFunc(title, func(r rune) bool { return strings.ContainsRune(" \t\n`'\"|;&(),", r) })
	return slices.ContainsFunc(policy.Programs(line), func(p string) bool {
		return slices.Contains(harmful, p) && !slices.Contains(named, p)
	})
}
