package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"parley/config"
	"parley/fs"
	"parley/internal/policy"
)

// maxStore bounds the size of the store, in bytes.
const maxStore = 1 << 20

// Trust says whether the person trusts a project's own rules.
type Trust string

// The answers of the person. Undecided means not asked, or put off.
const (
	Undecided Trust = ""
	Trusted   Trust = "trusted"
	Never     Trust = "never"
)

// RuleStore keeps the saved rules, and which projects the person trusts, in one file.
// Every change is written at once and atomically. A RuleStore may be used from any
// goroutine, and by several programs at once.
type RuleStore struct{ path string }

// NewRuleStore returns the store in a directory, which need not exist.
func NewRuleStore(dir string) *RuleStore { return &RuleStore{filepath.Join(dir, "rules.json")} }

// Path is the file of the store.
func (s *RuleStore) Path() string { return s.path }

// saved is the content of the file. Projects are named by their resolved paths.
type saved struct {
	Everywhere []string             `json:"everywhere,omitempty"`
	Projects   map[string][]string  `json:"projects,omitempty"`
	Trust      map[string]trustedBy `json:"trust,omitempty"`
}

// trustedBy is the answer for a project, and for which content of its file.
type trustedBy struct {
	Answer Trust  `json:"answer"`
	SHA256 string `json:"sha256,omitempty"`
}

// projectKey names a project in the file, whose texts are UTF-8.
func projectKey(dir string) string {
	if utf8.ValidString(dir) {
		return dir
	}
	return strconv.QuoteToASCII(dir)
}

func (s *RuleStore) read() (*saved, error) {
	data, err := fs.ReadHead(s.path, maxStore+1)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &saved{}, nil
	case err != nil:
		return nil, fmt.Errorf("read the saved rules: %w", err)
	case len(data) > maxStore:
		return nil, fmt.Errorf("read the saved rules: %s is larger than %d KiB", s.path, maxStore>>10)
	}
	var content saved
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, fmt.Errorf("read the saved rules: %s: %w", s.path, err)
	}
	return &content, nil
}

// rules returns the rules for all projects, and those for one.
func (s *RuleStore) rules(dir string) (everywhere, project []policy.Rule, err error) {
	content, err := s.read()
	if err != nil {
		return nil, nil, err
	}
	if everywhere, err = s.parse(content.Everywhere, SavedEverywhere); err != nil {
		return nil, nil, err
	}
	project, err = s.parse(content.Projects[projectKey(dir)], SavedForProject)
	return everywhere, project, err
}

func (s *RuleStore) parse(lines []string, scope RuleScope) ([]policy.Rule, error) {
	rules := make([]policy.Rule, 0, len(lines))
	for _, line := range lines {
		r, err := policy.Parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
		r.Source = scope.String()
		rules = append(rules, r)
	}
	return rules, nil
}

// update changes the content of the file under its lock.
func (s *RuleStore) update(change func(*saved) error) error {
	unlock, err := config.Lock(s.path)
	if err != nil {
		return fmt.Errorf("lock the rules: %w", err)
	}
	defer unlock()
	content, err := s.read()
	if err != nil {
		return err
	}
	if err := change(content); err != nil {
		return err
	}
	data, err := json.MarshalIndent(content, "", "  ")
	if err == nil {
		err = config.ReplaceFile(s.path, append(data, '\n'), config.FileMode)
	}
	if err != nil {
		return fmt.Errorf("save the rules: %w", err)
	}
	return nil
}
