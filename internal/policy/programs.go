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
	// here means that the program without operands uses the directory it runs in; other than
	// git, it reads from a pipe instead if there is one.
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
	// shows means that the program, git, shows what is in files, unless it has an option of
	// statOptions and none of patchOptions: those that differ in the working tree if it uses
	// the directory it runs in, else those of commits, which only the user may allow.
	shows bool
	// silent keeps Propose from proposing the program with a star.
	silent bool
}

// Options with which git shows what is in files, and with which it shows less. indexOptions have
// git diff compare the index with a commit.
const (
	patchOptions = "-p -u -U=number --patch --unified=number --check -W --function-context --word-diff?"
	statOptions  = "-s --no-patch --stat? --numstat --shortstat --dirstat? --summary --name-only --name-status --raw --quiet"
	indexOptions = "--cached --staged --merge-base"
)

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
	shownValue    // a pathspec; a folder stands for all files below it that git knows
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

func (p *program) showing() *program {
	p.shows = true
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
	gitStatOptions = statOptions + " --color? --no-color --minimal --patience --histogram -b -w -R -z -M? -C? --ignore-all-space --ignore-space-change " +
		"--ignore-blank-lines --find-renames? --no-renames --exit-code --full-index --abbrev? --relative --diff-filter=text -S=text -G=text " +
		"--pickaxe-regex --pickaxe-all --no-ext-diff --no-textconv"
	gitDiffOptions = gitStatOptions + " " + patchOptions + " " + indexOptions
	gitLogOptions  = gitStatOptions + " --oneline --graph --decorate? --no-decorate --all --branches? --tags? --remotes? --follow --reverse -n=number -# " +
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
			"status":    gitCommand(pathspecValue, "-s -b -z -u? --short --branch --porcelain? --long --untracked-files? --ignored? --show-stash --ahead-behind --no-renames"),
			"diff":      gitCommand(revisionValue, gitDiffOptions).showing().inHere(),
			"log":       gitCommand(revisionValue, gitLogOptions),
			"show":      gitCommand(revisionValue, gitLogOptions).showing(),
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
			"commit":    gitCommand(noValue, "-aqs -m=text --message=text --all --quiet --signoff --no-edit --allow-empty --dry-run"),
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

var (
	number = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?[a-zA-Z]{0,3}$`)
	// signatures match the placeholders with which git starts gpg.program, and the one for a
	// whole object.
	signatures = regexp.MustCompile(`%[-+ ]?G|signature|raw`)
	// object matches what may name a file in git's store, of which no option of git show leaves
	// the content out.
	object = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i):|^[0-9a-f]{4,}(\^|$)`) })
	digits = regexp.MustCompile(`^-[0-9]+$`)
	target = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)
	prints = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^ *([0-9]+|\$)(,([0-9]+|\$))?[pdq=]( *; *([0-9]+|\$)(,([0-9]+|\$))?[pdq=])*;? *$`)
	})
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

// meant is a word with its meaning: an operand, or the value of an option.
type meant struct {
	kind    meaning
	text    string
	operand bool
	at      int  // where an operand stands
	after   bool // it stands after "--"
}

// understood is what is known of the words of a part.
type understood struct {
	part    part
	program *program // nil if it is not known
	chosen  int      // how many words choose it
	words   []meant
	// why says why the program may do what words do not say, "" if it is certain that it does not.
	why string
	// harmless means that it also runs no other program.
	harmless bool
	// commits means that it shows files of commits.
	commits bool

	given []string // options
}

// understood returns what is known of some words of a part.
func (p part) understood(words []string) *understood {
	prog, chosen := known(words)
	u := &understood{part: p, program: prog, chosen: chosen}
	switch {
	case prog == nil || prog.commands != nil:
		u.program, u.why = nil, unknownOptions(words[:chosen])
		return u
	case prog.anything:
		u.harmless = true
		return u
	}
	if u.read(words); u.why == "" {
		u.harmless = !slices.ContainsFunc(u.words, func(w meant) bool { return !harmless(w.kind, w.text, true) })
	}
	return u
}

// read takes the words of a program apart.
func (u *understood) read(words []string) {
	prog := u.program
	var operands []meant
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "@") }); prog.lists && i >= 0 {
		u.why = u.name() + " would read more words from " + words[i][1:]
		return
	}
	for i := u.chosen; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--" && !prog.longNames:
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
			u.why = u.unknown(w)
			return
		case kind == noValue:
			continue
		case value == "":
			if i++; i == len(words) {
				u.why = u.name() + " " + w + " needs a value"
				return
			}
			value = words[i]
		}
		u.words = append(u.words, meant{text: value, kind: kind})
	}
	if prog.maxOperands > 0 && len(operands) > prog.maxOperands {
		u.why = u.name() + " with so many arguments is unknown to parley"
	}
	kind := prog.operands
	switch {
	case prog.writing != "" && !u.has(prog.writing):
		kind = fileValue
	case prog.shows && (u.has(patchOptions) || !u.has(statOptions) || !prog.here && slices.ContainsFunc(operands, func(o meant) bool { return object().MatchString(o.text) })):
		kind = shownValue
		u.commits = u.has(indexOptions) || !prog.here && (len(operands) == 0 || slices.ContainsFunc(operands, func(o meant) bool { return !strings.Contains(o.text, ":") }))
	}
	first := prog.first != noValue && !slices.ContainsFunc(prog.unlessFirst, u.has)
	if prog.here && (prog.repository || !u.part.piped || u.part.redirected) && (len(operands) == 0 || first && len(operands) == 1) {
		u.words = append(u.words, meant{text: ".", kind: kind})
	}
	for i, o := range operands {
		o.operand, o.kind = true, kind
		if i == 0 && first {
			o.kind = prog.first
		}
		u.words = append(u.words, o)
	}
}

// has reports whether there is one of some options.
func (u *understood) has(list string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(o string) bool {
		name, _, _ := strings.Cut(strings.TrimSuffix(o, "?"), "=")
		return slices.Contains(u.given, name)
	})
}

func (u *understood) name() string { return strings.Join(u.part.words[:u.chosen], " ") }

// unknown says that nothing is known about a word.
func (u *understood) unknown(text string) string {
	return u.name() + " " + text + " is not known to be harmless"
}

// option returns the kind of the value of a word with options, and the value if the word
// contains it.
func (u *understood) option(w string) (value string, kind meaning, ok bool) {
	find := func(name string) (meaning, bool) {
		kind, ok := u.program.options[name]
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

// understand returns the reason why a part must be asked about although a rule matches
// it with a star, or "". fixed is the number of words before the star.
func (q Request) understand(p part, fixed int) string {
	u := p.understood(p.words)
	if u.program == nil {
		return u.why
	}
	for _, dir := range p.dirs {
		switch {
		case open(dir) || dir != "" && !q.resolve("", dir).Inside:
			return "it would run outside the session's directories"
		case u.program.repository && (q.elsewhere(dir) || !q.resolve("", ".git").Exists):
			return p.words[0] + " would run outside the session's directory, or it has no .git"
		}
	}
	switch {
	case u.why != "":
		return u.why
	case u.commits:
		return u.name() + " shows what was in files, which may be sensitive"
	}
	for _, w := range u.words {
		// behind "--": an option for another program
		passed := w.operand && w.kind == textValue && u.program.first == noValue && strings.HasPrefix(w.text, "-")
		if passed || w.kind == noValue && w.at >= fixed {
			return u.unknown(w.text)
		}
		if why := q.allowsWord(u, w, !w.operand || w.at < fixed || fixed <= u.chosen); why != "" {
			return why
		}
	}
	return ""
}

// harmless reports whether a word of a kind that names no file has the program run nothing.
func harmless(kind meaning, text string, byRule bool) bool {
	switch kind {
	case numberValue:
		return number.MatchString(text)
	case targetValue:
		return target.MatchString(text) && byRule
	case scriptValue:
		return prints().MatchString(text)
	case formatValue:
		return strings.HasPrefix(text, "+")
	case prettyValue:
		return !signatures.MatchString(text)
	case modeValue:
		return text == "readonly" || text == "vendor"
	}
	return true
}

// allowsWord returns what speaks against a word, or "". byRule means that the rule leaves no
// doubt about a target: it names it, or names no target at all.
func (q Request) allowsWord(u *understood, w meant, byRule bool) string {
	revision, name, both := strings.Cut(w.text, ":")
	switch kind := w.kind; kind {
	case testValue:
		name, _, _ := strings.Cut(w.text, "::")
		return q.allowsFile(u, fileValue, name)
	case shownValue, revisionValue:
		switch {
		case revision == "" || strings.Contains(name, ":") || strings.ContainsAny(w.text, pathspecGlobs): // ":(glob)*", ":/text", "HEAD^{/a:b}:file"
			return u.unknown(w.text)
		case kind == shownValue && u.program.here:
			if both || !w.after && !q.resolve("", w.text).Exists {
				return u.name() + " " + w.text + " shows what was in files, which may be sensitive"
			}
			return q.allowsFile(u, kind, w.text)
		case both && kind == shownValue:
			return cmp.Or(q.allowsFile(u, fileValue, revision), q.allowsFile(u, pairValue, name))
		case both:
			return cmp.Or(q.allowsFile(u, fileValue, revision), q.allowsFile(u, fileValue, name))
		}
		return q.allowsFile(u, fileValue, revision)
	case pathspecValue, addedValue:
		if strings.HasPrefix(w.text, ":") || strings.ContainsAny(w.text, pathspecGlobs) {
			return u.unknown(w.text)
		}
		return q.allowsFile(u, kind, w.text)
	case nameValue, fileValue, pairValue, treeValue, changeValue, productValue:
		return q.allowsFile(u, kind, w.text)
	}
	if !harmless(w.kind, w.text, byRule) {
		return u.unknown(w.text)
	}
	return ""
}

// pathspecGlobs are the characters with which git's paths are patterns, also in quotes. No
// name of a revision has them.
const pathspecGlobs = `*?[\`

// allowsFile returns what speaks against a file in one of the directories where the part may
// run, or "".
func (q Request) allowsFile(u *understood, kind meaning, name string) string {
	if name == "-" || name == "/dev/null" {
		return ""
	}
	for _, dir := range u.part.dirs {
		p := q.resolve(dir, name)
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
		case p.Folder && (kind == treeValue || kind == addedValue || kind == shownValue):
			if why := q.allowsFolder(u, kind, inDir(dir, name)); why != "" {
				return why
			}
		}
	}
	return ""
}

// allowsFolder returns what speaks against the files in a folder, at any depth.
func (q Request) allowsFolder(u *understood, kind meaning, name string) string {
	how := SearchVisible
	switch kind {
	case addedValue:
		how = SearchAdded
	case shownValue:
		how = SearchTracked
	}
	found, ok := "", false
	if q.Search != nil {
		found, ok = q.Search(name, how, nil)
	}
	switch {
	case found != "":
		return u.name() + " would read " + found + ", which is sensitive"
	case !ok:
		return u.name() + " would read too many files to check in " + name
	}
	return ""
}

// resolve returns where a path leads that is written relative to a directory.
func (q Request) resolve(dir, name string) Path {
	if q.Resolve == nil || open(dir) {
		return Path{Name: name}
	}
	if dir != "" && !filepath.IsAbs(name) && filepath.VolumeName(name) == "" && !strings.HasPrefix(name, "~") && !strings.HasPrefix(name, "$") {
		name = dir + "/" + name
	}
	return q.Resolve(name)
}

// elsewhere reports whether a directory may be another one than the session's.
func (q Request) elsewhere(dir string) bool {
	if dir == "" {
		return false
	}
	p := q.resolve("", dir)
	return open(dir) || !p.Inside || p.Name != "."
}
