package markdown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCodeBlocks(t *testing.T) {
	text := "Run\n\n```sh\nmake  test\n\n\tgo vet\n```\nor\n\n- in a list:\n  ~~~\n  indented\n    more\n  ~~~\n\n> ```\n> quoted\n> ```\n\n```\n```\n\n    by indentation\n\n```go\nnever closed"
	var got []string
	for _, b := range CodeBlocks(text) {
		got = append(got, b.Code)
		if first := b.Code[:3]; text[b.At:b.At+3] != first {
			t.Errorf("%q does not begin at %d: %q", b.Code, b.At, text[b.At:b.At+10])
		}
	}
	want := []string{"make  test\n\n\tgo vet", "indented\n  more", "quoted", "by indentation", "never closed"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
