package screen

import (
	"os"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// profile is which colours the terminal has. NO_COLOR counts whatever its value,
// as no-color.org has it; the library takes only what reads as true.
func profile(out *os.File, env []string) colorprofile.Profile {
	p := colorprofile.Detect(out, env)
	if uv.Environ(env).Getenv("NO_COLOR") != "" {
		p = min(p, colorprofile.ASCII)
	}
	return p
}
