package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/mod/semver"

	"parley/config"
)

// recalledMsg is what was used before this start.
type recalledMsg config.Recent

// recall reads what was used last, in the background.
func (m *Model) recall() tea.Msg {
	if m.program.Recent == nil {
		return nil
	}
	return recalledMsg(m.program.Recent.Load())
}

// recalled tells of a new version once, when it is started first. Where no version was
// started before, nothing is new.
func (m *Model) recalled(used recalledMsg) tea.Cmd {
	now, before := canonical(m.program.Version), canonical(used.Version)
	if !semver.IsValid(now) || semver.Compare(now, before) <= 0 {
		return nil
	}
	if semver.IsValid(before) && m.program.Changes != "" {
		m.front.TellNews()
	}
	memory, version := m.program.Recent, m.program.Version
	return func() tea.Msg {
		_ = memory.Version(version) // then it is told of once more
		return nil
	}
}

// canonical is a version with the letter in front that package semver wants.
func canonical(version string) string {
	return "v" + strings.TrimPrefix(version, "v")
}
