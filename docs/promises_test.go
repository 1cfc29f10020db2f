package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages are the documents that say something about files, targets and packages.
var pages = []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/guide.md", "docs/architecture.md"}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	links   = regexp.MustCompile(`(?:\]\(|src="|srcset=")([^)"#:]+)(?:#[^)"]*)?[)"]`)
	targets = regexp.MustCompile("(?m)(?:`|^)make ([a-z-]+)")
)

// What the documents link to, pictures included, is there.
func TestLinkedFilesAreThere(t *testing.T) {
	found := 0
	for _, name := range pages {
		for _, link := range links.FindAllStringSubmatch(page(t, name), -1) {
			found++
			if _, err := os.Stat(filepath.Join("..", filepath.Dir(name), link[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", name, link[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d links were found", found)
	}
}

// Every picture is shown somewhere.
func TestPicturesAreShown(t *testing.T) {
	var shown []string
	for _, name := range pages {
		for _, link := range links.FindAllStringSubmatch(page(t, name), -1) {
			shown = append(shown, filepath.Base(link[1]))
		}
	}
	pictures, err := filepath.Glob("pictures/*.svg")
	if err != nil || len(pictures) < 10 {
		t.Errorf("pictures: %q, %v", pictures, err)
	}
	for _, picture := range pictures {
		if !slices.Contains(shown, filepath.Base(picture)) {
			t.Errorf("no page shows %s", picture)
		}
	}
}

// What a reader is told to make can be made.
func TestTargetsAreThere(t *testing.T) {
	makefile := page(t, "Makefile")
	found := 0
	for _, name := range pages {
		for _, target := range targets.FindAllStringSubmatch(page(t, name), -1) {
			found++
			if !regexp.MustCompile(`(?m)^` + target[1] + `:`).MatchString(makefile) {
				t.Errorf("%s says make %s, which there is not", name, target[1])
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d targets were found", found)
	}
}

// Every folder with a package stands in the table of packages, itself or as one below
// another.
func TestPackagesAreDescribed(t *testing.T) {
	table := page(t, "docs/architecture.md")
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "dist" || d.Name() == "bin") {
			return filepath.SkipDir
		}
		sources, _ := filepath.Glob(filepath.Join(path, "*.go"))
		name, err := filepath.Rel("..", path)
		if err != nil || name == "." || len(sources) == 0 {
			return err
		}
		for dir := filepath.ToSlash(name); dir != "."; dir = filepath.ToSlash(filepath.Dir(dir)) {
			if strings.Contains(table, "`"+dir+"/`") || strings.Contains(table, "`"+dir+"`") {
				return nil
			}
		}
		t.Errorf("docs/architecture.md does not say what %s is for", name)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
