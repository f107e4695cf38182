// Command sgplvm-serve fills in, predicts and inverts over HTTP by one model or emulator, which it loads once.
//
//	sgplvm-serve -model MODEL [-address 127.0.0.1:8817]
//
//	POST /impute     examples with missing values: means and standard errors of all values
//	POST /latents    examples with missing values: their latent variables
//	POST /predict    {"times": [1.5, 2]}, {"examples": [0]} or, of an emulator, {"inputs": {"a": [1, 2], "b": [3, 4]}}
//	POST /invert     outputs of an emulator, with ?errors=0.01: the inputs behind them
//	GET  /model      what the model is
//	GET  /healthz    ok
//	GET  /metrics    counts and durations, for Prometheus
//	GET  /           a page to try the model in a browser
//
// A body is an array of NumPy (application/x-npy or application/octet-stream), a table (text/csv), a picture (image/png, image/jpeg),
// or JSON (application/json): {"values": [[1, null, 3]]}, nested as the shape of an array, with "times" and "sequence" where the model knows times. The answer is JSON, or one of
// the first three where Accept asks for it: the means alone, of /invert the table of the command. The query has the flags of the commands of the same names: keep-outliers, columns, labels,
// time-column, time-format, fill-value, sequence, effort, errors, and times=1,2,3.
//
// A body goes to a temporary file, and so does an answer: what is in memory does not grow with the number of clients, only what is worked on, on
// each processor a request of at most -size. An error is a line of JSON, {"error": "…"}.
// Names are refused by which a page of another site could reach the program: a Host that is neither an address of this computer nor that of -address, and an Origin that is not the Host.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), cli.StopSignals...)
	context.AfterFunc(ctx, stop) // the next signal ends the program at once
	args := os.Args[1:]
	if len(args) == 0 || args[0] != "serve" {
		args = append([]string{"serve"}, args...)
	}
	e := &cli.Environment{Program: "sgplvm-serve", Stdout: os.Stdout, Stderr: os.Stderr}
	os.Exit(cli.Run(ctx, e, commands, args))
}

var commands = []cli.Command{{Name: "serve", Summary: "answer requests by a model", Run: serve}}

// Limits of what is not worth a flag.
const (
	headerTime = 10 * time.Second // to read the header of a request
	headerSize = 16 << 10         // of a request, in bytes
	endTime    = 10 * time.Second // for requests that are under way as the program ends
)

func serve(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "serve", `sgplvm-serve -model MODEL [-address HOST:PORT]

Answers requests over HTTP by a model or an emulator, until it is interrupted: POST /impute, /latents, /predict, /invert;
GET /model, /healthz, /metrics, and / for a page to try it.`)
	s := &server{path: f.Input("model", "the `file` of a model or an emulator")}
	address := f.String("address", "127.0.0.1:8817", "where to listen, `HOST:PORT`")
	size := f.Whole("size", 32, 1, 1024, "the largest `body` of a request, in MiB")
	connections := f.Whole("connections", 64, 1, 10_000, "`number` of connections at a time; others wait")
	timeout := f.Duration("timeout", "`time` for each of reading a request, working on it and writing the answer, by default 1m")
	f.Need("model")
	f.Everyday("model", "address", "size", "connections", "timeout")
	f.Examples("sgplvm-serve -model faces.model", "sgplvm-serve -model emulator -address 127.0.0.1:9000 -timeout 10s")
	if err := f.Read(args); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(*address)
	if err != nil {
		return f.Usagef("-address %q, expected HOST:PORT", *address)
	}
	s.host, s.size, s.timeout = host, int64(*size)<<20, cmp.Or(*timeout, time.Minute)
	if s.model, s.emulator, err = engine.LoadAny(*s.path); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return fmt.Errorf("-address %s: %w", *address, errors.Unwrap(err))
	}
	if s.folder, err = os.MkdirTemp("", "sgplvm-serve-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.folder)
	s.slots = make(chan struct{}, runtime.GOMAXPROCS(0))
	e.Note("%s at http://%s/", *s.path, listener.Addr())
	return s.run(ctx, &limited{listener, make(chan struct{}, *connections)})
}

// run answers requests until the context ends, and those then under way.
func (s *server) run(ctx context.Context, listener net.Listener) error {
	h := &http.Server{Handler: s, ReadHeaderTimeout: min(headerTime, s.timeout), ReadTimeout: s.timeout, WriteTimeout: 3 * s.timeout, IdleTimeout: s.timeout,
		MaxHeaderBytes: headerSize, ErrorLog: log.New(io.Discard, "", 0)}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if h.Shutdown(end) != nil {
		h.Close()
	}
	return nil
}

// A limited listener has only so many connections at a time.
type limited struct {
	net.Listener
	slots chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	l.slots <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &connection{c, sync.OnceFunc(func() { <-l.slots })}, nil
}

type connection struct {
	net.Conn
	free func()
}

func (c *connection) Close() error {
	defer c.free()
	return c.Conn.Close()
}
