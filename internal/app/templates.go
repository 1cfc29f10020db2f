package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"parley/config"
	files "parley/fs"
	"parley/internal/prompt"
	"parley/internal/session"
)

// Templates reads the prompts that slash commands send in a session: the user's, and those of
// the project once the user trusts it. One of the user's hides one of the project.
func Templates(s Session) []prompt.Template {
	all := templatesIn(filepath.Join(filepath.Dir(config.ConfigFile()), "prompts"))
	if !s.About().Ruled {
		return all
	}
	is, err := session.Do(context.Background(), s, ProjectRules{})
	if err != nil || is.Trust != Trusted {
		return all
	}
	for _, t := range is.Project.Prompts {
		if !slices.ContainsFunc(all, func(own prompt.Template) bool { return own.Name == t.Name }) {
			all = append(all, t)
		}
	}
	return all
}

// templatesIn reads the prompts in a directory of the user's, none if it cannot be read.
func templatesIn(dir string) []prompt.Template {
	entries, _ := os.ReadDir(dir)
	return prompt.Templates(entries, func(name string) (*os.File, error) { return files.OpenRegular(filepath.Join(dir, name)) })
}
