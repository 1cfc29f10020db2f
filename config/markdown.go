package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"charm.land/glamour/v2/ansi"
	"charm.land/glamour/v2/styles"
	"charm.land/lipgloss/v2"
)

// MarkdownStyle is the style for Markdown.
type MarkdownStyle struct {
	// Name is "auto", the name of one of Glamour's styles, or the path of a style file;
	// "" if none is configured.
	Name string
	// Style is the style in Glamour's format; nil for parley's own. It must not be
	// changed.
	Style *ansi.StyleConfig
}

const (
	markdownAuto = "auto"
	// markdownVariable is the environment variable that selects a style in programs
	// that use Glamour.
	markdownVariable = "GLAMOUR_STYLE"
)

func markdownNames() []string {
	return append([]string{markdownAuto}, slices.Sorted(maps.Keys(styles.DefaultStyles))...)
}

// markdownStyle reads markdown_style. A path in it is relative to dir.
func (t *table) markdownStyle(key string) MarkdownStyle {
	name := t.text(key)
	if name == "" {
		if v, there := t.values[key]; there && v == "" {
			t.fail(key, "known styles: "+strings.Join(markdownNames(), ", ")+", or the path of a file", "is empty")
		}
		return MarkdownStyle{}
	}
	style, err := findStyle(name, filepath.Dir(t.doc.file))
	if err != nil {
		t.fail(key, err.hint, "cannot be %q: %s", name, err.message)
	}
	return MarkdownStyle{name, style}
}

// styleFromEnvironment returns the style that the environment names, if the
// configuration names none.
func styleFromEnvironment() (MarkdownStyle, error) {
	name := os.Getenv(markdownVariable)
	if name == "" {
		return MarkdownStyle{}, nil
	}
	style, err := findStyle(name, "")
	if err != nil {
		return MarkdownStyle{}, &Error{
			File: markdownVariable, Message: shown(fmt.Sprintf("cannot be %q: %s", name, err.message)), Hint: printable(err.hint),
		}
	}
	return MarkdownStyle{name, style}, nil
}

// problem says why a value cannot be used, and what to do about it.
type problem struct{ message, hint string }

// findStyle returns a style by name or from a file; nil for parley's own.
func findStyle(name, dir string) (*ansi.StyleConfig, *problem) {
	if name == markdownAuto {
		return nil, nil
	}
	if style, ok := styles.DefaultStyles[name]; ok {
		return style, nil
	}
	path := expandHome(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	data, err := readFile(path)
	switch isPath := strings.ContainsAny(name, `/\`) || filepath.Ext(name) == ".json"; {
	case err == nil:
		return parseStyle(data)
	case errors.Is(err, os.ErrNotExist) && !isPath:
		hint := didYouMean(name, markdownNames(), "known styles")
		return nil, &problem{"no such style", hint}
	}
	return nil, &problem{"cannot read the file: " + reason(err), "known styles: " + strings.Join(markdownNames(), ", ")}
}

// parseStyle reads a style in Glamour's format. Like Glamour, it ignores unknown
// fields.
func parseStyle(data []byte) (*ansi.StyleConfig, *problem) {
	style := &ansi.StyleConfig{}
	if err := json.Unmarshal(data, style); err != nil {
		offset, message := jsonError(err)
		line := bytes.Count(data[:min(offset, len(data))], []byte("\n")) + 1
		return nil, &problem{fmt.Sprintf("line %d: %s", line, message), "write a Glamour style in JSON"}
	}
	if err := checkStyle(reflect.ValueOf(style), ""); err != nil {
		return nil, err
	}
	return style, nil
}

// jsonError returns the message of a JSON error, and the offset of the error.
func jsonError(err error) (offset int, message string) {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return int(syntax.Offset), err.Error()
	case errors.As(err, &mismatch) && mismatch.Field == "":
		return int(mismatch.Offset), "a style is an object, not " + mismatch.Value
	case errors.As(err, &mismatch):
		// The names of embedded structs are not in the file.
		field := strings.NewReplacer("StylePrimitive.", "", "StyleBlock.", "").Replace(mismatch.Field)
		return int(mismatch.Offset), fmt.Sprintf("%s cannot be a %s", field, mismatch.Value)
	}
	return 0, err.Error()
}

// maxIndent limits indents and margins, in cells, so that there is room for text.
const maxIndent = 40

// checkStyle finds errors that Glamour would report only when it draws. at names the
// field as in the file.
func checkStyle(v reflect.Value, at string) *problem {
	switch {
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return checkStyle(v.Elem(), at)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if at != "" && name != "" {
				name = at + "." + name
			} else if name == "" { // an embedded struct
				name = at
			}
			if err := checkStyle(v.Field(i), name); err != nil {
				return err
			}
		}
	case v.Kind() == reflect.Uint && v.Uint() > maxIndent:
		return &problem{fmt.Sprintf("%s is %d", at, v.Uint()), fmt.Sprintf("the maximum is %d", maxIndent)}
	case v.Kind() == reflect.String && (strings.HasSuffix(at, ".color") || strings.HasSuffix(at, ".background_color")):
		if lipgloss.Color(v.String()) == (lipgloss.NoColor{}) {
			return &problem{fmt.Sprintf("%s is %q", at, v.String()), `write a colour as "#rrggbb" or as a number up to 255`}
		}
	case v.Kind() == reflect.String && strings.HasSuffix(at, ".format"):
		if strings.Contains(FormatText(v.String(), ""), "{{") {
			return &problem{fmt.Sprintf("%s is %q", at, v.String()), `write a format as "{{.text}}"`}
		}
	}
	return nil
}

// FormatText puts a text into the format of a style, in place of each {{.text}}. Other actions of
// templates are unknown: a program that can call any method by its name is a tenth larger.
func FormatText(format, text string) string {
	return strings.NewReplacer("{{.text}}", text, "{{ .text }}", text).Replace(format)
}
