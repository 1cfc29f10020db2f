package fs

import "context"

// ReadTextFile reads the file that a path leads to, if that is inside the roots: what
// happens where nobody can be asked.
func (f *FS) ReadTextFile(ctx context.Context, path string, line, limit *int) (string, error) {
	p, err := f.inside(path)
	if err != nil {
		return "", err
	}
	text, err := f.Read(ctx, p, line, limit)
	return text.Text, err
}

// WriteTextFile writes the file that a path leads to, if that is inside the roots.
func (f *FS) WriteTextFile(ctx context.Context, path, content string) (Change, error) {
	p, err := f.inside(path)
	if err != nil {
		return Change{}, err
	}
	return f.Write(ctx, p, content, nil)
}

func (f *FS) inside(path string) (ResolvedPath, error) {
	p, err := f.Find(path)
	if err == nil {
		err = p.Inside()
	}
	return p, err
}
