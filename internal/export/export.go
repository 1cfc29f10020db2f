// Package export writes a conversation for people and programs without parley: as
// Markdown, as JSON, or as one self-contained page of HTML.
//
// All text of the agent is cleaned as for the screen: an export contains no control
// sequences and no hidden characters.
package export

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"

	"parley/config"
	"parley/internal/termtext"
)

// Format returns what writes a transcript in a format: md, json or html.
func Format(name string) (func(io.Writer, *Transcript) error, error) {
	switch name {
	case "md", "markdown":
		return Markdown, nil
	case "json":
		return JSON, nil
	case "html":
		return HTML, nil
	}
	return nil, fmt.Errorf("unknown export format %q", name)
}

// JSON writes a transcript as one JSON object.
func JSON(w io.Writer, t *Transcript) error {
	b, err := termtext.EncodeJSON(t, "  ")
	if err == nil {
		_, err = w.Write(b)
	}
	if err != nil {
		return fmt.Errorf("export the session: %w", err)
	}
	return nil
}

// File creates a file, readable only by its owner, from what write writes. It replaces
// none: the error then wraps os.ErrExist. A failure leaves no file.
func File(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, config.FileMode)
	if err != nil {
		return fmt.Errorf("export the session: %w", err)
	}
	err = cmp.Or(write(f), f.Close())
	if err != nil {
		_ = os.Remove(path)
	}
	return err
}

// Replace is File for a file that may exist. It is replaced as a whole, or stays as it is.
func Replace(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	err := write(&b)
	if err == nil {
		err = config.ReplaceFile(path, b.Bytes(), config.FileMode)
	}
	if err != nil {
		return fmt.Errorf("export the session: %w", err)
	}
	return nil
}
