// Package peer is the agent of parley's tests, which does exactly what a script says, right or
// wrong. It speaks versions 1 and 2 of ACP over stdio, without an acpclient.Conn, which could
// not send half a line, answer twice, or stop reading. The program in the directory scripted
// plays a script as an agent of its own: see test.Peer.
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
// # Steps
//
// Package script describes the format and the steps of all scripts; ids of requests count from
// 0, and await waits for their answers. The other steps are:
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
//	cancel NAME                         $/cancel_request for a request of the agent
//	raw TEXT                            exactly this, and a line feed
//	bytes HEX                           exactly these bytes; spaces are ignored
//	stderr TEXT                         a line on stderr
//	save PATH JSON                      write a file, a JSON string, without asking the client
//
// Waiting and misbehaviour:
//
//	hang                                do nothing more, even when stdin ends
//	exit CODE, kill-self                exit with a code, or by SIGKILL
//	ignore-sigterm
//	spawn-child                         start a program that holds stdout open and ignores SIGTERM;
//	                                    "child PID" is written to stderr
//
// # Variables
//
// ${session} and ${cwd} are the latest ones in a message of either side; ${NAME} is the message
// that an expect or await named NAME.
package peer

import "parley/internal/script"

// Script is a parsed script. It may be run many times.
type Script struct{ steps *script.Script[*runner] }

// Parse parses a script; errors call it name.
func Parse(name, src string) (*Script, error) {
	s, err := script.Parse(name, src, verbs)
	return &Script{s}, err
}
