package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"parley/config"
	files "parley/fs"
	"parley/internal/prompt"
	"parley/internal/rules"
	"parley/internal/session"
)

// Templates reads the prompts for slash commands in a session: the user's, and the project's
// once the user trusts it. The user's prompts take precedence.
func Templates(s Session) []prompt.Template {
	dir := filepath.Join(filepath.Dir(config.ConfigFile()), "prompts")
	entries, _ := os.ReadDir(dir) // without it there are none
	all := prompt.Templates(entries, func(name string) (*os.File, error) { return files.OpenRegular(filepath.Join(dir, name)) })
	if !s.About().Ruled {
		return all
	}
	is, err := session.Do(context.Background(), s, rules.ProjectRules{})
	if err != nil || is.Trust != rules.Trusted {
		return all
	}
	for _, t := range is.Project.Prompts {
		if !slices.ContainsFunc(all, func(own prompt.Template) bool { return own.Name == t.Name }) {
			all = append(all, t)
		}
	}
	return all
}
