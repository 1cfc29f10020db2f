package demoagent

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// markerName is the file that says of a directory that the tour may change it.
const markerName = ".parley-tour"

const markerText = "parley's tour created this folder. You can delete it at any time.\n"

// sampleFiles are the files of the sample project. main.go.txt is not called main.go here
// because it is not a part of this program.
//
//go:embed sample
var sampleFiles embed.FS

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
	files := map[string]string{markerName: markerText}
	sample, _ := sampleFiles.ReadDir("sample")
	for _, f := range sample {
		text, _ := sampleFiles.ReadFile("sample/" + f.Name())
		files[strings.TrimSuffix(f.Name(), ".txt")] = string(text)
	}
	for name, text := range files {
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

// newFile is the path of a file that is not there yet, named so that everybody
// sees where it came from.
func newFile(dir string) (string, error) {
	for n := 1; n <= 1000; n++ {
		path := filepath.Join(dir, fmt.Sprintf("parley-tour-%d.md", n))
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return path, nil
		}
	}
	return "", fmt.Errorf("no free file name: %s has a thousand files from the tour", dir)
}
