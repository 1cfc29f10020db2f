// Package test has the tools of tests in several packages: sample events, git
// repositories, the built binary, and servers that an agent listens on. It also holds
// the rules of the whole module, such as who may import whom.
package test
