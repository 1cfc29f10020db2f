package vim

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write "+resultFile+" by the vim of this machine")

// TestTableIsVims says that the table holds what vim does.
func TestTableIsVims(t *testing.T) {
	version := vimVersion(t)
	header := "# Written by " + version + ": go test ./tui/composer/vim -run TestTableIsVims -update\n"
	if data, err := os.ReadFile(resultFile); !*update && (err != nil || !strings.HasPrefix(string(data), header)) {
		t.Skipf("%s is of another vim than %s, which is not compared", resultFile, version)
	}
	list := readTable(t, casesFile)
	askVim(t, list)
	var out strings.Builder
	out.WriteString(header)
	for _, s := range list {
		fmt.Fprintln(&out, s)
	}
	if *update {
		if err := os.WriteFile(resultFile, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	have := readTable(t, resultFile)
	if len(have) != len(list) {
		t.Fatalf("%s has %d sequences, %s %d: write it with -update", resultFile, len(have), casesFile, len(list))
	}
	for i, s := range list {
		if have[i] != s {
			t.Errorf("the table has %v\nvim gives     %v", have[i], s)
		}
	}
}

// program is what vim runs: it tries every sequence in a buffer of its own.
const program = `
set nocompatible shiftwidth=4 expandtab tabstop=4 nojoinspaces noautoindent startofline cpoptions=aABceFs backspace=indent,eol,start
set encoding=utf-8 wrapscan whichwrap=b,s nrformats= selection=inclusive viminfo= noswapfile hidden belloff=all noignorecase magic
let s:cases = json_decode(join(readfile(g:dir . '/cases.json'), ''))
let s:results = []
func Record()
  let s:result = {'lines': getline(1, '$'), 'row': line('.'), 'col': col('.'), 'mode': mode(1)}
endfunc
map <F12> <Cmd>call Record()<CR>
imap <F12> <Cmd>call Record()<CR>
func Try(case)
  enew!
  call setline(1, a:case.lines)
  set undolevels=-1
  exe "normal! a \<BS>\<Esc>"
  set undolevels=1000
  call setreg('"', 'reg', 'c')
  call setcharsearch({'char': ''})
  let @/ = ''
  call cursor(a:case.row, a:case.col)
  exe 'let keys = "' . a:case.keys . '"'
  let s:result = {}
  call feedkeys(keys . "\<F12>", 'xt')
  if empty(s:result) " a command that failed has taken all keys behind it along
    call Record()
  endif
  call feedkeys("\<Esc>\<Esc>", 'xt')
  call add(s:results, s:result)
  bwipeout!
endfunc
for s:case in s:cases
  call Try(s:case)
endfor
call writefile([json_encode(s:results)], g:dir . '/results.json')
qall!
`

var angle = regexp.MustCompile(`<([A-Za-z-]+)>`)

// vimCase is a sequence as program reads it, and vimResult what it makes of one.
type vimCase struct {
	Lines []string `json:"lines"`
	Row   int      `json:"row"`
	Col   int      `json:"col"`
	Keys  string   `json:"keys"`
}

type vimResult struct {
	Lines    []string `json:"lines"`
	Row, Col int
	Mode     string `json:"mode"`
}

// askVim has vim do what the sequences say, and fills in what comes of it.
func askVim(t *testing.T, list []sequence) {
	t.Helper()
	var cases []vimCase
	for _, s := range list {
		text, at := s.start()
		keys := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s.keys)
		keys = angle.ReplaceAllString(keys, `\<$1>`)
		cases = append(cases, vimCase{strings.Split(text, "\n"), at.Row + 1, at.Col + 1, keys})
	}
	data, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	var results []vimResult
	if err := json.Unmarshal(runVim(t, data), &results); err != nil || len(results) != len(list) {
		t.Fatalf("%v, %d results", err, len(results))
	}
	for i, r := range results {
		list[i].want, list[i].mode = marked(r.Lines, Pos{r.Row - 1, r.Col - 1}), r.Mode
	}
}

var versions = regexp.MustCompile(`Vi IMproved (\S+)[\s\S]*Included patches: 1-(\d+)`)

// vimVersion is the version of the vim of this machine. Where there is none that has
// scripts, it skips the test and says so.
func vimVersion(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("vim", "--version").Output()
	if err != nil {
		t.Skip("there is no vim to compare with:", err)
	}
	found := versions.FindStringSubmatch(string(out))
	if found == nil || !strings.Contains(string(out), "+eval") {
		t.Skip("the vim of this machine has no scripts")
	}
	return "vim " + found[1] + "." + found[2]
}

// runVim runs program, with the cases as JSON, and returns the results as JSON.
func runVim(t *testing.T, cases []byte) (results []byte) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string][]byte{"cases.json": cases, "program.vim": []byte(program)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "vim", "-u", "NONE", "-N", "-i", "NONE", "-n", "-T", "dumb", "--not-a-term",
		"--cmd", "let g:dir = '"+dir+"'", "-S", filepath.Join(dir, "program.vim"))
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("vim: %v\n%s", err, out)
	}
	results, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	return results
}
