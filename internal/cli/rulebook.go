package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/policy"
	"parley/internal/session"
)

// book has the rules that count for an agent in a session's directories. The error says
// why none of them can be known; then the book allows nothing.
func (l *launcher) book(a config.Agent, roots []string) (*app.Rules, error) {
	return app.OpenRules(app.RulesOptions{
		Agent: a.ID, Cwd: roots[0], More: roots[1:], Configured: append(configuredRules(l.config), l.rules...), Store: app.NewRuleStore(config.StateDir()),
	})
}

// configuredRules are the rules of the configuration, with their sources as people
// write them.
func configuredRules(cfg *config.Config) []policy.Rule {
	list := slices.Clone(cfg.Rules)
	home, err := os.UserHomeDir()
	for i := range list {
		if rest, ok := strings.CutPrefix(list[i].Source, home+string(filepath.Separator)); ok && err == nil {
			list[i].Source = filepath.Join("~", rest)
		}
	}
	return list
}

// tellOfRules says in a session which rules do not count, and why.
func tellOfRules(s *session.Session, b *app.Rules, unread error) {
	if unread != nil {
		s.Said(acpclient.NoticeWarning, "No rule counts: everything is asked about", unread.Error())
	}
	if wrong := b.Project().Err; wrong != nil {
		s.Said(acpclient.NoticeWarning, "The project's own rules do not count: there is a mistake in its configuration", wrong.Error())
	}
}
