package acpclient_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"parley/acpclient"
)

// printer prints what the agent says.
type printer struct{}

func (printer) SessionUpdate(_ context.Context, n *acpclient.SessionNotification) {
	if chunk, ok := n.Update.(*acpclient.ContentChunk); ok {
		fmt.Print(chunk.Content.Text)
	}
}

func Example() {
	ctx := context.Background()
	agent, err := acpclient.StartProcess(acpclient.Command{Path: os.Args[0], Env: []string{"ACPCLIENT_TEST_AGENT=friendly"}})
	if err != nil {
		log.Fatal(err)
	}
	defer agent.Stop(ctx)

	client := acpclient.NewClient(acpclient.NewLines(agent.In, agent.Out), printer{}, acpclient.ConnOptions{})
	if _, err := client.Initialize(ctx, &acpclient.InitializeRequest{}); err != nil {
		log.Fatal(err)
	}
	session, err := acpclient.Call(ctx, client.Conn(), acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: "/"})
	if err != nil {
		log.Fatal(err)
	}
	turn, err := acpclient.Call(ctx, client.Conn(), acpclient.SessionPrompt, &acpclient.PromptRequest{
		SessionID: session.SessionID,
		Prompt:    []acpclient.ContentBlock{acpclient.TextBlock("Say hello")},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("\nstopped:", turn.StopReason)
	// Output:
	// Hello, gopher
	// stopped: end_turn
}
