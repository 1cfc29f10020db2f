package tour

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// markerName is the file that says of a directory that the tour may change it.
const markerName = ".parley-tour"

const markerText = "This folder was made for the tour of parley. It may be deleted at any time.\n"

// The one line of the sample that is wrong, and what it should have been.
const (
	buggyLoop = "\tfor i := 1; i < len(names); i++ {\n\t\tfmt.Printf(\"Hello, %s!\\n\", names[i])\n\t}\n"
	fixedLoop = "\tfor _, name := range names {\n\t\tfmt.Printf(\"Hello, %s!\\n\", name)\n\t}\n"
	buggyLine = 8 // from 1
)

//go:embed sample/README.md
var sampleReadme string

//go:embed sample/main.go.txt
var sampleMain string

//go:embed sample/notes.md
var sampleNotes string

//go:embed sample/check.sh
var sampleCheck string

// WriteSample fills dir with the small project that the tour works on. The
// directory must be there and empty, so that nothing of the person's is mixed
// with it.
func WriteSample(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("write the sample project: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("write the sample project: %s is not empty", dir)
	}
	for name, text := range map[string]string{
		"README.md": sampleReadme, "main.go": sampleMain, "notes.md": sampleNotes, "check.sh": sampleCheck,
		markerName: markerText,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("write the sample project: %w", err)
		}
	}
	return nil
}

// isSample reports whether a directory is a sample project.
func isSample(dir string) bool {
	b, err := os.ReadFile(filepath.Join(dir, markerName))
	return err == nil && string(b) == markerText
}

// fixed is the sample's main.go without its mistake; false if there is none.
func fixed(source string) (string, bool) {
	out := strings.Replace(source, buggyLoop, fixedLoop, 1)
	return out, out != source
}

// newFile is the path of a file that is not there yet, named so that everybody
// sees where it came from.
func newFile(dir string) (string, error) {
	for n := 1; n <= 1000; n++ {
		path := filepath.Join(dir, fmt.Sprintf("parley-tour-%d.md", n))
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return path, nil
		}
	}
	return "", fmt.Errorf("find a name for a new file: %s has a thousand files of the tour", dir)
}
