package screen

import (
	"os"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// profile returns the colours that the terminal supports. As no-color.org says,
// NO_COLOR applies with any value; the library accepts only true values.
func profile(out *os.File, env []string) colorprofile.Profile {
	p := colorprofile.Detect(out, env)
	if uv.Environ(env).Getenv("NO_COLOR") != "" {
		p = min(p, colorprofile.ASCII)
	}
	return p
}
