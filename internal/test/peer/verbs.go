package peer

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"parley/internal/script"
)

type (
	args   = script.Args
	action = script.Action[*runner]
	verb   = script.Verb[*runner]
)

// verbs are the verbs of scripts.
var verbs = script.Verbs(map[string]verb{
	"handshake": func(a *args) action {
		capabilities, session := a.JSON(), a.JSON()
		return func(r *runner) error { return r.handshake(capabilities, session) }
	},
	"speaks":  parseSpeaks,
	"refuses": parseRefuses,

	"expect": func(a *args) action {
		methods, name, text := a.Method(), a.As(), contains(a)
		return func(r *runner) error { return r.expect(methods, name, text) }
	},
	"wait-cancel": script.Plain(func(r *runner) error { return r.expect("session/cancel", "", "") }),
	"await": func(a *args) action {
		name, text := a.Named("request"), contains(a)
		return func(r *runner) error { return r.await(name, text) }
	},
	"stop-reading":   script.Plain(func(r *runner) error { r.changeState(func() { r.deaf = true }); return nil }),
	"resume-reading": script.Plain(func(r *runner) error { r.changeState(func() { r.deaf = false }); return nil }),
	"serve":          parseServe,

	"reply":       parseReply,
	"reply-error": parseReplyError,
	"end-turn": func(a *args) action {
		reason := cmp.Or(a.Word(), "end_turn")
		return func(r *runner) error { return r.endTurn(reason) }
	},
	"accept": parseAccept,
	"idle": func(a *args) action {
		reason := a.Word()
		return func(r *runner) error { return r.sayIdle(reason) }
	},

	"cancel": func(a *args) action {
		name := a.Named("request")
		return func(r *runner) error {
			id, ok := r.asked[name]
			if !ok {
				return fmt.Errorf("no request is called %q", name)
			}
			return r.send(line{Method: "$/cancel_request", Params: map[string]json.RawMessage{"requestId": json.RawMessage(id)}})
		}
	},
	"raw": func(a *args) action {
		text := a.Rest()
		return func(r *runner) error {
			s, err := r.Expand(text, true)
			if err != nil {
				return err
			}
			return r.write([]byte(s + "\n"))
		}
	},
	"bytes": func(a *args) action {
		b, err := hex.DecodeString(strings.ReplaceAll(a.Rest(), " ", ""))
		if err != nil {
			a.Fail("wants bytes in hex: %w", err)
		}
		return func(r *runner) error { return r.write(b) }
	},
	"stderr": script.Words(func(r *runner, text string) error {
		_, err := fmt.Fprintln(r.err, text)
		return err
	}),
	"save": parseSave,

	"hang": script.Plain(func(r *runner) error { <-r.Context.Done(); return r.Context.Err() }),
	"exit": func(a *args) action {
		code := a.Number()
		return func(*runner) error { return exitCode(code) }
	},
	"kill-self": script.Plain(func(*runner) error { // at once, without any cleanup
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		return self.Kill()
	}),
	"ignore-sigterm": script.Plain(func(*runner) error { signal.Ignore(syscall.SIGTERM); return nil }),
	"spawn-child":    script.Plain((*runner).spawnChild),
})

// contains takes an optional "contains TEXT". Quotes stay: they belong to the JSON to
// search.
func contains(a *args) string {
	if !a.Take("contains") {
		return ""
	}
	text := strings.TrimSpace(a.Rest())
	if text == "" {
		a.Fail("contains wants a text")
	}
	return text
}

func parseReply(a *args) action {
	name := a.Name()
	return script.ExpandedJSON(cmp.Or(a.JSON(), "{}"), func(r *runner, result json.RawMessage) error {
		q, err := r.requested(name)
		if err != nil {
			return err
		}
		return r.answer(q, result)
	})
}

func parseReplyError(a *args) action {
	name, e := a.Name(), rpcError{Code: a.Number()}
	if !strings.HasPrefix(a.Peek(), `"`) {
		e.Message = a.Rest()
	} else {
		if err := json.Unmarshal([]byte(a.JSON()), &e.Message); err != nil {
			a.Fail("the message: %w", err)
		}
		e.Data = json.RawMessage(a.JSON())
	}
	return func(r *runner) error { return r.replyError(name, e) }
}

// parseSave parses a step that writes a file without the client.
func parseSave(a *args) action {
	path, quoted := a.Word(), a.NeedJSON()
	return script.ExpandedJSON(quoted, func(r *runner, raw json.RawMessage) error {
		var text string
		path, err := r.Expand(path, false)
		if err = errors.Join(err, json.Unmarshal(raw, &text)); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(text), 0o644)
	})
}

func parseServe(a *args) action {
	methods := strings.Fields(a.Rest())
	return func(r *runner) error {
		if len(methods) == 0 {
			if err := r.serveRest(); err != nil {
				return err
			}
			return exitCode(exitDone)
		}
		r.serveAlso(methods...)
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
