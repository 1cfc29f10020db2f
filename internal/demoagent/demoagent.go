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
// ends. Its exit code is then 0. It is 2 for a script with an error and 3 for a
// step that failed; stderr says why, with file and line.
//
// # Format
//
// Each line is a step. Leading spaces and lines that begin with # are ignored. A
// JSON argument may span several lines. TEXT is the rest of the line. NAME
// is a letter followed by letters, digits, "_" or "-".
//
// Opening:
//
//	handshake [CAPABILITIES [SESSION]]  answer initialize with these agent capabilities, then
//	                                    session/new, load or resume with the fields in SESSION
//	                                    (modes, configOptions, sessionId, …)
//
//	speaks v2                           speak version 2 of the protocol if the client offers it
//	refuses v2 [TEXT]                   exit if the client offers it, or answer with an error
//
// Receiving:
//
//	expect METHOD [as NAME] [contains TEXT]  wait for the next message with a method, or one of
//	                                    several (a|b), and fail if its line does not contain TEXT,
//	                                    quotes included. Other messages stay for later steps.
//	wait-cancel                         the same as expect session/cancel
//	await NAME [contains TEXT]          wait for the result or error of a request of the agent
//	stop-reading, resume-reading        leave the client's lines in the pipe (up to 64 KiB that
//	                                    are already buffered are still read)
//	serve METHOD…                       from now on answer requests with these methods in the
//	                                    background: session/new and similar open a session,
//	                                    set_config_option returns the complete state, prompts end
//	                                    at once. expect still sees the requests.
//	serve                               until stdin ends, answer all messages, pending ones
//	                                    included, and on session/cancel every open prompt with
//	                                    "cancelled"
//
// Answering:
//
//	reply [NAME] [JSON]                 answer a request: NAME, or the one expected last. The
//	                                    default result is {}. A second reply is sent, too.
//	reply-error [NAME] CODE MESSAGE [DATA]  MESSAGE is a JSON string, or TEXT without DATA
//	end-turn [REASON]                   answer the prompt expected last; the default is end_turn.
//	                                    In version 2: accept it if necessary, and become idle
//	accept [HOW…]                       accept the prompt expected last, in version 2: answer it,
//	                                    send its message, and send the state running. HOW omits
//	                                    the answer (unanswered), the message's id in the answer
//	                                    (nameless), the message (untold) or the state (unstated)
//	idle [REASON]                       send the state idle, in version 2, even without work
//
// Sending:
//
//	say TEXT, think TEXT                a chunk of a message or thought; TEXT in double quotes is a
//	                                    JSON string
//	update JSON                         session/update for the current session
//	notify METHOD [JSON]                a notification
//	request METHOD JSON [as NAME] [id ID]  a request; ids count from 0
//	cancel NAME                         $/cancel_request for a request of the agent
//	raw TEXT, raw-nonl TEXT             exactly this, with and without a line feed
//	bytes HEX                           exactly these bytes; spaces are ignored
//	stderr TEXT                         a line on stderr
//	save PATH JSON                      write a file, a JSON string, without asking the client
//	close-stdout
//
// Flow and misbehaviour:
//
//	repeat N … end                      ${n} counts from 1
//	if NAME … else … end                run steps if a variable is set to anything but "no";
//	                                    !NAME negates, NAME is TEXT compares; else is optional
//	sleep DURATION                      50ms, 2s
//	hang                                do nothing more, even when stdin ends
//	exit CODE, kill-self                exit with a code, or by SIGKILL
//	ignore-sigterm
//	spawn-child                         start a program that holds stdout open and ignores SIGTERM;
//	                                    "child PID" is written to stderr
//
// # Variables
//
// ${session} and ${cwd} are the latest ones in a message of either side; ${n}
// is the count of the innermost repeat; ${x:65536} is x repeated that often;
// ${NAME} is the message that an expect or await named NAME, and
// ${NAME.params.prompt.0.text} a value in it. Inside JSON, strings are inserted
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
