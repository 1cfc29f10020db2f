package v2

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"parley/acpclient"
)

// ToolCallUpdate creates or changes a tool call.
type ToolCallUpdate struct {
	ToolCallID   acpclient.ToolCallID                `json:"toolCallId" acp:"required"`
	Name         Field[string]                       `json:"name,omitzero"`
	Title        Field[string]                       `json:"title,omitzero"`
	Kind         Field[acpclient.ToolKind]           `json:"kind,omitzero"`
	Status       Field[acpclient.ToolCallStatus]     `json:"status,omitzero"`
	Content      Field[[]ToolCallContent]            `json:"content,omitzero"`
	Locations    Field[[]acpclient.ToolCallLocation] `json:"locations,omitzero"`
	RawInput     Field[json.RawMessage]              `json:"rawInput,omitzero"`
	RawOutput    Field[json.RawMessage]              `json:"rawOutput,omitzero"`
	Capabilities Field[acpclient.CancelCapabilities] `json:"capabilities,omitzero"`
	Meta         Meta                                `json:"_meta,omitempty"`
}

// ToolCallContentChunk adds an item to the content of a tool call.
type ToolCallContentChunk struct {
	ToolCallID acpclient.ToolCallID `json:"toolCallId" acp:"required"`
	Content    ToolCallContent      `json:"content" acp:"required"`
	Meta       Meta                 `json:"_meta,omitempty"`
}

// ToolCallContent is a piece of a tool call's content: a content block, a diff, a
// terminal, or a value of unknown type.
type ToolCallContent struct {
	Type acpclient.ToolContentType `json:"type" acp:"required"`
	// Diff of the type "diff".
	Diff *Diff `json:"-"`
	// Raw is the whole item.
	Raw json.RawMessage `json:"-"`
}

// Diff is a change of files.
type Diff struct {
	Changes []DiffChange `json:"changes" acp:"required"`
	Patch   *DiffPatch   `json:"patch,omitempty"`
	Meta    Meta         `json:"_meta,omitempty"`
}

// DiffChange is a change of one file.
type DiffChange struct {
	Operation acpclient.FileOperation `json:"operation" acp:"required"`
	Path      string                  `json:"path"`
	OldPath   string                  `json:"oldPath,omitempty"`
	FileType  string                  `json:"fileType,omitempty"`
	MimeType  string                  `json:"mimeType,omitempty"`
	Meta      Meta                    `json:"_meta,omitempty"`
}

// DiffPatch is the text of some or all of the changes.
type DiffPatch struct {
	// Format is GitPatch, or an unknown format.
	Format string `json:"format" acp:"required"`
	Text   string `json:"text" acp:"required"`
	Meta   Meta   `json:"_meta,omitempty"`
}

// GitPatch is the format of `git diff --patch`.
const GitPatch = "git_patch"

// UnmarshalJSON decodes the item and keeps its JSON.
func (c *ToolCallContent) UnmarshalJSON(b []byte) error {
	type plain ToolCallContent
	if err := acpclient.Unmarshal(b, (*plain)(c)); err != nil {
		return err
	}
	c.Raw = bytes.Clone(b)
	if c.Type == acpclient.ToolContentDiff {
		c.Diff = new(Diff)
		return acpclient.Unmarshal(b, c.Diff)
	}
	return nil
}

// MarshalJSON returns the item as received.
func (c ToolCallContent) MarshalJSON() ([]byte, error) { return c.Raw, nil }

// contentsToV1 converts items to acpclient's contents: one for each change of a diff.
func contentsToV1(items []ToolCallContent) acpclient.ToolCallContents {
	out := acpclient.ToolCallContents{}
	for _, item := range items {
		if item.Diff != nil {
			out = append(out, item.Diff.toV1()...)
			continue
		}
		var one acpclient.ToolCallContents
		if acpclient.Unmarshal(item.Raw, &one) == nil {
			out = append(out, one...)
		}
	}
	return out
}

// toolCallUpdate converts an update of a call. alike means that acpclient would decode it
// to the same value.
func toolCallUpdate(raw json.RawMessage) (_ acpclient.SessionUpdate, alike bool, _ error) {
	var u ToolCallUpdate
	if err := acpclient.Unmarshal(raw, &u); err != nil {
		return nil, false, err
	}
	return u.toV1(), !u.clears() && (u.Content.Value == nil || !hasDiff(*u.Content.Value)), nil
}

func toolCallContentChunk(raw json.RawMessage) (_ acpclient.SessionUpdate, alike bool, _ error) {
	var u ToolCallContentChunk
	if err := acpclient.Unmarshal(raw, &u); err != nil {
		return nil, false, err
	}
	items := []ToolCallContent{u.Content}
	return &acpclient.ToolCallContentChunk{ToolCallID: u.ToolCallID, Content: contentsToV1(items), Meta: u.Meta}, !hasDiff(items), nil
}

func hasDiff(items []ToolCallContent) bool {
	return slices.ContainsFunc(items, func(c ToolCallContent) bool { return c.Diff != nil })
}

// clears reports whether the update clears a field.
func (u *ToolCallUpdate) clears() bool {
	return null(u.Name) || null(u.Title) || null(u.Kind) || null(u.Status) || null(u.Content) ||
		null(u.Locations) || null(u.RawInput) || null(u.RawOutput) || null(u.Capabilities)
}

func null[T any](f Field[T]) bool { return f.Set && f.Value == nil }

// toV1 converts the update. A cleared field gets its default.
func (u *ToolCallUpdate) toV1() *acpclient.ToolCallUpdate {
	out := &acpclient.ToolCallUpdate{
		ToolCallID: u.ToolCallID,
		Name:       valueOr(u.Name, ""),
		Title:      valueOr(u.Title, ""),
		Kind:       valueOr(u.Kind, acpclient.ToolOther),
		Status:     valueOr(u.Status, acpclient.ToolPending),
		Meta:       u.Meta,
	}
	if items := valueOr(u.Content, nil); items != nil {
		out.Content = contentsToV1(*items)
	}
	if places := valueOr(u.Locations, nil); places != nil {
		out.Locations = append([]acpclient.ToolCallLocation{}, *places...)
	}
	if in := valueOr(u.RawInput, nothing); in != nil {
		out.RawInput = *in
	}
	if given := valueOr(u.RawOutput, nothing); given != nil {
		out.RawOutput = *given
	}
	out.Capabilities = valueOr(u.Capabilities, acpclient.CancelCapabilities{})
	return out
}

// nothing replaces a cleared input or output.
var nothing = json.RawMessage(`""`)

// valueOr returns the value of a field, cleared for null, and nil if it is absent.
func valueOr[T any](f Field[T], cleared T) *T {
	switch {
	case !f.Set:
		return nil
	case f.Value == nil:
		return &cleared
	}
	return f.Value
}

// toV1 returns one diff for each hunk of the patch. Changes to a file as a whole are
// separate contents, and a patch that cannot be parsed is text.
func (d *Diff) toV1() acpclient.ToolCallContents {
	var sections []section
	out := acpclient.ToolCallContents{}
	if p := d.Patch; p != nil && p.Format == GitPatch {
		sections = sectionsOf(p.Text)
	}
	used, about := make([]bool, len(sections)), byPath(sections)
	for _, c := range d.Changes {
		var texts acpclient.ToolCallContents
		for _, i := range about[c.Path] {
			if !used[i] {
				used[i] = true
				texts = append(texts, sections[i].contents(c)...)
			}
		}
		delete(about, c.Path)
		if len(texts) == 0 || c.Operation != acpclient.FileModify && c.Operation != acpclient.FileAdd {
			out = append(out, c.toV1())
		}
		out = append(out, texts...)
	}
	for i := range sections { // show those that no change names, too
		if !used[i] {
			out = append(out, sections[i].contents(sections[i].change())...)
		}
	}
	if d.Patch != nil && len(sections) == 0 && strings.TrimSpace(d.Patch.Text) != "" {
		out = append(out, acpclient.TextContent(fenced(d.Patch.Text)))
	}
	return out
}

// toV1 converts the change to one of the whole file.
func (c DiffChange) toV1() acpclient.ToolCallContent {
	out := acpclient.DiffContent(c.Path, new(string), "")
	out.Change = &acpclient.FileChange{Operation: c.Operation, OldPath: c.OldPath, FileType: c.FileType, MimeType: c.MimeType}
	return out
}

// fenced returns a text as a code block. The fence is longer than any in the text.
func fenced(text string) string {
	longest := 2 // a fence has at least three
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "diff\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// section is the part of a git patch about one file.
type section struct {
	oldPath, path string // empty if there is no file on that side
	hunks         []hunk
}

// hunk is a part of a file, before and after.
type hunk struct {
	before, after bytes.Buffer
	last          *bytes.Buffer // where the previous line went, nil for both
}

// devNull names a missing file in a patch.
const devNull = "/dev/null"

// sectionsOf splits a patch into sections. It returns nil if the text is not a patch.
func sectionsOf(patch string) []section {
	var all []section
	var at *section
	rest := 0 // remaining lines of the hunk, on both sides together
	for line := range strings.Lines(patch) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case rest > 0 || at != nil && len(at.hunks) > 0 && strings.HasPrefix(text, `\`):
			rest -= at.hunks[len(at.hunks)-1].add(line)
		case strings.HasPrefix(text, "diff --git "):
			all = append(all, headed(strings.TrimPrefix(text, "diff --git ")))
			at = &all[len(all)-1]
		case at == nil:
		case strings.HasPrefix(text, "@@ "):
			if rest = linesOf(text); rest > 0 {
				at.hunks = append(at.hunks, hunk{})
			}
		default:
			at.header(text)
		}
	}
	return all
}

// headed begins a section. Its first line tells the two paths apart only if they are
// alike, and so of equal length.
func headed(paths string) section {
	middle := len(paths) / 2
	if len(paths)%2 == 0 || paths[middle] != ' ' || !samePath(paths[:middle], paths[middle+1:]) {
		return section{}
	}
	return section{oldPath: pathOf(paths[:middle]), path: pathOf(paths[middle+1:])}
}

func samePath(a, b string) bool {
	return pathOf(a) == pathOf(b) || strings.TrimPrefix(pathOf(a), "a/") == strings.TrimPrefix(pathOf(b), "b/")
}

// header handles a line between the first one and the hunks.
func (s *section) header(line string) {
	for prefix, to := range map[string]*string{
		"--- ": &s.oldPath, "+++ ": &s.path,
		"rename from ": &s.oldPath, "rename to ": &s.path, "copy from ": &s.oldPath, "copy to ": &s.path,
	} {
		if path, ok := strings.CutPrefix(line, prefix); ok {
			if *to = pathOf(path); *to == devNull {
				*to = ""
			}
		}
	}
}

// pathOf returns a path of a patch, where it is quoted if it has special characters.
func pathOf(spelled string) string {
	spelled, _, _ = strings.Cut(spelled, "\t")
	if path, err := strconv.Unquote(spelled); err == nil && strings.HasPrefix(spelled, `"`) {
		return path
	}
	return spelled
}

// linesOf returns the number of lines of a hunk on both sides together, from its head
// "@@ -1,3 +1,4 @@", 0 for an invalid head.
func linesOf(head string) int {
	fields := strings.Fields(head)
	if len(fields) < 3 {
		return 0
	}
	sum := 0
	for i, sign := range []string{"-", "+"} {
		span, ok := strings.CutPrefix(fields[i+1], sign)
		if !ok {
			return 0
		}
		_, count, counted := strings.Cut(span, ",")
		n, err := strconv.Atoi(count)
		if !counted {
			n, err = 1, nil
		}
		if err != nil || n < 0 {
			return 0
		}
		sum += n
	}
	return sum
}

// add adds a line to the hunk, and returns on how many sides it is.
func (h *hunk) add(line string) int {
	text := line
	if line[0] == ' ' || line[0] == '-' || line[0] == '+' {
		text = line[1:]
	}
	switch line[0] {
	case '-':
		h.before.WriteString(text)
		h.last = &h.before
		return 1
	case '+':
		h.after.WriteString(text)
		h.last = &h.after
		return 1
	case '\\': // the previous line has no end
		for _, side := range []*bytes.Buffer{&h.before, &h.after} {
			if h.last == nil || h.last == side {
				side.Truncate(len(bytes.TrimSuffix(side.Bytes(), []byte("\n"))))
			}
		}
		return 0
	}
	h.before.WriteString(text) // even if the line lacks its space
	h.after.WriteString(text)
	h.last = nil
	return 2
}

// byPath maps the paths that a change may use for a file to sections.
func byPath(sections []section) map[string][]int {
	found := map[string][]int{}
	for i, s := range sections {
		own := s.path
		if own == "" {
			own = s.oldPath
		}
		names := []string{own, strings.TrimPrefix(own, "a/"), strings.TrimPrefix(own, "b/")}
		for at, name := range names {
			if name != "" && !slices.Contains(names[:at], name) {
				found[name] = append(found[name], i)
			}
		}
	}
	return found
}

// change returns the section's change to its whole file.
func (s *section) change() DiffChange {
	switch {
	case s.path == "":
		return DiffChange{Operation: acpclient.FileDelete, Path: s.oldPath}
	case s.oldPath == "":
		return DiffChange{Operation: acpclient.FileAdd, Path: s.path}
	}
	return DiffChange{Operation: acpclient.FileModify, Path: s.path}
}

// contents returns the hunks as changes of texts.
func (s *section) contents(c DiffChange) acpclient.ToolCallContents {
	var out acpclient.ToolCallContents
	for i := range s.hunks {
		before, after := s.hunks[i].before.String(), s.hunks[i].after.String()
		d := acpclient.DiffContent(c.Path, &before, after)
		if c.Operation == acpclient.FileAdd {
			d.OldText = nil
		}
		out = append(out, d)
	}
	return out
}
