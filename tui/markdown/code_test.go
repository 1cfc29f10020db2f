package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"parley/internal/termtext"
	"parley/tui/theme"
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

// coloured is code as the renderer colours it, one string for each line.
func coloured(code, name string, th *theme.Theme) []string {
	p := newPalette(th)
	var pen pen
	var out []string
	for _, line := range p.highlight(expandTabs(strings.TrimSuffix(termtext.Block(code), "\n")), name) {
		for _, s := range line {
			pen.write(s.text, s.ink, "")
		}
		out = append(out, pen.line())
	}
	return out
}

func TestHighlightKeepsTheText(t *testing.T) {
	code := "package main\n\n/* two\nlines */\nfunc main() {\n\tprintln(`a\nb`, 'x', 0x1f, \"\\\"\")\n}\n"
	want := strings.Split(strings.TrimSuffix(strings.ReplaceAll(code, "\t", "    "), "\n"), "\n")
	for _, name := range []string{"go", "main.go", "dir/main.go", "golang", "python", "yaml", "no such language", ""} {
		t.Run(name, func(t *testing.T) {
			got := coloured(code, name, dark)
			if len(got) != len(want) {
				t.Fatalf("%d lines, want %d", len(got), len(want))
			}
			for i := range got {
				if ansi.Strip(got[i]) != want[i] {
					t.Errorf("line %d is %q, want %q", i, ansi.Strip(got[i]), want[i])
				}
			}
		})
	}
}

func TestHighlightKnowsTheLanguage(t *testing.T) {
	const keyword = "\x1b[38;2;203;166;247mreturn\x1b[m" // catppuccin-mocha
	for _, name := range []string{"go", "Go", "x.go", "python", "py", "typescript", "ts", "tsx", "js", "javascript", "rust", "rs", "c", "cpp", "c++", "java", "rust,ignore", "12:20:src/x.py", "{.python}"} {
		if got := coloured("return x", name, dark); !strings.Contains(got[0], keyword) {
			t.Errorf("%s: no keyword in %q", name, got[0])
		}
	}
	for _, name := range []string{
		"bash", "sh", "shell", "zsh", "console", "json", "yaml", "yml", "toml", "html", "css", "sql", "dockerfile", "makefile", "xml", "ini",
		"kotlin", "swift", "ruby", "php", "csharp", "lua", "perl", "hcl", "terraform", "proto", "graphql", "powershell", "vim", "nix", "zig", "elixir", "scala", "jsonc",
	} {
		if languages.find(name) == nil {
			t.Errorf("%s is not known", name)
		}
	}
}

func TestThemesHaveTheirSyntaxStyle(t *testing.T) {
	for _, isDark := range []bool{true, false} {
		th := theme.New(isDark)
		if name := th.Markdown.CodeBlock.Theme; styles.Registry[name] == nil {
			t.Errorf("chroma has no style %q", name)
		}
	}
	other := *dark
	other.Markdown.CodeBlock.Theme = "../no such style"
	if got := coloured("return", "go", &other); ansi.Strip(got[0]) != "return" {
		t.Errorf("without a style: %q", got)
	}
}

func TestHighlightIsBoundedAndInert(t *testing.T) {
	line := "return 1 // \x1b[2J\u202e\n"
	got := coloured(strings.Repeat(line, 2*maxHighlight/len(line)), "go", dark)
	checkLines(t, got, 100)
	if first, last := got[0], got[len(got)-1]; strings.Count(first, "\x1b[m") < 2 || strings.Count(last, "\x1b[m") != 1 {
		t.Errorf("the first line is %q, the last %q", first, last)
	}
}

func TestCodeLooksTheSameOnceClosed(t *testing.T) {
	code := "```go\n/* a comment\n\nof two */ func f() {}\n"
	d := New(dark)
	add(d, code)
	d.Lines(0, 60)
	add(d, "```\n")
	d.Finish()
	if got, want := draw(d, 60), draw(document(code+"```\n"), 60); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestOpenCodeIsLexedByChunks(t *testing.T) {
	d := New(dark)
	add(d, "```go\n")
	lexed := 0
	for i := range 60 {
		add(d, fmt.Sprintf("x := %d\n\n", i))
		before := len(d.memo)
		d.Lines(d.Len()-1, 60)
		for key := range d.memo {
			if len(key) > maxChunk+10 {
				t.Fatalf("a chunk of %d bytes", len(key))
			}
		}
		lexed += max(len(d.memo)-before, 0)
	}
	if lexed == 0 {
		t.Error("nothing was coloured while it was open")
	}
}

func BenchmarkHighlight(b *testing.B) {
	code := strings.Repeat("\tfor i, x := range in {\n\t\treturn left, fmt.Errorf(\"step %d\", i) // no\n\t}\n", 60)
	for _, n := range []int{400, 4000} {
		b.Run(fmt.Sprintf("%dB", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				coloured(code[:n], "go", dark)
			}
		})
	}
}

// Languages and files get the lexers that chroma would give them.
func TestLexersAreThoseOfChroma(t *testing.T) {
	names := []string{"nothing", "data.nothing", "main.go.bak", "src/config.toml.in", "Makefile~", "x.y.z", "a.b/c", ".bashrc", "*.go", "[", "a/", "/", "a/~", "go~", "python3~", "~", "x.go.in~"}
	names = append(names, lexers.Names(true)...)
	for i, lexer := range lexers.GlobalLexerRegistry.Lexers {
		if i%25 != 0 { // chroma takes milliseconds for each file
			continue
		}
		for _, glob := range lexer.Config().Filenames {
			file := strings.NewReplacer("*", "some", "?", "x", "[", "", "]", "").Replace(glob)
			names = append(names, "a/dir/"+file, "a/dir/"+file+copies[i/25%len(copies)])
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

func TestLanguageIsOneLineOfText(t *testing.T) {
	if got, want := ansi.Strip(draw(document("~~~a\tb\nx\n~~~\n"), 40)[0]), "│ a b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
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
