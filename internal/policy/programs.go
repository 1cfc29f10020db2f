package policy

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// program describes the words of a program that a rule with a star may allow. Everything
// that is missing here is asked about: an option is listed only if the program with it
// neither runs another program nor uses a file that the words do not name.
type program struct {
	options map[string]meaning
	// longNames means that one dash precedes whole names, as in "-count=1".
	longNames bool
	// operands is the meaning of the words that are not options, and first that of the
	// first one if it differs. With an option of unlessFirst, all of them are operands. At
	// most maxOperands are allowed, if that is not 0.
	first, operands meaning
	unlessFirst     []string
	maxOperands     int
	// here means that the program without operands uses the directory it runs in, unless it
	// reads from a pipe.
	here bool
	// writing is the option without which the operands are only read, if there is one.
	writing string
	// lists means that a word that begins with "@" names a file with more words.
	lists bool
	// anything means that all words are text.
	anything bool
	// commands are the programs that the next word chooses from.
	commands map[string]*program
	// repository allows the program only in the session's directory, if that has a .git:
	// elsewhere, files that look like a repository may name programs to run.
	repository bool
	// contents is not nil if the program, git, may print what is in files.
	contents *contents
	// silent keeps Propose from proposing the program with a star.
	silent bool
}

// contents says when a command of git prints what is in the files that it knows.
type contents struct {
	// always means that it does unless it has an option of statOptions; with are the options
	// with which it does in any case.
	always bool
	with   []string
	// index means that it prints the working tree, history that it prints all commits that
	// lead to a revision.
	index, history bool
}

// Options with which git prints what is in files, and with which it prints less. allOptions
// choose every branch and tag.
var (
	patchOptions = strings.Fields("-p -u -U --patch --unified --check -W --function-context --word-diff")
	statOptions  = strings.Fields("-s --no-patch --stat --numstat --shortstat --dirstat --summary --name-only --name-status --raw --quiet")
	allOptions   = strings.Fields("--all --branches --tags --remotes")
)

// prints marks a command of git that prints what is in files.
func (p *program) prints(c contents) *program {
	p.contents = &c
	return p
}

// meaning is what a word of a command means to its program.
type meaning uint8

// The meanings of words.
const (
	noValue       meaning = iota // an option without a value; no operand
	optionalValue                // text that follows an option in the same word, or nothing
	textValue                    // anything
	numberValue
	targetValue // a name in the project, which must not have more than plain characters
	scriptValue // of sed: addresses with commands that print or delete lines
	formatValue // of date: it begins with "+"
	prettyValue // of git: placeholders; those for signatures start a program
	modeValue   // of go: what it does to go.mod

	optionalPrettyValue // prettyValue in the same word, or nothing

	// Words that name files.
	nameValue    // not opened: the program looks at the name, the size and the like
	fileValue    // read; of a folder, nothing is shown
	pairValue    // read; a folder stands for the files in it
	treeValue    // read; a folder stands for all visible files below it
	changeValue  // created, or changed in the way that the program is for
	productValue // created, or replaced

	revisionValue // of git, or a pathspec, or a revision and a file with a colon between them
	pathspecValue // of git, for files that it knows
	addedValue    // a pathspec; a folder stands for all files below it that git does not ignore
	testValue     // a file, and perhaps a test in it after "::"
)

var meanings = map[string]meaning{"pretty": prettyValue, "pretty?": optionalPrettyValue, "mode": modeValue, "text": textValue, "number": numberValue, "name": nameValue, "product": productValue}

// options parses a list of options. "-ab" are the short ones a and b (with longNames,
// the option ab), "-n=number" has a value, "--color?" perhaps one in the same
// word. "-#" is a number after a dash.
func options(longNames bool, list string) map[string]meaning {
	out := map[string]meaning{}
	for _, word := range strings.Fields(list) {
		name, kind, valued := strings.Cut(word, "=")
		switch bare, optional := strings.CutSuffix(name, "?"); {
		case valued:
			out[name] = meanings[kind]
		case optional:
			out[bare] = optionalValue
		case longNames || strings.HasPrefix(name, "--"):
			out[name] = noValue
		default:
			for _, c := range name[1:] {
				out["-"+string(c)] = noValue
			}
		}
	}
	return out
}

func reads(list string) *program {
	return &program{options: options(false, list), operands: fileValue}
}

// names describes a program that opens no file, only folders.
func names(list string) *program {
	return &program{options: options(false, list), operands: nameValue}
}

func says(list string) *program {
	return &program{options: options(false, list), operands: textValue}
}

func plain(list string) *program { return &program{options: options(false, list)} }

func (p *program) quietly() *program {
	p.silent = true
	return p
}

func (p *program) inHere() *program {
	p.here = true
	return p
}

// gitCommand describes a command of git. Git looks for a repository where it runs, whose
// configuration may name programs.
func gitCommand(operands meaning, list string) *program {
	return &program{options: options(false, list), operands: operands, repository: true}
}

func goCommand(operands meaning, list string) *program {
	return &program{options: options(true, list), operands: operands, longNames: true}
}

const (
	grepOptions = "-i -n -v -w -x -c -l -L -o -q -s -h -H -E -F -P -G -e=text -A=number -B=number -C=number -m=number -# " +
		"--regexp=text --ignore-case --line-number --invert-match --word-regexp --line-regexp --count --files-with-matches " +
		"--files-without-match --only-matching --quiet --silent --no-messages --no-filename --with-filename --extended-regexp " +
		"--fixed-strings --perl-regexp --basic-regexp --after-context=number --before-context=number --context=number " +
		"--max-count=number --color? --colour?"
	goBuildOptions = "-v -x -n -a -race -trimpath -p=number -tags=text -mod=mode -json"
	gitDiffOptions = "-p -u -s -U=number --patch --no-patch --stat? --numstat --shortstat --dirstat? --summary --name-only --name-status " +
		"--raw --unified=number --color? --no-color --word-diff? --minimal --patience --histogram --cached --staged --merge-base " +
		"-b -w -R -z -M? -C? --ignore-all-space --ignore-space-change --ignore-blank-lines --find-renames? --no-renames --check " +
		"--exit-code --quiet --full-index --abbrev? --relative --function-context -W --diff-filter=text -S=text -G=text " +
		"--pickaxe-regex --pickaxe-all --no-ext-diff --no-textconv"
	gitLogOptions = gitDiffOptions + " --oneline --graph --decorate? --no-decorate --all --branches? --tags? --remotes? --follow --reverse -n=number -# " +
		"--max-count=number --skip=number --since=text --until=text --after=text --before=text --author=text --committer=text " +
		"--grep=text -i -E -F --all-match --invert-grep --merges --no-merges --first-parent --format=pretty --pretty=pretty? --date=text " +
		"--abbrev-commit --no-abbrev-commit --topo-order --date-order --left-right --cherry-pick --cherry-mark --no-walk --source --full-history"
	cargoOptions = "-q -v -j=number -p=text --quiet --verbose --release --all --workspace --all-targets --all-features --no-default-features " +
		"--package=text --exclude=text --lib --bins --bin=text --tests --test=text --examples --example=text --doc --features=text " +
		"--jobs=number --no-run --no-fail-fast --offline --locked --frozen --keep-going"
)

// programs are the programs whose words are known.
var programs = sync.OnceValue(func() map[string]*program {
	return map[string]*program{
		// A redirect is a part of its own.
		readRedirect: reads(""), writeRedirect: {operands: changeValue},
		// Files and text.
		"cat":       reads("-AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank"),
		"ls":        names("-aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1 --all --almost-all --human-readable --recursive --reverse --directory --inode --size --color? --classify? --group-directories-first"),
		"head":      reads("-# -qvz -n=number -c=number --lines=number --bytes=number --quiet --verbose"),
		"tail":      reads("-# -qvz -n=number -c=number --lines=number --bytes=number --quiet --verbose"),
		"wc":        reads("-clmwL --lines --words --bytes --chars --max-line-length"),
		"nl":        reads("-b=text -n=text -w=number -s=text"),
		"tac":       reads(""),
		"rev":       reads(""),
		"sort":      reads("-bcCdfghiMmnrRsuVz -k=text -t=text --reverse --unique --numeric-sort --version-sort --human-numeric-sort --ignore-case --key=text --field-separator=text"),
		"uniq":      {options: options(false, "-cdDiuz -f=number -s=number -w=number --count --repeated --unique --ignore-case"), operands: fileValue, maxOperands: 1},
		"cut":       reads("-snz -d=text -f=text -c=text -b=text --delimiter=text --fields=text --characters=text --complement --only-delimited"),
		"tr":        says("-cCdst --delete --squeeze-repeats --complement"),
		"comm":      reads("-123"),
		"cmp":       reads("-bls"),
		"diff":      {options: options(false, "-abBcdeEipqstuwy -U=number --unified? --brief --side-by-side --color? --ignore-all-space --ignore-case --ignore-blank-lines --report-identical-files"), operands: pairValue},
		"stat":      names("-fLtx -c=text --format=text --printf=text --terse"),
		"file":      reads("-bhiLNr --brief --mime --mime-type --mime-encoding"),
		"du":        names("-achHklmsSx -d=number --max-depth=number --summarize --human-readable --total --all"),
		"df":        names("-ahHiklmPT --human-readable"),
		"tree":      names("-aCdfhinpst -L=number -P=text -I=text --dirsfirst --noreport --prune"),
		"realpath":  names("-emqsz"),
		"readlink":  names("-efmnqz"),
		"sha1sum":   reads("-bt"),
		"sha256sum": reads("-bt"),
		"sha512sum": reads("-bt"),
		"md5sum":    reads("-bt"),
		"cksum":     reads(""),
		"od":        reads("-abcdiosxv -A=text -t=text -N=number -j=number"),
		"hexdump":   reads("-bcCdovx -n=number -s=number"),
		"strings":   {options: options(false, "-a -n=number"), operands: fileValue, lists: true},
		"grep":      {options: options(false, grepOptions), first: textValue, operands: fileValue, unlessFirst: []string{"-e", "--regexp"}},
		"egrep":     {options: options(false, grepOptions), first: textValue, operands: fileValue, unlessFirst: []string{"-e", "--regexp"}},
		"fgrep":     {options: options(false, grepOptions), first: textValue, operands: fileValue, unlessFirst: []string{"-e", "--regexp"}},
		"rg": {
			options: options(false, "-invwxclqosHFPNIpSU -e=text --regexp=text -A=number -B=number -C=number -m=number --ignore-case --line-number --invert-match --word-regexp --line-regexp "+
				"--count --files-with-matches --files-without-match --only-matching --quiet --no-messages --no-filename --with-filename --fixed-strings --after-context=number --before-context=number "+
				"--context=number --max-count=number --color=text -t=text -T=text --type=text --type-not=text --files --json --heading --no-heading --smart-case --case-sensitive "+
				"--no-line-number --column --vimgrep --multiline --pcre2 --count-matches --stats --trim --max-depth=number --max-columns=number --sort=text --sortr=text"),
			first: textValue, operands: treeValue, unlessFirst: []string{"-e", "--regexp", "--files"}, here: true,
		},
		"fd": {
			options: options(false, "-aHIisgFp0 -t=text -e=text -E=text -d=number --hidden --no-ignore --type=text --extension=text --exclude=text --max-depth=number --glob --fixed-strings --full-path --absolute-path"),
			first:   textValue, operands: nameValue,
		},
		"find": {options: options(true, "-name=text -iname=text -path=text -ipath=text -wholename=text -regex=text -iregex=text -regextype=text -type=text -maxdepth=number -mindepth=number -size=text "+
			"-mtime=text -mmin=text -ctime=text -cmin=text -atime=text -amin=text -newer=name -empty -not -o -or -a -and -print -print0 -printf=text -prune -perm=text -user=text -group=text -ls "+
			"-executable -readable -writable -depth -mount -xdev -quit -true -false -H -P"), operands: nameValue, longNames: true},
		"sed":  (&program{options: options(false, "-nErz --quiet --silent --regexp-extended"), first: scriptValue, operands: fileValue}).quietly(),
		"test": (&program{options: options(true, "-e=name -f=name -d=name -r=name -w=name -x=name -s=name -h=name -L=name -z=text -n=text"), operands: textValue, longNames: true}).quietly(),
		"cd":   (&program{operands: nameValue, maxOperands: 1}).quietly(),
		// What concerns no file.
		"basename": says("-az -s=text"), "dirname": says("-z"), "which": says("-a"),
		"echo": {anything: true, operands: textValue},
		"seq":  {operands: numberValue}, "sleep": {operands: numberValue},
		"true": plain(""), "false": plain(""), "pwd": plain("-LP"), "whoami": plain(""), "nproc": plain("--all"), "hostname": plain("-fs"),
		"uname": plain("-amnprsv --all"), "id": plain("-ugGn"), "arch": plain(""),
		"date": {options: options(false, "-uR -I? --utc --iso-8601? --rfc-3339=text"), operands: formatValue},
		// Files that are made without content.
		"mkdir": {options: options(false, "-pv --parents --verbose"), operands: changeValue},
		"touch": {operands: changeValue},
		// Version control.
		"git": {commands: map[string]*program{
			"status":    gitCommand(pathspecValue, "-s -b -v -z -u? --short --branch --porcelain? --long --untracked-files? --ignored? --show-stash --ahead-behind --no-renames --verbose").prints(contents{with: []string{"-v", "--verbose"}, index: true}),
			"diff":      gitCommand(revisionValue, gitDiffOptions).prints(contents{always: true, with: patchOptions, index: true}),
			"log":       gitCommand(revisionValue, gitLogOptions).prints(contents{with: patchOptions, history: true}),
			"show":      gitCommand(revisionValue, gitLogOptions).prints(contents{always: true, with: patchOptions}),
			"shortlog":  gitCommand(revisionValue, "-nse --summary --numbered --email --all --since=text --until=text"),
			"blame":     gitCommand(revisionValue, "-L=text -wCMelsfnt --date=text --show-email --porcelain --line-porcelain"),
			"rev-parse": gitCommand(revisionValue, "-q --show-toplevel --git-dir --abbrev-ref --short? --verify --is-inside-work-tree --show-prefix --show-cdup"),
			"rev-list":  gitCommand(revisionValue, "-n=number -# --count --all --max-count=number --oneline --no-merges --merges --first-parent --left-right"),
			"describe":  gitCommand(revisionValue, "--tags --always --dirty? --all --long --abbrev? --match=text"),
			"ls-files":  gitCommand(pathspecValue, "-cdomstuvz --cached --deleted --others --modified --stage --exclude-standard --full-name"),
			"ls-tree":   gitCommand(revisionValue, "-drtlz --name-only --name-status --full-name --full-tree --long"),
			"branch":    gitCommand(noValue, "-arv --list --show-current --all --remotes --verbose --merged? --no-merged? --sort=pretty --format=pretty"),
			"tag":       gitCommand(noValue, "-l --list --sort=pretty --merged? --contains?"),
			"remote":    gitCommand(noValue, ""), // with -v, it shows passwords in addresses
			"add":       gitCommand(addedValue, "-AuvnN --all --update --verbose --dry-run --intent-to-add").inHere(),
			"commit":    gitCommand(noValue, "-aqvs -m=text --message=text --all --quiet --verbose --signoff --no-edit --allow-empty --dry-run").prints(contents{with: []string{"-v", "--verbose"}, index: true}),
		}},
		// What builds and tests a project. It runs programs of the project, which is what its
		// user wants.
		"go": {commands: map[string]*program{
			"test": goCommand(fileValue, goBuildOptions+" -short -cover -failfast -benchmem -fullpath -count=number -run=text -skip=text -bench=text -benchtime=text -timeout=text -parallel=number "+
				"-cpu=text -list=text -shuffle=text -covermode=text -coverpkg=text -coverprofile=product -vet=text -fuzz=text -fuzztime=text"),
			"build":   goCommand(fileValue, goBuildOptions+" -o=product"),
			"vet":     goCommand(fileValue, goBuildOptions),
			"list":    goCommand(fileValue, goBuildOptions+" -m -deps -test -e -find -f=text"),
			"doc":     goCommand(textValue, "-all -src -short -u -cmd -c"),
			"fmt":     goCommand(changeValue, "-n -x"),
			"version": goCommand(fileValue, "-m -v"),
			"mod": {commands: map[string]*program{
				"tidy": goCommand(noValue, "-v -e -diff"), "verify": goCommand(noValue, ""), "graph": goCommand(noValue, ""), "why": goCommand(textValue, "-m -vendor"),
			}},
		}},
		"gofmt": {options: options(true, "-l -d -s -e -w"), operands: changeValue, writing: "-w", longNames: true},
		"cargo": {commands: map[string]*program{
			"test": {options: options(false, cargoOptions), operands: textValue}, "build": plain(cargoOptions), "check": plain(cargoOptions), "clippy": plain(cargoOptions),
			"tree": plain("-d -i=text -e=text --depth=number"), "fmt": plain("--all --check"),
		}},
		"pytest": {options: options(false, "-qvxsl -k=text -m=text -r=text --lf --ff --last-failed --failed-first --exitfirst --verbose --quiet --collect-only --co --tb=text --maxfail=number --durations=number --no-header --no-summary"), operands: testValue, lists: true},
		"make":   (&program{options: options(false, "-ksnBiw -j? --silent --quiet --keep-going --dry-run --always-make --no-print-directory --jobs?"), operands: targetValue}).quietly(),
		"npm": {commands: map[string]*program{
			"test": plain("-s --silent"), "run": (&program{options: options(false, "-s --silent --if-present"), operands: targetValue, maxOperands: 1}).quietly(),
		}},
	}
})

// wrappers run the program that follows their own options. The letters are the options
// whose value is a word of its own.
var wrappers = map[string]string{
	"sudo": "CDghpRrTtUu", "doas": "Cu", "env": "Cu", "command": "", "exec": "a", "builtin": "", "nohup": "", "nice": "n", "ionice": "cnpPu", "time": "fo",
	"timeout": "ks", "stdbuf": "eio", "setsid": "", "xargs": "adEILnPs", "watch": "n", "strace": "eoPpsu", "ltrace": "eopsu", "chroot": "", "unshare": "", "nsenter": "tSG",
	"flock": "Ew", "parallel": "j", "busybox": "", "script": "", "systemd-run": "ptuM", "su": "cgs", "toybox": "", "setpriv": "", "runuser": "cgsu", "gosu": "", "pkexec": "", "run0": "",
	"prlimit": "", "setarch": "", "linux32": "", "linux64": "", "ssh-agent": "at", "dbus-run-session": "", "start-stop-daemon": "acgnpux", "sg": "c", "capsh": "", "tmux": "cfLS", "screen": "",
	"numactl": "", "choom": "n", "chrt": "", "taskset": "", "unbuffer": "", "rlwrap": "", "caffeinate": "tw", "fakeroot": "", "bwrap": "", "firejail": "", "xvfb-run": "",
}

// wrapper returns the options of a wrapper that have a value. The system's loader is one.
func wrapper(name string) (valued string, wraps bool) {
	valued, wraps = wrappers[name]
	return valued, wraps || strings.HasPrefix(name, "ld-") || name == "ld.so"
}

// maxUnwrapped limits the programs that are found through one another.
const maxUnwrapped = 512

// invocation is a program with its words that a command runs, or may run.
type invocation struct {
	part
	// certain is false if the words may also be arguments of another program.
	certain bool
	// shortened means that words at the begin are left out. Rules that match it for certain
	// count; what is uncertain is so of all the words.
	shortened bool
}

// with returns a part with other words.
func (p part) with(words []string) part {
	p.words = words
	return p
}

// unwrap returns a program, and every program that may be run through it: after a
// wrapper, in a shell's script, or with find -exec. It returns rather too many than too
// few. complete is false if it stopped at the bound.
func (q Request) unwrap(p part) (all []invocation, complete bool) {
	// listed reports whether nested wrappers have already listed the same words.
	listed := func(words []string) bool {
		return slices.ContainsFunc(all, func(v invocation) bool { return len(v.words) == len(words) && &v.words[0] == &words[0] })
	}
	option := func(word string) bool { return strings.HasPrefix(word, "-") }
	var list func(p part, certain bool)
	// script lists the programs of a script that a program runs, and more words of the last.
	script := func(p part, text string, certain bool, more ...string) {
		for _, inner := range q.collectIn(p.dirs, text) {
			inner.words = slices.Concat(inner.words, more)
			inner.piped, inner.unclear = inner.piped || p.piped, cmp.Or(inner.unclear, p.unclear)
			inner.input = slices.Concat(inner.input, p.input)
			list(inner, certain)
		}
	}
	list = func(p part, certain bool) {
		words := p.words
		if len(words) == 0 || len(all) >= maxUnwrapped {
			return
		}
		all = append(all, invocation{part: p, certain: certain})
		// "git -C dir push" is "git push" too: options, perhaps with values, may precede
		// what matters.
		for i := 2; i < len(words) && len(all) < maxUnwrapped && (option(words[i-1]) || i > 2 && option(words[i-2])); i++ {
			if !option(words[i]) {
				all = append(all, invocation{part: p.with(append([]string{words[0]}, words[i:]...)), certain: certain, shortened: true})
			}
		}
		name := path.Base(words[0])
		valued, wraps := wrapper(name)
		switch {
		case slices.Contains(shells, name) || name == "eval" || name == "trap":
			scripts := words[1:]
			if name == "eval" {
				scripts = append([]string{strings.Join(scripts, " ")}, scripts...)
				list(p.with(words[1:]), false)
			}
			for i, w := range scripts {
				if len(all) >= maxUnwrapped {
					return
				}
				runs := i == 0 && !slices.Contains(shells, name) || option(words[i]) && strings.HasSuffix(words[i], "c")
				if runs && strings.Contains(w, unknownText) { // it may be code
					list(p.with([]string{unknownText}), false)
				}
				script(p, w, certain && runs && name != "trap")
			}
		case wraps, name == "find", name == "fd":
			runs := certain && wraps // the next word that can be the program is it
			for i := 1; i < len(words); i++ {
				before := words[i-1]
				it := runs && !strings.Contains(words[i], "=") && !number.MatchString(words[i]) && !(len(before) == 2 && option(before) && strings.Contains(valued, before[1:]))
				it = it || certain && !wraps && slices.Contains(findRuns, before)
				if at := strings.IndexByte(words[i], 'S'); name == "env" && at > 0 && option(words[i]) && words[i][1] != '-' {
					script(p, words[i][at+1:], certain, words[i+1:]...)
				}
				if wraps && strings.ContainsAny(words[i], " \t\n") { // as for "su -c" and "env -S"
					for letters := 0; letters == 0 || option(words[i]) && letters < min(maxBundled, len(words[i])); letters++ {
						script(p, words[i][letters:], false)
					}
				}
				if option(words[i]) || i > 1 && !it && listed(words[i:]) {
					continue
				}
				from := len(all)
				list(p.with(words[i:]), it)
				for ; from < len(all) && !wraps && !it; from++ {
					all[from].shortened = true
				}
				runs = runs && !it
			}
		}
	}
	list(p, true)
	return all, len(all) < maxUnwrapped
}

// maxBundled limits the letters of options before a script in the same word: "-qc'rm x'".
const maxBundled = 6

// findRuns are the options of find and fd that a program follows.
var findRuns = []string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}

// Programs returns the names of the programs that a command certainly runs, also within
// its words: behind sudo, in a script for a shell, after find -exec. It returns none for a
// command that it cannot parse.
func Programs(command string) []string {
	var names []string
	for _, p := range (Request{}).parse([]string{""}, command) {
		if p.unclear == unclearSyntax {
			return nil
		}
		all, _ := (Request{}).unwrap(p)
		for _, v := range all {
			if name := path.Base(v.words[0]); v.certain && v.words[0] != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// unknownDir stands for a directory that is known only when the command runs.
const unknownDir = "\x00"

// maxDirs limits the directories in which a part of a command may run.
const maxDirs = 16

var (
	number = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?[a-zA-Z]{0,3}$`)
	// signatures match the placeholders with which git starts gpg.program, and the one for a
	// whole object.
	signatures = regexp.MustCompile(`%[-+ ]?G|signature|raw`)
	digits     = regexp.MustCompile(`^-[0-9]+$`)
	target     = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)
	prints     = regexp.MustCompile(`^ *([0-9]+|\$)(,([0-9]+|\$))?[pdq=]( *; *([0-9]+|\$)(,([0-9]+|\$))?[pdq=])*;? *$`)
)

// known returns the description of a program, and how many words choose it. It returns
// nil if there is none, and one with commands if the words choose none of them.
func known(words []string) (p *program, chosen int) {
	name := words[0]
	if dir, base := path.Split(name); slices.Contains(shellFolders, path.Clean(dir)) {
		name = base
	}
	p, chosen = programs()[name], 1
	for p != nil && p.commands != nil && chosen < len(words) {
		p = p.commands[words[chosen]]
		chosen++
	}
	return p, chosen
}

// unknownOptions says that nothing is known about a program, and its command.
func unknownOptions(words []string) string {
	return fmt.Sprintf("parley does not know the options of %s: only a rule that names the whole command allows it", strings.Join(words, " "))
}

// understand returns the reason why a part must be asked about although a rule matches
// it with a star, or "". named is the number of words before the star.
func (q Request) understand(p part, named int) string {
	prog, chosen := known(p.words)
	if prog == nil || prog.commands != nil {
		return unknownOptions(p.words[:chosen])
	}
	for _, dir := range p.dirs {
		switch {
		case dir == unknownDir || dir != "" && !q.resolve("", dir).Inside:
			return "it would run outside the session's directories"
		case prog.repository && !(q.home(dir) && q.resolve("", ".git").Exists):
			return p.words[0] + " would run outside the session's directory, or it has no .git"
		}
	}
	if prog.anything {
		return ""
	}
	u := understanding{request: q, part: p, program: prog, chosen: chosen, named: named}
	return u.words(p.words[chosen:])
}

// understanding goes through the words of a part.
type understanding struct {
	request       Request
	part          part
	program       *program
	chosen, named int
	without       bool // there is an option of program.unlessFirst
	given         []string
}

// meant is a word with its meaning: an operand, or the value of an option.
type meant struct {
	at    int
	text  string
	after bool // after "--"
	kind  meaning
}

// unknown says that nothing is known about a word.
func (u *understanding) unknown(text string) string {
	return u.name() + " " + text + " is not known to be harmless"
}

// read takes the words of a program apart. why is why one of them is not understood.
func (u *understanding) read(words []string) (values, operands []meant, why string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--" && !u.program.longNames:
			for i++; i < len(words); i++ {
				operands = append(operands, meant{at: i, text: words[i], after: true})
			}
			continue
		case len(w) < 2 || w[0] != '-':
			operands = append(operands, meant{at: i, text: w})
			continue
		}
		value, kind, ok := u.option(w)
		switch {
		case !ok:
			return nil, nil, u.unknown(w)
		case kind == noValue:
			continue
		case value == "":
			if i++; i == len(words) {
				return nil, nil, u.name() + " " + w + " needs a value"
			}
			value = words[i]
		}
		values = append(values, meant{text: value, kind: kind})
	}
	first := u.program.first != noValue && !u.without
	if u.program.here && !u.part.piped && (len(operands) == 0 || first && len(operands) == 1) {
		values = append(values, meant{text: ".", kind: u.program.operands})
	}
	kind := u.program.operands
	if u.program.writing != "" && !slices.Contains(u.given, u.program.writing) {
		kind = fileValue
	}
	for i := range operands {
		operands[i].kind = kind
		if i == 0 && first {
			operands[i].kind = u.program.first
		}
	}
	return values, operands, ""
}

func (u *understanding) words(words []string) string {
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "@") }); i >= 0 && u.program.lists {
		return u.name() + " would read more words from " + words[i][1:]
	}
	values, operands, why := u.read(words)
	if why != "" {
		return why
	}
	for _, v := range values {
		if why := u.value(v.kind, v.text, true); why != "" {
			return why
		}
	}
	if u.program.maxOperands > 0 && len(operands) > u.program.maxOperands {
		return u.name() + " with so many arguments is unknown to parley"
	}
	for _, o := range operands {
		passed := o.kind == textValue && u.program.first == noValue && strings.HasPrefix(o.text, "-") // behind "--": an option for another program
		if passed || o.kind == noValue && u.chosen+o.at >= u.named {
			return u.unknown(o.text)
		}
		byRule := u.chosen+o.at < u.named || u.named <= u.chosen
		if why := u.value(o.kind, o.text, byRule); why != "" {
			return why
		}
	}
	return u.printed(operands)
}

// understood is what is known of the words of a part.
type understood struct {
	// words are those with a meaning; known is false if the program may do what its words do
	// not say.
	words []meant
	known bool
	// harmless means that it also runs no other program.
	harmless bool
	program  *program
	// printed is what git prints the contents of, nil if nothing.
	printed *Printed
}

// understood returns what is known of the words of a part.
func (q Request) understood(p part) understood {
	prog, chosen := known(p.words)
	if prog == nil || prog.commands != nil {
		return understood{}
	}
	if prog.anything {
		return understood{known: true, harmless: true, program: prog}
	}
	u := understanding{request: q, part: p, program: prog, chosen: chosen}
	values, operands, why := u.read(p.words[chosen:])
	words := append(values, operands...)
	if why == "" && prog.maxOperands > 0 && len(operands) > prog.maxOperands {
		why = u.unknown(operands[prog.maxOperands].text)
	}
	return understood{words: words, known: why == "", program: prog, printed: u.prints(operands), harmless: why == "" &&
		!slices.ContainsFunc(words, func(w meant) bool {
			return !u.harmless(w.kind, w.text, true) || prog.lists && strings.HasPrefix(w.text, "@")
		})}
}

// prints returns what git would print the contents of, nil if nothing.
func (u *understanding) prints(operands []meant) *Printed {
	c := u.program.contents
	has := func(options []string) bool {
		return slices.ContainsFunc(u.given, func(g string) bool { return slices.Contains(options, g) })
	}
	if c == nil || !has(c.with) && (!c.always || has(statOptions)) {
		return nil
	}
	all := has(allOptions)
	p := &Printed{Index: c.index, History: c.history || all, All: all, Renames: has([]string{"--follow"})}
	for _, o := range operands {
		if u.program.operands != revisionValue || o.after {
			p.Paths = append(p.Paths, o.text)
		} else {
			p.Words = append(p.Words, o.text)
		}
	}
	return p
}

// printed returns what speaks against the files whose contents git would print.
func (u *understanding) printed(operands []meant) string {
	p := u.prints(operands)
	if p == nil {
		return ""
	}
	switch found, ok := u.request.tracked(*p, nil); {
	case found != "":
		return u.name() + " may print " + found + ", which is sensitive"
	case !ok:
		return "it is uncertain which files " + u.name() + " would print"
	}
	return ""
}

func (u *understanding) name() string { return strings.Join(u.part.words[:u.chosen], " ") }

// option returns the kind of the value of a word with options, and the value if the word
// contains it.
func (u *understanding) option(w string) (value string, kind meaning, ok bool) {
	find := func(name string) (meaning, bool) {
		kind, ok := u.program.options[name]
		u.without = u.without || slices.Contains(u.program.unlessFirst, name)
		u.given = append(u.given, name)
		return kind, ok
	}
	if _, numbers := u.program.options["-#"]; numbers && digits.MatchString(w) {
		return "", noValue, true
	}
	if u.program.longNames || strings.HasPrefix(w, "--") {
		name, value, valued := strings.Cut(w, "=")
		kind, ok := find(name)
		switch {
		case !ok || kind == noValue && valued || kind > optionalValue && valued && value == "":
			return "", 0, false
		case kind == optionalValue || kind == optionalPrettyValue && !valued:
			return "", noValue, true
		case kind == optionalPrettyValue:
			return value, prettyValue, true
		}
		return value, kind, true
	}
	for i, c := range w[1:] {
		kind, ok := find("-" + string(c))
		switch {
		case !ok:
			return "", 0, false
		case kind == optionalValue:
			return "", noValue, true
		case kind != noValue:
			return w[1+i+len(string(c)):], kind, true
		}
	}
	return "", noValue, true
}

// harmless reports whether a word of a kind that names no file has the program run nothing.
func (u *understanding) harmless(kind meaning, text string, byRule bool) bool {
	switch kind {
	case numberValue:
		return number.MatchString(text)
	case targetValue:
		return target.MatchString(text) && byRule
	case scriptValue:
		return prints.MatchString(text)
	case formatValue:
		return strings.HasPrefix(text, "+")
	case prettyValue:
		return !signatures.MatchString(text)
	case modeValue:
		return text == "readonly" || text == "vendor"
	}
	return true
}

// value returns what speaks against a word of a kind, or "". byRule means that the rule
// leaves no doubt about a target: it names it, or names no target at all.
func (u *understanding) value(kind meaning, text string, byRule bool) string {
	ok := u.harmless(kind, text, byRule)
	switch kind {
	case testValue:
		name, _, _ := strings.Cut(text, "::")
		return u.file(fileValue, name)
	case revisionValue:
		revision, name, both := strings.Cut(text, ":")
		if revision == "" || strings.Contains(name, ":") || strings.ContainsAny(text, pathspecGlobs) {
			ok = false // ":(glob)*", ":/text", "HEAD^{/a:b}:file"
			break
		}
		if why := u.file(fileValue, revision); why != "" || !both {
			return why
		}
		return u.file(fileValue, name)
	case pathspecValue, addedValue:
		if strings.HasPrefix(text, ":") || strings.ContainsAny(text, pathspecGlobs) {
			ok = false
			break
		}
		return u.file(kind, text)
	case nameValue, fileValue, pairValue, treeValue, changeValue, productValue:
		return u.file(kind, text)
	}
	if !ok {
		return u.name() + " " + text + " is not known to be harmless"
	}
	return ""
}

// pathspecGlobs are the characters with which git's paths are patterns, also in quotes. No
// name of a revision has them.
const pathspecGlobs = `*?[\`

// file returns what speaks against a file in one of the directories where the part may
// run.
func (u *understanding) file(kind meaning, name string) string {
	if name == "-" || name == "/dev/null" {
		return ""
	}
	for _, dir := range u.part.dirs {
		p := u.request.resolve(dir, name)
		switch writes := kind == changeValue || kind == productValue; {
		case !p.Inside:
			return name + " is outside the session's directories"
		case p.Own || p.Secret != "" || writes && p.Runs != "":
			return name + " is sensitive"
		case p.Special && kind != nameValue:
			return name + " is not a regular file"
		case p.Content && kind == productValue:
			return name + " would be overwritten"
		case p.Folder && kind == pairValue:
			return u.name() + " would read the files in " + name
		case p.Folder && (kind == treeValue || kind == addedValue):
			if why := u.below(kind, dir, name); why != "" {
				return why
			}
		}
	}
	return ""
}

// below returns what speaks against the files in a folder, at any depth.
func (u *understanding) below(kind meaning, dir, name string) string {
	if dir != "" && !path.IsAbs(name) {
		name = dir + "/" + name
	}
	how := SearchVisible
	if kind == addedValue {
		how = SearchAdded
	}
	switch found, ok := u.request.search(name, how, nil); {
	case found != "":
		return u.name() + " would read " + found + ", which is sensitive"
	case !ok:
		return u.name() + " would read too many files to check in " + name
	}
	return ""
}

// search calls Search, if there is one.
func (q Request) search(dir string, how SearchMode, about func(Path) bool) (found string, ok bool) {
	if q.Search == nil {
		return "", false
	}
	return q.Search(dir, how, about)
}

// tracked calls Tracked, if there is one.
func (q Request) tracked(p Printed, about func(Path) bool) (found string, ok bool) {
	if q.Tracked == nil {
		return "", false
	}
	return q.Tracked(p, about)
}

// resolve returns where a path leads that is written relative to a directory.
func (q Request) resolve(dir, name string) Path {
	if q.Resolve == nil || dir == unknownDir {
		return Path{Name: name}
	}
	if dir != "" && !filepath.IsAbs(name) && filepath.VolumeName(name) == "" && !strings.HasPrefix(name, "~") && !strings.HasPrefix(name, "$") {
		name = dir + "/" + name
	}
	return q.Resolve(name)
}

// home reports whether a directory is the session's.
func (q Request) home(dir string) bool {
	p := Path{Name: ".", Inside: true}
	if dir != "" {
		p = q.resolve("", dir)
	}
	return dir != unknownDir && p.Inside && p.Name == "."
}

// below returns the directory to which "cd name" leads from another.
func below(dir, name string) string {
	switch {
	case dir == "" || path.IsAbs(name):
		return name
	case dir == unknownDir:
		return dir
	}
	return dir + "/" + name
}

// joined returns the directories of both lists.
func joined(a, b []string) []string {
	out := slices.Clone(a)
	for _, dir := range b {
		if !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	if len(out) > maxDirs {
		return []string{unknownDir}
	}
	return out
}
