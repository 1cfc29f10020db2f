// Package record keeps what passes between parley and an agent: the file of a recording
// without its secrets, the ring that the protocol inspector reads, what the inspector
// tells of each message, and the player that replays recorded or stored events.
package record
