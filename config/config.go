// Package config reads the configuration: agents and how to start them, themes, keys,
// rules. It parses the file strictly, knows the common agents, and says where parley
// keeps its own files.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	files "parley/fs"
	"parley/internal/policy"
)

// Config is the whole configuration. It does not change after loading, and is then safe
// for concurrent use.
type Config struct {
	// Themes selects the colours.
	Themes        Themes
	MarkdownStyle MarkdownStyle
	// Attention configures notifications.
	Attention Attention
	// Host configures kept sessions.
	Host Host
	// EditorFiles lets 'parley serve' ask its client for the unsaved text of files.
	EditorFiles bool
	// NotifyCommand, if not empty, is a program with arguments to run when a kept session
	// without a viewer opens a question or ends a turn.
	NotifyCommand []string
	// Glyphs selects the characters for symbols.
	Glyphs Glyphs
	// ReducedMotion turns animations off.
	ReducedMotion bool
	// Vim edits the prompt with vim's keys.
	Vim bool
	// Budget caps what a session may use up.
	Budget Budget
	// Enter is what enter does with a prompt while the agent works.
	Enter EnterKey
	// AnswerKey is what the key of an answer does at a question.
	AnswerKey AnswerKey
	// LimitWait says whether sessions wait for a limit of the user's plan.
	LimitWait LimitWait
	// Plain writes lines of text instead of drawing a screen.
	Plain bool
	// Inline leaves the conversation in the terminal's scrollback and draws only at its
	// end.
	Inline bool
	// NoMouse leaves the mouse to the terminal.
	NoMouse bool
	// NoJournal turns off the journal of agents' changes. JournalBytes bounds the disk
	// space of all journals, JournalAge how long they are kept.
	NoJournal    bool
	JournalBytes int64
	JournalAge   time.Duration
	// DefaultAgent is the ID of the agent to start when none is named, or "". It is the
	// ID of a configured or of a known agent.
	DefaultAgent string
	// Agents are the configured agents, in the order of the file.
	Agents []Agent
	// Registry is the URL of the agent registry; "" for the public one.
	Registry string
	// MCP are the servers for all agents, in the order of the file.
	MCP []MCPServer
	// Files selects the files that agents may only use after the user agrees.
	Files Files
	Keys  Keys
	// Store says which sessions are kept.
	Store Store
	// Sandbox applies to all agents; see [Config.SandboxFor].
	Sandbox Sandbox
	// Worktrees is the directory for git worktrees; "" for one beside each repository.
	Worktrees string
	// Worktree says what a new worktree is given.
	Worktree Worktree
	// Rules say what agents may do without asking. Their sources name file and line.
	Rules []policy.Rule
}

// Worktree says what a new worktree is given of what is not committed.
type Worktree struct {
	// Include are patterns of ignored files that are copied, as in .gitignore.
	Include []string
	// Setup is a shell command that runs in it, "" for none.
	Setup string
}

// worktreeRows are the keys of [worktree], of the file or a project.
func worktreeRows[T any](at func(*T) *Worktree) []row[T] {
	return []row[T]{
		value("include", func(c *T) *[]string { return &at(c).Include }, func(t *table, key string) []string { return t.texts(key, true) }, "").standing(anyList(nil)).shown(`[".env", "node_modules"]`),
		value("setup", func(c *T) *string { return &at(c).Setup }, (*table).text, "").standing("").shown(`"npm ci"`),
	}
}

// Glyphs selects the characters for symbols.
type Glyphs string

// GlyphsAuto follows the environment.
const (
	GlyphsAuto    Glyphs = "auto"
	GlyphsUnicode Glyphs = "unicode"
	GlyphsASCII   Glyphs = "ascii"
)

// Default returns the configuration without a file, with keys for the actions.
func Default(actions *Actions) *Config {
	_, root := open("", nil, actions)
	return root.config()
}

// maxFileSize limits the configuration file, in bytes. It is far above any real file,
// and keeps a wrong path from filling the memory.
const maxFileSize = 256 << 10

// Load reads the configuration file at path, with keys for the actions. A missing file means the default
// configuration. Load reports everything wrong with the file at once, as [*Error]
// values joined with [errors.Join]; a file that cannot be read is one [*Error]. Unless
// the file says otherwise, GLAMOUR_STYLE sets the style of Markdown and
// PREFERS_REDUCED_MOTION turns animations off.
func Load(path string, actions *Actions) (*Config, error) {
	c, _, err := load(path, actions)
	return c, err
}

// load is Load, and returns what the files say.
func load(path string, actions *Actions) (*Config, *table, error) {
	data, err := readBounded(os.Open(path)) // the user may have made it a pipe
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, unreadable(path, err)
	}
	saved, err := SavedBeside(path).read()
	if err != nil {
		return nil, nil, err
	}
	c, root, err := parseWith(path, data, saved, actions)
	if err != nil {
		return nil, nil, err
	}
	c.ReducedMotion = c.ReducedMotion || os.Getenv("PREFERS_REDUCED_MOTION") != "" // CSS has a preference of this name
	if c.MarkdownStyle.Name == "" {
		if c.MarkdownStyle, err = styleFromEnvironment(); err != nil {
			return nil, nil, err
		}
	}
	return c, root, nil
}

// unreadable is the error for a file that cannot be read.
func unreadable(path string, err error) error {
	return &Error{File: printable(path), Message: "cannot be read: " + printable(reason(ExplainRead(path, err)))}
}

var (
	errTooLarge  = fmt.Errorf("it is larger than %d KiB", maxFileSize>>10)
	errDirectory = errors.New("it is a directory")
)

// readFile reads a regular file. It never waits, not even for a pipe in its place.
func readFile(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, errDirectory
	}
	return readBounded(files.OpenRegular(path))
}

func readBounded(f *os.File, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errDirectory
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err == nil && len(data) > maxFileSize {
		err = errTooLarge
	}
	return data, err
}

// reason returns err without the path, which the message already begins with.
func reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return err.Error()
}

// Parse reads a configuration from data. file is its name in errors, which are those of
// [Load]; relative paths start at its directory.
func Parse(file string, data []byte, actions *Actions) (*Config, error) {
	c, _, err := parseWith(file, data, saved{}, actions)
	return c, err
}

// parseWith is Parse with what is saved beside the file, and returns what they say.
func parseWith(file string, data []byte, s saved, actions *Actions) (*Config, *table, error) {
	d, root := open(file, data, actions)
	if root == nil {
		return nil, nil, d.err()
	}
	d.saved = s.agents
	root.choose(s.Choices)
	c := root.config()
	if err := d.err(); err != nil {
		return nil, nil, err
	}
	return c, root, nil
}

// config reads the whole configuration.
func (root *table) config() *Config {
	c := &Config{}
	readRows(c, root, fileRows())
	c.Rules = slices.Clip(c.Rules)
	for _, a := range c.Agents {
		c.Rules = append(c.Rules, a.Rules...)
	}
	c.DefaultAgent = root.defaultAgent(c)
	for i := range c.Agents {
		c.Agents[i] = c.mark(c.Agents[i])
	}
	root.done()
	return c
}

// LimitWait is what follows when a turn ends at a limit of the user's plan.
type LimitWait string

// The values of LimitWait.
const (
	LimitWaitAsk    LimitWait = "ask"
	LimitWaitAlways LimitWait = "always"
	LimitWaitNever  LimitWait = "never"
)

// EnterKey is what enter does with a prompt while a turn is running.
type EnterKey string

// The values of EnterKey.
const (
	EnterQueues EnterKey = "queue"
	// EnterSteers puts it into the running turn if the agent takes it, and queues it otherwise.
	EnterSteers EnterKey = "steer"
)

// AnswerKey is what the key of an answer does at a question that touches nothing unusual.
type AnswerKey string

// The values of AnswerKey.
const (
	AnswerMarks   AnswerKey = "mark"
	AnswerPresses AnswerKey = "press" // it gives the answer
)

// Files adds patterns to the built-in list of files that agents may only use after the
// user agrees: see [policy.SensitiveFiles].
type Files struct {
	AskRead  []string
	AskWrite []string
}

func (t *table) globs(key string) []string {
	lines := t.texts(key, true)
	for _, line := range lines {
		if err := policy.CheckFilePattern(line); err != nil {
			t.fail(key, "", "cannot be used: %v", err)
			return nil
		}
	}
	return lines
}

// Store configures which sessions are kept on this machine.
type Store struct {
	// Off disables the store.
	Off bool
	// Age is how long a session is kept after its last event, Bytes bounds the size of
	// all of them together; 0 means no limit.
	Age   time.Duration
	Bytes int64
}

// When says when to notify the user.
type When string

// WhenUnfocused notifies only while the terminal reports that it has no focus.
const (
	WhenUnfocused When = "unfocused"
	WhenAlways    When = "always"
	WhenNever     When = "never"
)

// Notice is the terminal's means of notifying the user.
type Notice string

// NoticeAuto is what the terminal is known to support, else the bell.
const (
	NoticeAuto   Notice = "auto"
	NoticeOSC9   Notice = "osc9"
	NoticeOSC777 Notice = "osc777"
	NoticeOSC99  Notice = "osc99"
	NoticeBell   Notice = "bell"
	NoticeNone   Notice = "none"
)

// AttentionEvent is an event to notify the user of.
type AttentionEvent string

// A turn has ended; a question waits for an answer; the agent has exited.
const (
	HappeningTurn     AttentionEvent = "turn"
	HappeningQuestion AttentionEvent = "question"
	HappeningLost     AttentionEvent = "lost"
)

// Attention configures how to notify users who look elsewhere.
type Attention struct {
	When   When
	On     []AttentionEvent
	Notify Notice
	// Command, if not empty, is a program with arguments to run as well.
	Command []string
	// NoTitle keeps the title of the window unchanged.
	NoTitle bool
	// Progress shows progress in the terminal; nil means where it is known to be
	// supported.
	Progress *bool
}

var attentionEvents = []AttentionEvent{HappeningTurn, HappeningQuestion, HappeningLost}

// events reads a list of events; by default it has all.
func (t *table) events(key string) []AttentionEvent {
	texts := t.texts(key, true)
	if !t.has(key) {
		return slices.Clone(attentionEvents)
	}
	var events []AttentionEvent
	for _, text := range texts {
		if !slices.Contains(attentionEvents, AttentionEvent(text)) {
			t.fail(key, didYouMean(text, words(attentionEvents), "known"), "cannot have %q", text)
		}
		events = append(events, AttentionEvent(text))
	}
	return events
}

// program reads a program with its arguments; none if there is none.
func (t *table) program(key string) []string {
	words := t.texts(key, false)
	if len(words) > 0 && words[0] == "" {
		t.fail(key, "name a program first", "is empty")
	}
	return words
}

// oneOf reads one of a few words.
func oneOf[T ~string](t *table, key string, unset T, known []T) T {
	text := t.text(key)
	if !t.has(key) || slices.Contains(known, T(text)) {
		if text == "" {
			return unset
		}
		return T(text)
	}
	if _, isText := t.values[key].(string); isText {
		t.fail(key, didYouMean(text, words(known), "known"), "cannot be %q", text)
	}
	return unset
}

// words returns named words as strings.
func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, word := range list {
		out[i] = string(word)
	}
	return out
}
