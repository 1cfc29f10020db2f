// Package sessiontest creates sessions for tests: with a scripted agent, or stored
// ones.
package sessiontest
