package demoagent

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// verbs are those of scripts.
var verbs = map[string]verb{
	"handshake":      parseHandshake,
	"expect":         parseExpect,
	"await":          parseAwait,
	"reply":          parseReply,
	"reply-error":    parseReplyError,
	"end-turn":       parseEndTurn,
	"say":            chunks("agent_message_chunk"),
	"think":          chunks("agent_thought_chunk"),
	"update":         parseUpdate,
	"notify":         parseNotify,
	"request":        parseRequest,
	"cancel":         parseCancel,
	"speaks":         parseSpeaks,
	"refuses":        parseRefuses,
	"accept":         parseAccept,
	"idle":           parseIdle,
	"raw":            written("\n"),
	"raw-nonl":       written(""),
	"bytes":          parseBytes,
	"stderr":         parseStderr,
	"save":           parseSave,
	"sleep":          parseSleep,
	"serve":          parseServe,
	"exit":           parseExit,
	"wait-cancel":    plain(func(r *runner) error { return r.expect("session/cancel", "", "") }),
	"close-stdout":   plain((*runner).closeOut),
	"stop-reading":   plain(func(r *runner) error { return r.setDeaf(true) }),
	"resume-reading": plain(func(r *runner) error { return r.setDeaf(false) }),
	"spawn-child":    plain((*runner).spawnChild),
	"kill-self":      plain(func(*runner) error { return sigkill() }),
	"ignore-sigterm": plain(func(*runner) error { signal.Ignore(syscall.SIGTERM); return nil }),
	"hang":           plain(func(r *runner) error { <-r.ctx.Done(); return r.ctx.Err() }),
}

// plain is a step without arguments.
func plain(do func(*runner) error) verb {
	return func(*args) (func(*runner) error, error) { return do, nil }
}

func parseHandshake(a *args) (func(*runner) error, error) {
	capabilities, err := a.json()
	if err != nil {
		return nil, err
	}
	session, err := a.json()
	if err != nil {
		return nil, err
	}
	return func(r *runner) error { return r.handshake(capabilities, session) }, nil
}

func parseExpect(a *args) (func(*runner) error, error) {
	methods, err := a.method()
	if err != nil {
		return nil, err
	}
	name, err := a.as()
	if err != nil {
		return nil, err
	}
	contains, err := a.contains()
	return func(r *runner) error { return r.expect(methods, name, contains) }, err
}

func parseAwait(a *args) (func(*runner) error, error) {
	name, ok := a.name()
	if !ok {
		return nil, errors.New("wants the name of a request")
	}
	contains, err := a.contains()
	return func(r *runner) error { return r.await(name, contains) }, err
}

func parseReply(a *args) (func(*runner) error, error) {
	name, _ := a.name()
	result, err := a.json()
	if result == "" {
		result = "{}"
	}
	return func(r *runner) error { return r.reply(name, result) }, err
}

func parseReplyError(a *args) (func(*runner) error, error) {
	name, _ := a.name()
	code, err := a.number()
	if err != nil {
		return nil, fmt.Errorf("the code: %w", err)
	}
	e := rpcError{Code: code}
	if !strings.HasPrefix(a.peek(), `"`) {
		e.Message = a.rest()
	} else {
		quoted, err := a.json()
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(quoted), &e.Message); err != nil {
			return nil, err
		}
		data, err := a.json()
		if err != nil {
			return nil, err
		}
		e.Data = json.RawMessage(data)
	}
	return func(r *runner) error { return r.replyError(name, e) }, nil
}

func parseEndTurn(a *args) (func(*runner) error, error) {
	reason := a.word()
	if reason == "" {
		reason = "end_turn"
	}
	return func(r *runner) error { return r.endTurn(reason) }, nil
}

func chunks(kind string) verb {
	return func(a *args) (func(*runner) error, error) {
		text := a.rest()
		var quoted string
		if json.Unmarshal([]byte(text), &quoted) == nil && strings.HasPrefix(strings.TrimSpace(text), `"`) {
			text = quoted
		}
		return func(r *runner) error { return r.chunk(kind, text) }, nil
	}
}

func parseUpdate(a *args) (func(*runner) error, error) {
	update, err := wantJSON(a)
	return func(r *runner) error {
		raw, err := r.expandJSON(update)
		if err != nil {
			return err
		}
		return r.update(raw)
	}, err
}

func wantJSON(a *args) (string, error) {
	value, err := a.json()
	if err == nil && value == "" {
		err = errors.New("wants JSON")
	}
	return value, err
}

func parseNotify(a *args) (func(*runner) error, error) {
	method, err := a.method()
	if err != nil {
		return nil, err
	}
	params, err := a.json()
	return func(r *runner) error {
		if params == "" {
			return r.send(line{Method: method})
		}
		raw, err := r.expandJSON(params)
		if err != nil {
			return err
		}
		return r.send(line{Method: method, Params: raw})
	}, err
}

func parseRequest(a *args) (func(*runner) error, error) {
	method, err := a.method()
	if err != nil {
		return nil, err
	}
	params, err := wantJSON(a)
	if err != nil {
		return nil, err
	}
	name, err := a.as()
	if err != nil {
		return nil, err
	}
	var id string
	if a.take("id") {
		if id, err = wantJSON(a); err != nil {
			return nil, err
		}
	}
	return func(r *runner) error { return r.request(method, params, name, id) }, nil
}

func parseCancel(a *args) (func(*runner) error, error) {
	name, ok := a.name()
	if !ok {
		return nil, errors.New("wants the name of a request")
	}
	return func(r *runner) error {
		id, ok := r.asked[name]
		if !ok {
			return fmt.Errorf("no request is called %q", name)
		}
		return r.send(line{Method: "$/cancel_request", Params: map[string]json.RawMessage{"requestId": json.RawMessage(id)}})
	}, nil
}

func written(end string) verb {
	return func(a *args) (func(*runner) error, error) {
		text := a.rest()
		return func(r *runner) error {
			s, err := r.expand(text, true)
			if err != nil {
				return err
			}
			return r.write([]byte(s + end))
		}, nil
	}
}

func parseBytes(a *args) (func(*runner) error, error) {
	b, err := hex.DecodeString(strings.ReplaceAll(a.rest(), " ", ""))
	if err != nil {
		return nil, fmt.Errorf("wants bytes in hex: %w", err)
	}
	return func(r *runner) error { return r.write(b) }, nil
}

func parseStderr(a *args) (func(*runner) error, error) {
	text := a.rest()
	return func(r *runner) error {
		s, err := r.expand(text, false)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(r.err, s)
		return err
	}, nil
}

// parseSave is the step of an agent that writes a file itself.
func parseSave(a *args) (func(*runner) error, error) {
	path := a.word()
	quoted, err := wantJSON(a)
	if err != nil {
		return nil, err
	}
	return func(r *runner) error {
		name, err := r.expand(path, false)
		if err != nil {
			return err
		}
		raw, err := r.expandJSON(quoted)
		if err != nil {
			return err
		}
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
		return os.WriteFile(name, []byte(text), 0o644)
	}, nil
}

func parseSleep(a *args) (func(*runner) error, error) {
	d, err := time.ParseDuration(a.word())
	if err != nil || d < 0 {
		return nil, errors.New("wants a duration such as 50ms")
	}
	return func(r *runner) error {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			return nil
		case <-r.ctx.Done():
			return r.ctx.Err()
		}
	}, nil
}

func parseServe(a *args) (func(*runner) error, error) {
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
	}, nil
}

func parseExit(a *args) (func(*runner) error, error) {
	code, err := a.number()
	return func(*runner) error { return exitCode(code) }, err
}
