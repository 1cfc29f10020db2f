// Package demoagent is parley's built-in agent, which speaks versions 1 and 2 of ACP over
// stdio.
//
// Without a script it is the tour: an agent without a model that shows a newcomer around,
// with real tool calls on a sample project. It needs no account and no other agent. Its texts
// and actions are in scenes (scenes/*.scene): scripts with the verbs of sceneVerbs. A slash
// command plays the scene of its name.
//
// With a script it does exactly what a file says, right or wrong, as the peer of parley's
// tests. It then writes its lines without an acpclient.Conn, which could not send half a
// line, answer twice, or stop reading.
//
// # Example
//
// An agent that greets, asks to write a file, and dies when it may not:
//
//	handshake
//	expect session/prompt contains "hello"
//	say Good morning from ${cwd}.
//	request session/request_permission {
//	  "sessionId": "${session}",
//	  "toolCall": {"toolCallId": "t1", "title": "Write a.txt", "kind": "edit"},
//	  "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]
//	} as permission
//	await permission contains "selected"
//	repeat 3
//	  update {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "thought ${n}"}}
//	end
//	end-turn
//
// After the last step the agent answers everything (see serve) until its stdin
// ends. Its exit code is then 0. It is 2 for a script with a mistake in it and 3
// for a step that failed; stderr says why, with file and line.
//
// # Format
//
// One step a line; spaces before it and lines that begin with # do not count. A
// JSON argument may go on over several lines. TEXT is the rest of the line. NAME
// is a letter followed by letters, digits, "_" or "-".
//
// The opening:
//
//	handshake [CAPABILITIES [SESSION]]  answer initialize with these agent capabilities, then
//	                                    session/new, load or resume with the fields of SESSION
//	                                    (modes, configOptions, sessionId, …)
//
//	speaks v2                           speak version 2 of the protocol, if it is offered
//	refuses v2 [TEXT]                   end when it is offered, or answer an error
//
// Taking:
//
//	expect METHOD [as NAME] [contains TEXT]  wait for the next message of a method, or of one of
//	                                    several (a|b), and fail if its line lacks TEXT, quotes and
//	                                    all. What comes meanwhile stays for the steps behind.
//	wait-cancel                         the same as expect session/cancel
//	await NAME [contains TEXT]          wait for the answer to a request of ours, a result or an error
//	stop-reading, resume-reading        leave the client's lines in the pipe (what has been
//	                                    buffered, at most 64 KiB, still comes through)
//	serve METHOD…                       from here on answer requests of these methods in the
//	                                    background: session/new and its kin open a session,
//	                                    set_config_option returns the whole state, prompts end at
//	                                    once. expect may still look at them.
//	serve                               answer everything, what is waiting included, and on
//	                                    session/cancel every open prompt with "cancelled", until
//	                                    stdin ends
//
// Answering:
//
//	reply [NAME] [JSON]                 answer a request: the one expected last, or as NAME;
//	                                    without JSON with {}. A second reply is sent like the first.
//	reply-error [NAME] CODE MESSAGE [DATA]  MESSAGE is a JSON string, or TEXT if there are no DATA
//	end-turn [REASON]                   answer the prompt expected last; end_turn without REASON. In
//	                                    version 2: accept it if need be, and be idle
//	accept [HOW…]                       accept the prompt expected last, in version 2:
//	                                    answer it, tell of its message, and be running; but do not
//	                                    answer it (unanswered), answer without the message's id
//	                                    (nameless), do not tell of the message (untold), do not
//	                                    say to be running (unstated)
//	idle [REASON]                       be idle, in version 2, whether or not there was work
//
// Sending:
//
//	say TEXT, think TEXT                a chunk of a message or thought; TEXT in double quotes is a
//	                                    JSON string
//	update JSON                         session/update for the current session
//	notify METHOD [JSON]                a notification
//	request METHOD JSON [as NAME] [id ID]  a request; ids count from 0
//	cancel NAME                         $/cancel_request for a request of ours
//	raw TEXT, raw-nonl TEXT             exactly this, with and without a line feed
//	bytes HEX                           exactly these bytes; spaces are ignored
//	stderr TEXT                         a line on stderr
//	save PATH JSON                      write a file, a JSON string, without asking the client
//	close-stdout
//
// Flow and misbehaviour:
//
//	repeat N … end                      ${n} counts from 1
//	if NAME … else … end                whether a variable is set, and not no; !NAME for the
//	                                    opposite, NAME is TEXT for a value; else may be missing
//	sleep DURATION                      50ms, 2s
//	hang                                do nothing more; not even the end of stdin is noticed
//	exit CODE, kill-self                end, without and with SIGKILL
//	ignore-sigterm
//	spawn-child                         start a program that holds stdout open and ignores SIGTERM;
//	                                    "child PID" is written to stderr
//
// # Variables
//
// ${session} and ${cwd} are those that a message named last, either way; ${n}
// is the innermost repeat's count; ${x:65536} is x so many times;
// ${NAME} is the message that an expect or await called NAME, and
// ${NAME.params.prompt.0.text} a value in it. Inside JSON, strings are put in
// escaped and without quotes, everything else as JSON.
package demoagent

import (
	"context"
	"fmt"
	"io"
	"os"
)

// Options say how to run the agent.
type Options struct {
	// In and Out are the connection to the client, Err is for the user. A script can close
	// Out if it is an io.Closer.
	In       io.Reader
	Out, Err io.Writer
	// Script is the path of a script; "" means the tour.
	Script string
	// Log, if not "", is a file to which all input is appended before it takes effect.
	Log string
	// SignIn pretends to sign in to the tour and exits (signInFlag).
	SignIn bool
}

// Run runs the agent until In, the script or ctx ends, and returns the exit code. A pending
// read of In continues until In ends. optionsFromEnv documents the environment of the tour.
func Run(ctx context.Context, opt Options) int {
	if opt.SignIn {
		return signInAtTerminal(opt.Out, optionsFromEnv())
	}
	if opt.Log != "" {
		log, err := os.OpenFile(opt.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			_, _ = fmt.Fprintf(opt.Err, "parley demo-agent: open the log: %v\n", err)
			return exitBroken
		}
		defer func() { _ = log.Close() }()
		opt.In = io.TeeReader(opt.In, log)
	}
	if opt.Script == "" {
		return runTour(ctx, opt.In, opt.Out, opt.Err, optionsFromEnv())
	}
	s, err := load(opt.Script)
	if err != nil {
		_, _ = fmt.Fprintln(opt.Err, err)
		return exitBroken
	}
	return s.Run(ctx, opt.In, opt.Out, opt.Err)
}
