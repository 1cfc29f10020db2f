package vim

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
)

var random = flag.Int("random", 0, "how many random sequences to compare with the vim of this machine")

// pieces are what random sequences are made of.
var pieces = strings.Fields(`h j k l w W b B e E 0 ^ $ fo tb Fo Tb fo; Fo, tb; gg G { } %
	dw db de dd diw daw dip daw d} d$ D dG cwx<Esc> ciwxy<Esc> ccz<Esc> Cq<Esc> yy yw yiw p P 2p x 3x X J
	~ g~w gUiw guu >> <lt><lt> >j rz iab<Esc> Aend<Esc> Ibeg<Esc> onew<Esc> Onew<Esc> s-<Esc>
	vd vld vjd Vd vwy Vy viwc!<Esc> vipJ vl~ Vj> vaw<Esc> ve<Esc> vlp Vp u u <C-r> . . 2. di( da( di" da" ci(z<Esc>
	dtb d2w 2dd d0 d^ d% yyp ddp xp vjy vk<Esc> dj dk`)

var drafts = []string{
	"one two, three.⏎  four (five six) seven⏎⏎eight \"nine ten\" b⏎eleven", "foo bar foo⏎⏎⏎bob", "a",
	"A sentence. Another one!  (And more?) End⏎next line.⏎⏎New. paragraph", "  indented⏎    more indented⏎none",
	"x(y[z]{b})  \"q\" 'r'⏎tab bob  ", "größe 日本語 🙂 end⏎über",
}

// TestRandomIsVims is for finding where the editor is not like vim: it runs with
// -random only.
func TestRandomIsVims(t *testing.T) {
	if *random == 0 {
		t.Skip("runs with -random N only")
	}
	vimVersion(t)
	var list []sequence
	for i := range *random {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		text := strings.ReplaceAll(drafts[r.IntN(len(drafts))], "⏎", "\n")
		at := r.IntN(len([]rune(text)))
		runes := []rune(text)
		if at > 0 && (runes[at] == '\n' && runes[at-1] != '\n') {
			at--
		}
		s := sequence{text: strings.ReplaceAll(string(runes[:at])+"¦"+string(runes[at:]), "\n", "⏎")}
		for range 1 + r.IntN(4) {
			s.keys += pieces[r.IntN(len(pieces))]
		}
		list = append(list, s)
	}
	askVim(t, list)
	failed := 0
	for _, s := range list {
		if text, mode := try(s); text != s.want || mode != s.mode {
			if failed++; failed <= 40 {
				t.Errorf("%s\n  in %s\ngives %s %s\n  vim %s %s", s.keys, s.text, text, mode, s.want, s.mode)
			}
		}
	}
	t.Logf("%d of %d", failed, len(list))
}
