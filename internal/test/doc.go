// Package test provides tools for tests in several packages: sample events, git
// repositories, the built binary, and servers that an agent listens on. It also checks
// the rules of the whole module, such as which package may import which.
package test
