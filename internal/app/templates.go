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
	all := templatesIn(filepath.Join(filepath.Dir(config.ConfigFile()), "prompts"))
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

// templatesIn reads the prompts in a directory, or none if it cannot be read.
func templatesIn(dir string) []prompt.Template {
	entries, _ := os.ReadDir(dir)
	return prompt.Templates(entries, func(name string) (*os.File, error) { return files.OpenRegular(filepath.Join(dir, name)) })
}
