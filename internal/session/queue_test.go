package session

import (
	"slices"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// resolver holds up every prompt with files until it is told what they contain.
type resolver chan string

func (r *resolver) use(_ *harness, o *Options) {
	*r = make(resolver) // in the bubble
	o.Resolve = r.resolve
}

func (r resolver) resolve(p conversation.QueuedPrompt, _ acpclient.PromptCapabilities) []acpclient.ContentBlock {
	prompt := slices.Clone(p.Prompt)
	for range p.Files {
		prompt = append(prompt, acpclient.TextBlock(<-r))
	}
	return prompt
}

// queued returns the texts of the queue, and sent the texts of the prompts sent.
func (h *harness) queued() (all []string) {
	for _, p := range h.conv.Queue {
		all = append(all, p.Prompt[0].Text)
	}
	return all
}

func (h *harness) sent() (all []string) {
	for _, e := range eventsOf[conversation.PromptSent](h) {
		for _, b := range e.Prompt {
			all = append(all, b.Text)
		}
	}
	return all
}

func mentions(text string) conversation.QueuedPrompt {
	return conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}, Files: []string{"@file"}}
}

// The files of a prompt are read when it is sent. Until then it is in the queue, and later
// prompts wait behind it.
func TestFilesAreReadWhenThePromptIsSent(t *testing.T) {
	var files resolver
	bubble(t, func(t *testing.T, h *harness) {
		Post(h, Prompt{Prompt: mentions("one")})
		h.prompt("two")
		if got := h.queued(); !slices.Equal(got, []string{"one", "two"}) || h.conv.Turn.Running {
			t.Fatalf("the queue is %q", got)
		}
		files <- "content"
		h.settle()
		if got := h.sent(); !slices.Equal(got, []string{"one", "content"}) {
			t.Errorf("sent are %q", got)
		}
		if got := h.queued(); !slices.Equal(got, []string{"two"}) {
			t.Errorf("the queue is %q", got)
		}
	}, files.use)
}

// A prompt that is removed from the queue while its files are read is not sent.
func TestAPromptIsRemovedWhileItsFilesAreRead(t *testing.T) {
	var files resolver
	bubble(t, func(t *testing.T, h *harness) {
		Post(h, Prompt{Prompt: mentions("one")})
		h.prompt("two")
		if p, err := Do(h.Context(), h, Unqueue{h.conv.Queue[0].ID}); err != nil || len(p.Prompt) != 1 || len(p.Files) != 1 {
			t.Errorf("removed is %+v", p)
		}
		files <- "content"
		h.settle()
		if got := h.sent(); !slices.Equal(got, []string{"two"}) {
			t.Errorf("sent are %q", got)
		}
	}, files.use)
}

// While a queue is paused, new prompts are sent in the order in which they were written, and
// the queue stays.
func TestNewPromptsGoBeforeAPausedQueue(t *testing.T) {
	var files resolver
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("first")
		h.prompt("paused")
		resultOf(h, Cancel{})
		h.settle()
		h.reply("session/prompt", `{"stopReason":"cancelled"}`)
		Post(h, Prompt{Prompt: mentions("one")})
		h.prompt("two")
		if got := h.queued(); !slices.Equal(got, []string{"one", "two", "paused"}) || !h.conv.QueuePaused {
			t.Fatalf("the queue is %q", got)
		}
		files <- "content"
		h.settle()
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		if got := h.sent(); !slices.Equal(got, []string{"first", "one", "content", "two"}) {
			t.Errorf("sent are %q", got)
		}
		if got := h.queued(); !slices.Equal(got, []string{"paused"}) || !h.conv.QueuePaused {
			t.Errorf("the queue is %q", got)
		}
	}, files.use)
}

// Files that were read for an agent are not sent to another, which may take other content.
func TestFilesAreReadAgainForAnotherAgent(t *testing.T) {
	var files resolver
	bubble(t, func(t *testing.T, h *harness) {
		Post(h, Prompt{Prompt: mentions("one")})
		Post(h, Reconnect{})
		h.settle()
		h.reply("session/resume", `{}`)
		files <- "for the first"
		h.settle()
		if got := h.sent(); got != nil {
			t.Fatalf("sent are %q", got)
		}
		files <- "for the second"
		h.settle()
		if got := h.sent(); !slices.Equal(got, []string{"one", "for the second"}) {
			t.Errorf("sent are %q", got)
		}
	}, files.use)
}
