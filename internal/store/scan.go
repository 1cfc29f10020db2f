package store

import (
	"cmp"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
)

// maxPassage limits a passage, in bytes; longer text is split.
const maxPassage = 64 << 10

// maxName limits the part of a prompt that names a session, in bytes.
const maxName = 200

// Kind says who wrote a passage.
type Kind string

// The kinds of passages.
const (
	FromUser  Kind = "prompt"
	FromAgent Kind = "answer"
	FromTool  Kind = "tool"
)

// passage is a contiguous text in a log.
type passage struct {
	offset int64
	kind   Kind
	text   strings.Builder
}

// scanner extracts from the records of a log what the index stores.
type scanner struct {
	summary Summary
	// emit receives each complete passage.
	emit func(p *passage) error

	open passage
	chat acpclient.ChunkKind // of the message in open
	// echoes means that the user's text is the last prompt, repeated by the agent: it is not
	// indexed twice.
	echoes bool
	err    error
}

func (s *scanner) record(r Record) {
	switch {
	case r.Meta != nil:
		s.summary.Meta = *r.Meta
	case r.Title != nil:
		s.summary.Title = *r.Title
	}
	switch e := r.Event.(type) {
	case conversation.AgentReady:
		if s.summary.AgentName = e.Name; e.Info.AgentInfo != nil {
			s.summary.AgentName = cmp.Or(e.Name, e.Info.AgentInfo.Title, e.Info.AgentInfo.Name)
		}
	case conversation.SessionOpened:
		s.summary.Session, s.summary.InTurn = e.ID, false
	case conversation.PromptSent:
		s.summary.Turns++
		s.summary.InTurn = true
		s.sent(r.Offset, e.Prompt)
		s.echoes = true
	case conversation.TurnEnded: // not AgentLost: the turn is unfinished
		s.summary.InTurn = false
	case conversation.QueueChanged:
		s.summary.Queued = e.Count()
	case conversation.PromptSteered:
		s.sent(r.Offset, e.Prompt)
	case conversation.Text:
		s.message(r.Offset, e.Chunk, e.Text)
	case conversation.TerminalOutput:
		s.tool(r.Offset, string(e.Data))
	case conversation.FileWritten:
		s.tool(r.Offset, e.Path)
	case conversation.Update:
		s.update(r.Offset, e.Update)
	}
}

// sent takes a prompt of the user's.
func (s *scanner) sent(offset int64, prompt []acpclient.ContentBlock) {
	s.flush()
	s.add(offset, FromUser, textOf(prompt))
	s.prompt(s.open.text.String())
	s.flush()
}

func textOf(blocks []acpclient.ContentBlock) string {
	return conversation.QueuedPrompt{Prompt: blocks}.Text()
}

// firstLine returns the first line that is not blank, cut for a list.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.ToValidUTF8(line[:min(len(line), maxName)], "")
}

// prompt takes the beginning of a prompt.
func (s *scanner) prompt(text string) {
	line := firstLine(text)
	s.summary.Prompt = cmp.Or(s.summary.Prompt, line)
	s.summary.LastPrompt = cmp.Or(line, s.summary.LastPrompt)
}

// message adds text of a message to the previous one, if both belong together.
func (s *scanner) message(offset int64, chunk acpclient.ChunkKind, text string) {
	kind := FromAgent
	if chunk == acpclient.UserMessageChunk {
		if s.echoes {
			return
		}
		kind = FromUser
		if s.summary.Prompt == "" || s.chat != chunk {
			s.prompt(text) // in the form in which agents replay it
		}
	}
	if text == "" {
		return
	}
	if s.chat != chunk {
		s.flush()
	}
	if kind == FromAgent {
		s.echoes = false // an agent repeats the prompt before anything else
	}
	s.add(offset, kind, text)
	s.chat = chunk
}

func (s *scanner) tool(offset int64, texts ...string) {
	if s.open.kind != FromTool {
		s.flush()
	}
	s.echoes = false
	for _, text := range texts {
		if text != "" {
			s.add(offset, FromTool, text+"\n")
		}
	}
}

func (s *scanner) update(offset int64, u acpclient.SessionUpdate) {
	switch u := u.(type) {
	case *acpclient.ContentChunk:
		s.message(offset, u.Chunk, u.Content.Text)
	case *acpclient.ToolCall:
		s.tool(offset, append(contentTexts(u.Content), u.Title, string(u.RawInput))...)
	case *acpclient.ToolCallUpdate:
		texts := contentTexts(u.Content)
		if u.Title != nil {
			texts = append(texts, *u.Title)
		}
		s.tool(offset, append(texts, string(u.RawInput))...)
	case *acpclient.MessageUpdate:
		if u.Content.Value != nil {
			s.message(offset, u.Chunk, textOf(*u.Content.Value))
		}
	case *acpclient.ToolCallContentChunk:
		s.tool(offset, contentTexts(u.Content)...)
	case *acpclient.SessionInfoUpdate:
		if u.Title.Value != nil {
			s.summary.AgentTitle = firstLine(*u.Title.Value)
		}
	case *acpclient.UsageUpdate:
		if u.Cost != nil {
			s.summary.Cost = u.Cost
		}
	}
}

func contentTexts(contents []acpclient.ToolCallContent) []string {
	var texts []string
	for _, c := range contents {
		switch {
		case c.Content != nil:
			texts = append(texts, c.Content.Text)
		case c.Path != "":
			texts = append(texts, c.Path, c.NewText)
		}
	}
	return texts
}

func (s *scanner) add(offset int64, kind Kind, text string) {
	if s.open.text.Len() == 0 {
		s.open.offset, s.open.kind = offset, kind
	}
	s.open.text.WriteString(text)
	if s.open.text.Len() >= maxPassage {
		s.flush()
	}
}

func (s *scanner) flush() {
	if s.chat == acpclient.AgentMessageChunk {
		s.summary.Last = cmp.Or(firstLine(s.open.text.String()), s.summary.Last)
	}
	if s.open.text.Len() > 0 && s.err == nil {
		s.err = s.emit(&s.open)
	}
	s.open, s.chat = passage{}, ""
}
