package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/config"
	files "parley/fs"
	"parley/internal/git"
	"parley/internal/prompt"
)

// Project is the configuration inside a project.
type Project struct {
	// Dir is the project's directory, with links resolved.
	Dir string
	// Project is what its file says: nothing without a file, or if Err says what is
	// wrong with the file. Front ends in other processes do not get Err.
	config.Project
	Err error `json:"-"`

	// Prompts are the project's own, from files beside that one. They count as its rules do.
	Prompts []prompt.Template

	sum string // of the content of all files; "" if there is none
}

// Empty reports whether it has nothing that the user could trust.
func (p *Project) Empty() bool {
	return len(p.Rules)+len(p.Prompts)+len(p.Worktree.Include) == 0 && p.Worktree.Setup == ""
}

// projectOf returns the directory of the project of a session in cwd, and the same with links
// resolved. A worktree has that of the working tree it was made for: what the user has decided
// about that holds there too, and the copy of its files, which an agent can write, does not count.
func projectOf(cwd string) (dir, real string) {
	dir = git.Original(cwd)
	real, _ = follow(dir)
	return dir, real
}

// projectPrompts is the directory of a project's own prompts.
const projectPrompts = ".parley/prompts"

func readProject(cwd, dir string) Project {
	p := Project{Dir: dir}
	if root, err := os.OpenRoot(cwd); err == nil { // OpenRoot, so that no link leads out of the project
		if dir, err := files.OpenRootIn(root, projectPrompts); err == nil {
			entries, _ := fs.ReadDir(dir.FS(), ".")
			_ = dir.Close()
			p.Prompts = prompt.Templates(entries, func(name string) (*os.File, error) {
				return files.OpenRegularIn(root, filepath.Join(projectPrompts, name))
			})
		}
		_ = root.Close()
	}
	data, err := files.ReadHead(filepath.Join(cwd, config.ProjectFile), config.MaxProjectFile+1)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.Err = err
		return p
	}
	if err != nil && len(p.Prompts) == 0 {
		return p
	}
	sum := sha256.New()
	sum.Write(data)
	for _, t := range p.Prompts {
		fmt.Fprintf(sum, "\x00%s\x00%d\x00%s", t.Name, len(t.Text), t.Text)
	}
	p.sum = hex.EncodeToString(sum.Sum(nil))
	if err == nil {
		p.Project, p.Err = config.ParseProject(filepath.ToSlash(config.ProjectFile), data)
	}
	return p
}
