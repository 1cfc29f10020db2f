// Package record keeps the traffic between parley and an agent: it writes recordings
// without secrets ([Writer]), holds the ring that the protocol inspector reads
// ([Ring]), describes messages for the inspector ([Inspector]), and plays recorded or
// stored events ([Player]).
//
// # The format
//
// A recording is a file of JSON lines. The first one is the header:
//
//	{"v":1,"recording":"parley","version":"0.1.0","started":"2026-11-21T12:00:00Z","command":["my-agent","--acp"],"cwd":"/home/me/project"}
//
// Each of the others is one entry; "t" is the time in seconds since the start:
//
//	{"t":0.012345,"sent":{"jsonrpc":"2.0","id":1,"method":"initialize",…}}
//	{"t":0.050000,"received":{"jsonrpc":"2.0","id":1,"result":{…}}}
//	{"t":0.051000,"noise":"a line of the agent's that is not JSON"}
//	{"t":0.052000,"stderr":"what the agent wrote there"}
//	{"t":0.060000,"event":{"v":1,"event":"text","data":{…}}}
//
// A message of the wire is recorded byte for byte, unless it contains secrets: see
// [Redactor]. An event is one of package conversation, in its own encoding and version.
// Events are recorded beside the wire because they are what the user saw, and some of
// that, such as the output of commands, never crosses the wire. Replays use only the
// events.
//
// A reader ignores unknown fields and kinds of lines, and damaged lines. Whatever
// changes the meaning of a line needs a new version.
package record
