package export

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// browser is where a real browser is, "" if there is none.
func browser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// A real browser shows the page on a phone without anything of it running, and without
// scrolling sideways.
func TestPageInABrowser(t *testing.T) {
	path := browser()
	if path == "" {
		t.Skip("neither chromium nor chrome is installed")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(exported(t, session(t), HTML)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(390, 800))...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err := chromedp.Do(ctx,
		chromedp.EmulateViewport(390, 800),
		chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String()),
	)
	if err != nil {
		t.Fatal(err)
	}
	title, err := chromedp.Run(ctx, chromedp.Title())
	if err != nil {
		t.Fatal(err)
	}
	count := func(expression string) int {
		t.Helper()
		n, err := chromedp.Run(ctx, chromedp.Evaluate[int](expression))
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		return n
	}
	count(`document.querySelector('summary').click(), 0`)
	width := count(`document.documentElement.scrollWidth`)
	scripts := count(`document.querySelectorAll('script, [onerror], iframe').length`)
	open := count(`document.querySelectorAll('details[open]').length`)
	shown := count(`document.querySelectorAll('.prompt, .answer, details, section').length`)
	if title == "owned" || scripts > 0 {
		t.Errorf("something of the page ran: the title is %q, there are %d scripts", title, scripts)
	}
	if width > 390 {
		t.Errorf("the page is %d wide on a phone of 390", width)
	}
	if open != 1 || shown < 8 {
		t.Errorf("%d calls are open, %d things are shown", open, shown)
	}
}
