package desktop

import (
	"strconv"
	"strings"
)

// ShowsProgress reports whether the terminal is known to show progress (OSC 9;4).
// Others take the sequence for the text of a notification.
func ShowsProgress(getenv func(string) string) bool {
	if getenv("TMUX") != "" || getenv("STY") != "" {
		return false
	}
	version := getenv("TERM_PROGRAM_VERSION")
	switch program := getenv("TERM_PROGRAM"); {
	case getenv("WT_SESSION") != "", getenv("ConEmuANSI") == "ON":
		return true
	case program == "ghostty":
		return atLeast(version, 1, 2)
	case program == "iTerm.app":
		return atLeast(version, 3, 6, 6)
	case program != "":
		return false
	}
	vte, err := strconv.Atoi(getenv("VTE_VERSION"))
	return err == nil && vte >= 7900
}

// atLeast reports whether a version is at least the given one.
func atLeast(version string, least ...int) bool {
	parts := strings.FieldsFunc(version, func(r rune) bool { return r == '.' || r == '-' || r == '+' })
	for i, want := range least {
		if i >= len(parts) {
			return false
		}
		got, err := strconv.Atoi(parts[i])
		if err != nil || got < want {
			return false
		}
		if got > want {
			return true
		}
	}
	return true
}
