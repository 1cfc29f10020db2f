package demoagent

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Script is a parsed script. It may be run many times.
type Script struct {
	name  string
	steps []step
}

// step is one line of a script.
type step struct {
	line int
	verb string
	do   action
}

// load reads and parses a script. Errors name the file and the line.
func load(path string) (*Script, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	return Parse(filepath.Base(path), string(src))
}

// Parse parses a script; errors call it name.
func Parse(name, src string) (*Script, error) { return parse(name, src, verbs) }

// parse parses a script or a scene, which differ in their verbs.
func parse(name, src string, verbs map[string]verb) (*Script, error) {
	p := &parser{name: name, verbs: verbs, lines: strings.Split(src, "\n")}
	steps, closed, err := p.steps()
	if err != nil {
		return nil, err
	}
	switch closed {
	case "end":
		return nil, p.errorf(p.at, closed, errors.New("no repeat to end"))
	case "else":
		return nil, p.errorf(p.at, closed, errors.New("no if before it"))
	}
	return &Script{name: name, steps: steps}, nil
}

// verb parses the arguments of a verb into what the step does. Errors are kept by args.
type verb func(*args) action

// action is what a step does.
type action func(*runner) error

type parser struct {
	name  string
	verbs map[string]verb
	lines []string
	at    int // lines taken so far: the number of the current one
}

func (p *parser) errorf(line int, verb string, err error) error {
	return fmt.Errorf("%s:%d: %s: %w", p.name, line, verb, err)
}

func (p *parser) next() (string, bool) {
	if p.at == len(p.lines) {
		return "", false
	}
	p.at++
	return strings.TrimSuffix(p.lines[p.at-1], "\r"), true
}

// steps parses up to an end or else, which it returns, or up to the end of the script.
func (p *parser) steps() (out []step, closed string, err error) {
	for {
		line, ok := p.next()
		if !ok {
			return out, "", nil
		}
		line = strings.TrimLeft(line, " \t")
		if line == "" || line[0] == '#' {
			continue
		}
		word, _, _ := strings.Cut(line, " ")
		if word == "end" || word == "else" {
			return out, word, nil
		}
		parse, at := p.verbs[word], p.at
		switch word {
		case "repeat":
			parse = p.repeat
		case "if":
			parse = p.either
		}
		if parse == nil {
			return nil, "", fmt.Errorf("%s:%d: there is no step %q", p.name, at, word)
		}
		a := &args{text: line[len(word):], next: p.next}
		do := parse(a)
		if rest := strings.TrimSpace(a.text); a.err == nil && rest != "" {
			a.fail("does not take %q", rest)
		}
		var inside *stepError
		switch {
		case errors.As(a.err, &inside):
			return nil, "", inside
		case a.err != nil:
			return nil, "", &stepError{p.errorf(at, word, a.err)}
		}
		out = append(out, step{at, word, do})
	}
}

// body parses the steps inside another one.
func (p *parser) body(a *args) (steps []step, closed string) {
	if rest := strings.TrimSpace(a.text); a.err != nil || rest != "" {
		return nil, "" // which is an error of the step
	}
	steps, closed, a.err = p.steps()
	if a.err == nil && closed == "" {
		a.fail("end is missing")
	}
	return steps, closed
}

func (p *parser) repeat(a *args) action {
	times := a.word()
	if !placeholder.MatchString(times) {
		a.check(number(times))
	}
	body, closed := p.body(a)
	if closed == "else" {
		a.fail("has no else")
	}
	return expanded(times, func(r *runner, times string) error {
		n, err := number(times)
		if err != nil {
			return err
		}
		return r.repeat(n, body)
	})
}

// either parses an if, with or without an else.
func (p *parser) either(a *args) action {
	name, not := strings.CutPrefix(a.word(), "!")
	value := ""
	if a.take("is") {
		value = a.word()
	}
	yes, closed := p.body(a)
	var no []step
	if closed == "else" {
		if no, closed = p.body(a); closed == "else" {
			a.fail("has more than one else")
		}
	}
	return func(r *runner) error {
		if r.is(name, value) != not {
			return r.steps(yes)
		}
		return r.steps(no)
	}
}

// args are the arguments of a verb. Its methods take from the front, and keep the first
// error.
type args struct {
	text string
	next func() (string, bool) // the next line
	err  error
}

var (
	placeholder = regexp.MustCompile(`\$\{[^{}]+\}`)
	namePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
)

func (a *args) fail(format string, values ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, values...)
	}
}

// check keeps the error of a number.
func (a *args) check(n int, err error) int {
	if err != nil {
		a.fail("%w", err)
	}
	return n
}

// peek returns the next word without taking it.
func (a *args) peek() string {
	word, _, _ := strings.Cut(strings.TrimLeft(a.text, " \t"), " ")
	return word
}

func (a *args) word() string {
	word := a.peek()
	a.text = strings.TrimLeft(a.text, " \t")[len(word):]
	return word
}

// take takes a keyword if it is the next word.
func (a *args) take(keyword string) bool {
	if a.peek() != keyword {
		return false
	}
	a.word()
	return true
}

// rest takes the rest of the line without the space before it.
func (a *args) rest() string {
	text := strings.TrimPrefix(a.text, " ")
	a.text = ""
	return text
}

// block takes the lines up to one that says only end. It removes the indentation of the
// first one.
func (a *args) block(end string) string {
	var b strings.Builder
	indentation, found := "", false
	for {
		line, ok := a.next()
		text := strings.TrimLeft(line, " ")
		switch {
		case !ok:
			a.fail("the text does not end with %q", end)
			return ""
		case text == end:
			return b.String()
		case !found && text != "":
			indentation, found = line[:len(line)-len(text)], true
		}
		b.WriteString(strings.TrimPrefix(line, indentation) + "\n")
	}
}

// lines takes the rest of the line as a line, or a block if there is none.
func (a *args) lines() string {
	if text := a.rest(); text != "" {
		return text + "\n"
	}
	return a.block("end")
}

func number(word string) (int, error) {
	var n int
	if json.Unmarshal([]byte(word), &n) != nil {
		return 0, fmt.Errorf("wants a whole number, not %q", word)
	}
	return n, nil
}

func (a *args) method() string {
	m := a.word()
	if m == "" {
		a.fail("wants a method")
	}
	return m
}

// name takes an optional NAME. The words true, false and null belong to JSON.
func (a *args) name() string {
	w := a.peek()
	if w == "true" || w == "false" || w == "null" || !namePattern.MatchString(w) {
		return ""
	}
	return a.word()
}

// named takes a NAME of something.
func (a *args) named(what string) string {
	name := a.name()
	if name == "" {
		a.fail("wants the name of a %s", what)
	}
	return name
}

// as takes an optional "as NAME".
func (a *args) as() string {
	if !a.take("as") {
		return ""
	}
	name := a.name()
	if name == "" {
		a.fail("as wants a name, not %q", a.peek())
	}
	return name
}

// contains takes an optional "contains TEXT". Quotes stay: they belong to the JSON to
// search.
func (a *args) contains() string {
	if !a.take("contains") {
		return ""
	}
	text := strings.TrimSpace(a.rest())
	if text == "" {
		a.fail("contains wants a text")
	}
	return text
}

// json takes one JSON value, which may go on in the following lines; "" if there is none.
// A variable counts as a number, or as part of a string.
func (a *args) json() string {
	a.text = strings.TrimLeft(a.text, " \t")
	for a.text != "" && a.err == nil {
		masked := placeholder.ReplaceAllStringFunc(a.text, func(s string) string { return strings.Repeat("1", len(s)) })
		dec := json.NewDecoder(strings.NewReader(masked))
		var v json.RawMessage
		err := dec.Decode(&v)
		if err == nil {
			end := int(dec.InputOffset())
			value := a.text[:end]
			a.text = a.text[end:]
			return value
		}
		more, ok := "", false
		if errors.Is(err, io.ErrUnexpectedEOF) {
			if more, ok = a.next(); !ok {
				a.fail("the JSON does not end")
			}
		} else {
			a.fail("wants JSON: %w", err)
		}
		a.text += "\n" + more
	}
	return ""
}

// needJSON takes one JSON value.
func (a *args) needJSON() string {
	value := a.json()
	if value == "" {
		a.fail("wants JSON")
	}
	return value
}

// verbs are the verbs of scripts.
var verbs = map[string]verb{
	"handshake": func(a *args) action {
		capabilities, session := a.json(), a.json()
		return func(r *runner) error { return r.handshake(capabilities, session) }
	},
	"speaks":  parseSpeaks,
	"refuses": parseRefuses,

	"expect": func(a *args) action {
		methods, name, contains := a.method(), a.as(), a.contains()
		return func(r *runner) error { return r.expect(methods, name, contains) }
	},
	"wait-cancel": plain(func(r *runner) error { return r.expect("session/cancel", "", "") }),
	"await": func(a *args) action {
		name, contains := a.named("request"), a.contains()
		return func(r *runner) error { return r.await(name, contains) }
	},
	"stop-reading":   plain(func(r *runner) error { r.changeState(func() { r.deaf = true }); return nil }),
	"resume-reading": plain(func(r *runner) error { r.changeState(func() { r.deaf = false }); return nil }),
	"serve":          parseServe,

	"reply":       parseReply,
	"reply-error": parseReplyError,
	"end-turn": func(a *args) action {
		reason := cmp.Or(a.word(), "end_turn")
		return func(r *runner) error { return r.endTurn(reason) }
	},
	"accept": parseAccept,
	"idle": func(a *args) action {
		reason := a.word()
		return func(r *runner) error { return r.sayIdle(reason) }
	},

	"say":     chunks("agent_message_chunk"),
	"think":   chunks("agent_thought_chunk"),
	"update":  parseUpdate,
	"notify":  parseNotify,
	"request": parseRequest,
	"cancel": func(a *args) action {
		name := a.named("request")
		return func(r *runner) error {
			id, ok := r.asked[name]
			if !ok {
				return fmt.Errorf("no request is called %q", name)
			}
			return r.send(line{Method: "$/cancel_request", Params: map[string]json.RawMessage{"requestId": json.RawMessage(id)}})
		}
	},
	"raw":      written("\n"),
	"raw-nonl": written(""),
	"bytes": func(a *args) action {
		b, err := hex.DecodeString(strings.ReplaceAll(a.rest(), " ", ""))
		if err != nil {
			a.fail("wants bytes in hex: %w", err)
		}
		return func(r *runner) error { return r.write(b) }
	},
	"stderr": words(func(r *runner, text string) error {
		_, err := fmt.Fprintln(r.err, text)
		return err
	}),
	"save": parseSave,
	"close-stdout": plain(func(r *runner) error {
		if c, ok := r.out.(io.Closer); ok {
			return c.Close()
		}
		return errors.New("this stdout cannot be closed")
	}),

	"sleep": parseSleep,
	"hang":  plain(func(r *runner) error { <-r.ctx.Done(); return r.ctx.Err() }),
	"exit": func(a *args) action {
		code := a.check(number(a.word()))
		return func(*runner) error { return exitCode(code) }
	},
	"kill-self": plain(func(*runner) error { // at once, without any cleanup
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		return self.Kill()
	}),
	"ignore-sigterm": plain(func(*runner) error { signal.Ignore(syscall.SIGTERM); return nil }),
	"spawn-child":    plain((*runner).spawnChild),
}

// plain parses a step without arguments.
func plain(do action) verb { return func(*args) action { return do } }

// words parses a step whose argument is the rest of the line.
func words(do func(*runner, string) error) verb {
	return func(a *args) action { return expanded(a.rest(), do) }
}

// expanded replaces the variables in a text when the step runs.
func expanded(text string, do func(*runner, string) error) action {
	return func(r *runner) error {
		s, err := r.expand(text, false)
		if err != nil {
			return err
		}
		return do(r, s)
	}
}

// expandedJSON replaces the variables in JSON when the step runs.
func expandedJSON(text string, do func(*runner, json.RawMessage) error) action {
	return func(r *runner) error {
		raw, err := r.expandJSON(text)
		if err != nil {
			return err
		}
		return do(r, raw)
	}
}

func parseReply(a *args) action {
	name, result := a.name(), cmp.Or(a.json(), "{}")
	return func(r *runner) error {
		q, err := r.requestNamed(name)
		if err != nil {
			return err
		}
		raw, err := r.expandJSON(result)
		if err != nil {
			return err
		}
		return r.answer(q, raw)
	}
}

func parseReplyError(a *args) action {
	name := a.name()
	var e rpcError
	var err error
	if e.Code, err = number(a.word()); err != nil {
		a.fail("the code: %w", err)
	}
	if !strings.HasPrefix(a.peek(), `"`) {
		e.Message = a.rest()
	} else {
		a.check(0, json.Unmarshal([]byte(a.json()), &e.Message))
		e.Data = json.RawMessage(a.json())
	}
	return func(r *runner) error { return r.replyError(name, e) }
}

func chunks(kind string) verb {
	return func(a *args) action {
		text := a.rest()
		var quoted string
		if json.Unmarshal([]byte(text), &quoted) == nil && strings.HasPrefix(strings.TrimSpace(text), `"`) {
			text = quoted
		}
		return expanded(text, func(r *runner, text string) error { return r.chunk(kind, text) })
	}
}

func parseUpdate(a *args) action {
	return expandedJSON(a.needJSON(), (*runner).update)
}

func parseNotify(a *args) action {
	method, params := a.method(), a.json()
	if params == "" {
		return func(r *runner) error { return r.send(line{Method: method}) }
	}
	return expandedJSON(params, func(r *runner, raw json.RawMessage) error { return r.send(line{Method: method, Params: raw}) })
}

func parseRequest(a *args) action {
	method, params, name, id := a.method(), a.needJSON(), a.as(), ""
	if a.take("id") {
		id = a.needJSON()
	}
	return expandedJSON(params, func(r *runner, raw json.RawMessage) error { return r.request(method, raw, name, id) })
}

func written(end string) verb {
	return func(a *args) action {
		text := a.rest()
		return func(r *runner) error {
			s, err := r.expand(text, true)
			if err != nil {
				return err
			}
			return r.write([]byte(s + end))
		}
	}
}

// parseSave parses a step that writes a file without the client.
func parseSave(a *args) action {
	path, quoted := a.word(), a.needJSON()
	return expanded(path, func(r *runner, path string) error {
		return expandedJSON(quoted, func(r *runner, raw json.RawMessage) error {
			var text string
			if err := json.Unmarshal(raw, &text); err != nil {
				return err
			}
			return os.WriteFile(path, []byte(text), 0o644)
		})(r)
	})
}

// duration takes a duration that is not negative.
func (a *args) duration() time.Duration {
	d, err := time.ParseDuration(a.word())
	if err != nil || d < 0 {
		a.fail("wants a duration such as 50ms")
	}
	return d
}

func parseSleep(a *args) action {
	d := a.duration()
	return func(r *runner) error { return sleep(r.ctx, d) }
}

func parseServe(a *args) action {
	methods := strings.Fields(a.rest())
	return func(r *runner) error {
		if len(methods) == 0 {
			if err := r.serveRest(); err != nil {
				return err
			}
			return exitCode(exitDone)
		}
		r.serveMethods(methods)
		return nil
	}
}

// stubborn ignores every signal that can be ignored; exec keeps them ignored.
const stubborn = `trap '' TERM HUP INT; exec sleep 600`

// spawnChild starts a program that holds stdout open. The client has to end it with the
// agent.
func (r *runner) spawnChild() error {
	out, ok := r.out.(*os.File)
	if !ok {
		return fmt.Errorf("a child can hold a file open only, and this stdout is a %T", r.out)
	}
	child := exec.Command("sh", "-c", stubborn)
	child.Stdout = out
	if err := child.Start(); err != nil {
		return fmt.Errorf("start a child: %w", err)
	}
	go func() { _ = child.Wait() }()
	_, err := fmt.Fprintf(r.err, "child %d\n", child.Process.Pid)
	return err
}

// maxVariable limits the text of one ${x:N}, in bytes.
const maxVariable = 1 << 30

// expand replaces the variables in a text. With asJSON it escapes their values for the
// inside of a JSON string.
func (r *runner) expand(text string, asJSON bool) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	var failed error
	out := placeholder.ReplaceAllStringFunc(text, func(v string) string {
		s, err := r.value(v[2:len(v)-1], asJSON)
		if err != nil && failed == nil {
			failed = err
		}
		return s
	})
	return out, failed
}

// expandJSON replaces the variables in JSON and puts it on one line.
func (r *runner) expandJSON(text string) (json.RawMessage, error) {
	s, err := r.expand(text, true)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(s)); err != nil {
		return nil, fmt.Errorf("is not JSON after expanding variables: %w", err)
	}
	return b.Bytes(), nil
}

func (r *runner) value(name string, asJSON bool) (string, error) {
	if unit, count, ok := strings.Cut(name, ":"); ok {
		n, err := strconv.Atoi(count)
		if err != nil || n < 0 || len(unit)*n > maxVariable {
			return "", fmt.Errorf("${%s}: %q is not a count", name, count)
		}
		return escape(strings.Repeat(unit, n), asJSON), nil
	}
	switch name {
	case "n":
		if len(r.counts) == 0 {
			return "", fmt.Errorf("${n} has no value outside a repeat")
		}
		return strconv.Itoa(r.counts[len(r.counts)-1]), nil
	case "session", "cwd":
		r.mu.Lock()
		defer r.mu.Unlock()
		if name == "cwd" {
			return escape(r.cwd, asJSON), nil
		}
		return escape(r.session, asJSON), nil
	}
	head, path, _ := strings.Cut(name, ".")
	raw, ok := r.captured[head]
	if !ok {
		return "", fmt.Errorf("${%s}: nothing is called %q", name, head)
	}
	for key := range strings.SplitSeq(path, ".") {
		if key != "" {
			raw = child(raw, key)
		}
	}
	if raw == nil {
		return "", fmt.Errorf("${%s}: no such value in %s", name, r.captured[head])
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return escape(s, asJSON), nil
	}
	return string(raw), nil
}

// is reports whether a variable has a value or, if want is "", is set to anything but
// "no".
func (r *runner) is(name, want string) bool {
	text, err := r.value(name, false)
	if want != "" {
		return text == want
	}
	return err == nil && text != "" && text != "no"
}

// child returns the value of a key of an object, or of an index of an array.
func child(raw json.RawMessage, key string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil {
		return object[key]
	}
	var array []json.RawMessage
	i, err := strconv.Atoi(key)
	if err != nil || json.Unmarshal(raw, &array) != nil || i < 0 || i >= len(array) {
		return nil
	}
	return array[i]
}

func escape(s string, asJSON bool) string {
	if !asJSON {
		return s
	}
	quoted := encode(s)
	return string(quoted[1 : len(quoted)-1])
}
