package fs

import (
	"context"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The text of a file that another program has, such as the unsaved buffer of an editor.

// SettleTime is longer than the clock of a file system takes to tick. What changed longer ago cannot
// change again and look the same.
const SettleTime = 20 * time.Millisecond

// Steady returns a function that reports whether the regular file at a place inside the roots, and each
// directory on the way, have been untouched since. Another program that opens the path meanwhile has
// then opened this file. ok is false if that cannot be told. Steady waits until the last change is
// SettleTime ago.
func (p ResolvedPath) Steady(ctx context.Context) (still func() bool, ok bool) {
	before := p.way()
	var last time.Time
	for _, info := range before {
		if at := ChangedAt(info); at.After(last) {
			last = at
		}
	}
	if young := SettleTime - time.Since(last); young > 0 {
		select {
		case <-time.After(min(young, SettleTime)):
		case <-ctx.Done():
		}
		before = p.way()
	}
	for i, info := range before {
		at := ChangedAt(info)
		if at.Nanosecond() == 0 || time.Since(at) < SettleTime || info.IsDir() != (i > 0) { // not known, or to the second
			return nil, false
		}
	}
	return func() bool {
		now := p.way()
		if len(now) != len(before) {
			return false
		}
		for i, info := range now {
			if !os.SameFile(info, before[i]) || !ChangedAt(info).Equal(ChangedAt(before[i])) {
				return false
			}
		}
		return true
	}, len(before) > 0 && before[0].Mode().IsRegular()
}

// way returns what is at the target and at the directories up to the outermost root, nil if anything is
// missing, or the target is in no root.
func (p ResolvedPath) way() (all []iofs.FileInfo) {
	if p.Outside {
		return nil
	}
	roots := 0 // how many of all lead to the outermost one so far
	for path := p.Target; ; path = filepath.Dir(path) {
		info, err := os.Lstat(path)
		if err != nil {
			return nil
		}
		all = append(all, info)
		if slices.ContainsFunc(p.fs.roots, func(r root) bool { return os.SameFile(r.info, info) }) {
			roots = len(all)
		}
		if path == filepath.Dir(path) {
			return all[:roots]
		}
	}
}

// VersionOf returns the version of a file that holds this text.
func VersionOf(text string) Version { return versionOf(nil, text) }

// ChangedAt returns when the file had last changed: see the function of that name.
func (v Version) ChangedAt() time.Time { return ChangedAt(v.info) }

// Elsewhere reports whether a version is one of [VersionOf].
func (v Version) Elsewhere() bool { return v.whole && v.info == nil }

// Lines returns what Read returns of a file that holds this text. The text must be one that Read can
// return.
func (f *FS) Lines(ctx context.Context, text string, line, limit *int) (string, error) {
	if err := checkText(text); err != nil {
		return "", err
	}
	first, count := span(line, limit)
	return f.readLines(ctx, strings.NewReader(text), first, count)
}
