// Package docs holds what parley says about itself to its users.
package docs

import (
	_ "embed"
	"regexp"
)

//go:embed guide.md
var guide string

// picture is a paragraph that is a picture and nothing else.
var picture = regexp.MustCompile(`(?m)^!\[[^\]]*\]\([^)]*\)\n\n?`)

// Guide is the user's guide, in Markdown, as it is shown in a terminal: without the
// pictures, which are not in the program.
func Guide() string { return picture.ReplaceAllString(guide, "") }
