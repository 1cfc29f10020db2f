package app

import (
	"fmt"

	"parley/internal/registry"
)

// InstallQuestion asks whether to install an agent of the registry. It says exactly what
// will be done and run. Its first answer installs; the front end carries it out.
func InstallQuestion(agents *registry.Agents, p registry.Plan) Question {
	q := Question{
		Title:   "Install " + p.Entry.Name + "?",
		Text:    "It is made by others than parley, and runs with your rights. This is all that is done:",
		Choices: []Choice{{Name: "Install and start it", Key: "i"}, {Name: "Leave it", Key: "n"}},
	}
	for _, f := range p.Facts(agents.Dir) {
		q.Lines = append(q.Lines, fmt.Sprintf("%-10s %s", f.Name, f.Text))
	}
	return q
}

// Downloaded says how much of a download has come; all is 0 if nobody knows.
func Downloaded(done, all int64) string {
	if all > 0 {
		return fmt.Sprintf("%d %% of %d MiB", done*100/all, all>>20)
	}
	return fmt.Sprintf("%d MiB", done>>20)
}
