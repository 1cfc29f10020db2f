package journal

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"parley/fs"
)

// changed is a change of a file, by its texts; "-" is no file.
func (p *project) changed(name, before, after string) Change {
	snapshot := func(text string) *fs.Snapshot {
		if text == "-" {
			return nil
		}
		return &fs.Snapshot{Content: text}
	}
	return NewChange(p.path(name), snapshot(before), snapshot(after))
}

// What is merged is reviewed, undone and redone like other changes; undoing a turn leaves it.
func TestMergedChanges(t *testing.T) {
	p, ctx := newProject(t), context.Background()
	p.write("a", "1\n2\n3\n4\n5\n")
	p.turn("first", func() { p.serve("a", "1\n2\nthree\n4\n5\n") })
	p.must(p.Merge(ctx, []Change{p.changed("a", "1\n2\n3\n4\n5\n", "ONE\n2\n3\n4\n5\n"), p.changed("new", "-", "new\n")}))
	p.holds("a", "ONE\n2\nthree\n4\n5\n")
	p.holds("new", "new\n")
	part := Part{p.path("a"), true}
	if files := p.Files(0); len(files) != 3 || files[1].Part != part || !slices.Equal(files[1].Sources, []Source{SourceMerge}) {
		t.Fatalf("the files are %+v", files)
	}
	if c := p.compared(part, 0); c.Before.Content != "1\n2\nthree\n4\n5\n" || len(c.Hunks) != 1 {
		t.Errorf("compared it is %+v", c)
	}
	if p.Summary().Redoable {
		t.Error("a merge can be redone")
	}
	p.must(p.undo())
	p.holds("a", "ONE\n2\n3\n4\n5\n")
	p.must(p.RevertFile(ctx, part, 0))
	p.holds("a", "1\n2\n3\n4\n5\n")
	p.must(p.Redo(ctx))
	p.holds("a", "ONE\n2\n3\n4\n5\n")

	p = newProject(t)
	p.write("a", "1\n2\n3\n")
	done := p.must(p.Merge(ctx, []Change{p.changed("a", "1\n2\n3\n", "ONE\n2\n3\n"), p.changed("new", "-", "new\n")}))
	p.write("a", "ONE\n2\nmine\n")
	p.must(p.Unmerge(ctx, done.Act))
	p.holds("a", "1\n2\nmine\n")
	p.holds("new", "-")
	if _, err := p.Unmerge(ctx, done.Act); !errors.Is(err, ErrNothing) {
		t.Errorf("undone twice: %v", err)
	}
	p.must(p.Redo(ctx))
	p.holds("a", "ONE\n2\nmine\n")
}

// A merge names all files that do not fit, and changes none. It asks what a write would ask.
func TestMergesWhollyOrNotAtAll(t *testing.T) {
	p, ctx := newProject(t), context.Background()
	p.write("a", "mine\n")
	p.write("b", "1\n")
	p.write("c", "mine\n")
	var unfit *ConflictError
	_, err := p.Merge(ctx, []Change{p.changed("a", "1\n", "one\n"), p.changed("b", "1\n", "one\n"), p.changed("c", "-", "c\n")})
	if !errors.As(err, &unfit) || !errors.Is(err, ErrConflict) || !slices.Equal(unfit.Files, []string{"a", "c"}) {
		t.Errorf("%v", err)
	}
	p.holds("b", "1\n")
	if _, err := p.Merge(ctx, []Change{p.changed("b", "0\n", "1\n")}); !errors.Is(err, ErrNothing) {
		t.Errorf("what is there: %v", err)
	}
	if err := os.Symlink(p.path("b"), p.path("link")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Merge(ctx, []Change{p.changed("link", "1\n", "one\n")}); err == nil {
		t.Error("a link is followed")
	}
	p.refuse = errors.New("no")
	if _, err := p.Merge(ctx, []Change{p.changed("b", "1\n", "one\n"), p.changed("secret", "-", "s\n")}); err == nil || !slices.Equal(p.asked, []string{"merge " + p.path("secret")}) {
		t.Errorf("asked %q: %v", p.asked, err)
	}
	p.holds("b", "1\n")
}

// What is said of a merge that failed is so.
func TestSaysWhatAFailedMergeLeft(t *testing.T) {
	err := &FileError{"f", errors.New("no space left")}
	for _, c := range []struct {
		err  error
		want string
	}{{err, "nothing was merged"}, {&TornError{err, err}, "files were merged in part"}} {
		if got := Outcome("merged", c.err); got != c.want {
			t.Errorf("of %q it says %q", c.err, got)
		}
	}
}
