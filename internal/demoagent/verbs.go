package demoagent

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

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
	"stop-reading":   plain(func(r *runner) error { return r.setDeaf(true) }),
	"resume-reading": plain(func(r *runner) error { return r.setDeaf(false) }),
	"serve":          parseServe,

	"reply":       parseReply,
	"reply-error": parseReplyError,
	"end-turn": func(a *args) action {
		reason := a.word()
		if reason == "" {
			reason = "end_turn"
		}
		return func(r *runner) error { return r.endTurn(reason) }
	},
	"accept": parseAccept,
	"idle": func(a *args) action {
		reason := a.word()
		return func(r *runner) error { return r.sayIdle(reason) }
	},

	"say":      chunks("agent_message_chunk"),
	"think":    chunks("agent_thought_chunk"),
	"update":   parseUpdate,
	"notify":   parseNotify,
	"request":  parseRequest,
	"cancel":   parseCancel,
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

// plain is a step without arguments.
func plain(do action) verb { return func(*args) action { return do } }

// words is a step with the rest of the line.
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
	name, result := a.name(), a.json()
	if result == "" {
		result = "{}"
	}
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

func parseCancel(a *args) action {
	name := a.named("request")
	return func(r *runner) error {
		id, ok := r.asked[name]
		if !ok {
			return fmt.Errorf("no request is called %q", name)
		}
		return r.send(line{Method: "$/cancel_request", Params: map[string]json.RawMessage{"requestId": json.RawMessage(id)}})
	}
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

func parseSleep(a *args) action {
	d, err := time.ParseDuration(a.word())
	if err != nil || d < 0 {
		a.fail("wants a duration such as 50ms")
	}
	return func(r *runner) error { return sleep(r.ctx, d) }
}

func parseServe(a *args) action {
	methods := strings.Fields(a.rest())
	return func(r *runner) error {
		if len(methods) == 0 {
			if err := r.serveRest(); err != nil {
				return err
			}
			return exitCode(ExitDone)
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
