package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Languages and files get the lexers that chroma would give them.
func TestLexersAreThoseOfChroma(t *testing.T) {
	names := []string{"nothing", "data.nothing", "main.go.bak", "src/config.toml.in", "Makefile~", "x.y.z", "a.b/c", ".bashrc", "*.go", "[", "a/", "/", "a/~", "go~", "python3~", "~", "x.go.in~"}
	names = append(names, lexers.Names(true)...)
	for i, lexer := range lexers.GlobalLexerRegistry.Lexers {
		if i%5 != 0 { // chroma takes milliseconds for each file
			continue
		}
		for _, glob := range lexer.Config().Filenames {
			file := strings.NewReplacer("*", "some", "?", "x", "[", "", "]", "").Replace(glob)
			names = append(names, "a/dir/"+file, "a/dir/"+file+copies[i/5%len(copies)])
		}
	}
	for _, name := range names {
		name = strings.ToLower(name)
		if got, want := title(lexerOf(name)), title(lexers.Get(name)); got != want {
			t.Errorf("%q gets the lexer for %s, chroma has %s", name, got, want)
		}
	}
}

func title(lexer chroma.Lexer) string {
	if lexer == nil {
		return "nothing"
	}
	return lexer.Config().Name
}

// A diff of a file that was not seen before looks for its language while the screen
// waits.
func BenchmarkFindLanguage(b *testing.B) {
	n := 0
	for _, end := range []string{".go", ".unknown", ".unknown.bak"} {
		b.Run(end, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				languages.find(fmt.Sprintf("src/part/file%d%s", n, end))
				n++
			}
		})
	}
}
