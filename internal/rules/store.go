package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"unicode/utf8"

	"parley/config"
	files "parley/fs"
	"parley/internal/policy"
)

// maxStore limits the size of the store, in bytes.
const maxStore = 1 << 20

// Trust is the user's decision about a project's own rules.
type Trust string

// The decisions. Undecided means not asked, or postponed.
const (
	Undecided Trust = ""
	Trusted   Trust = "trusted"
	Never     Trust = "never"
)

// Store keeps saved rules and trust decisions in one file. Every change is written at once
// and atomically. A Store is safe for concurrent use, also by several processes.
type Store struct {
	path string

	mu      sync.Mutex
	file    os.FileInfo // what content was read from, nil if nothing was
	content *saved
}

// NewStore returns the store in a directory, which need not exist.
func NewStore(dir string) *Store { return &Store{path: filepath.Join(dir, "rules.json")} }

// saved is the content of the file. Projects are keyed by their resolved paths.
type saved struct {
	Everywhere []string             `json:"everywhere,omitempty"`
	Projects   map[string][]string  `json:"projects,omitempty"`
	Trust      map[string]trustedBy `json:"trust,omitempty"`
}

// trustedBy is the decision about a project, and the content of its files that it is about.
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

// read returns the content of the file, which must not be changed. It reads the file only after
// a change.
func (s *Store) read() (*saved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := os.Stat(s.path)
	missing := errors.Is(err, os.ErrNotExist)
	same := missing && s.file == nil ||
		err == nil && s.file != nil && os.SameFile(now, s.file) && now.Size() == s.file.Size() && now.ModTime().Equal(s.file.ModTime())
	if s.content == nil || !same {
		s.file = nil
		if s.content, err = s.load(); err == nil && !missing {
			s.file = now
		}
		return s.content, err
	}
	return s.content, nil
}

func (s *Store) load() (*saved, error) {
	data, err := files.ReadHead(s.path, maxStore+1)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &saved{}, nil
	case err != nil:
		return nil, fmt.Errorf("read the saved rules: %w", config.ExplainRead(s.path, err))
	case len(data) > maxStore:
		return nil, fmt.Errorf("read the saved rules: %s is larger than %d KiB", s.path, maxStore>>10)
	}
	var content saved
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, fmt.Errorf("read the saved rules: %s: %w", s.path, err)
	}
	return &content, nil
}

// parse parses saved rules.
func (s *Store) parse(lines []string, scope Scope) ([]policy.Rule, error) {
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
func (s *Store) update(change func(*saved) error) error {
	unlock, err := config.Lock(s.path)
	if err != nil {
		return fmt.Errorf("lock the rules: %w", err)
	}
	defer unlock()
	content, err := s.load()
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

func (s *saved) list(everywhere bool, dir string) []string {
	if everywhere {
		return s.Everywhere
	}
	return s.Projects[projectKey(dir)]
}

func (s *saved) setList(everywhere bool, dir string, list []string) {
	switch {
	case everywhere:
		s.Everywhere = list
	case len(list) == 0:
		delete(s.Projects, projectKey(dir))
	default:
		if s.Projects == nil {
			s.Projects = map[string][]string{}
		}
		s.Projects[projectKey(dir)] = list
	}
}
