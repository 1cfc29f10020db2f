// Package docs holds what parley says about itself to its users.
package docs

import _ "embed"

//go:embed guide.md
var guide string

// Guide is the user's guide, in Markdown.
func Guide() string { return guide }
