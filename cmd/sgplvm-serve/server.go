package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// A server answers requests by a model or by an emulator, of which one is nil.
type server struct {
	path     *string // of the model
	model    *sgplvm.Model
	emulator *sgplvm.Emulator
	host     string // of -address
	folder   string // temporary, of all requests
	size     int64  // of a body at most
	timeout  time.Duration
	slots    chan struct{} // of requests that are worked on
	metrics  metrics
}

// values is how many values the examples of a request may have at most.
func (s *server) values() int { return int(s.size / 8) }

// A failure is an error with the status of the answer; other errors are those of the request, 400.
type failure struct {
	status int
	error
}

func failf(status int, format string, args ...any) error {
	return failure{status, fmt.Errorf(format, args...)}
}

// A route is what is done with requests for a path: at once, or as work on their bodies.
type route struct {
	method string
	now    func(s *server, w http.ResponseWriter) error
	work   func(q *request) error
}

var routes = map[string]route{
	"/impute":  {method: http.MethodPost, work: (*request).impute},
	"/latents": {method: http.MethodPost, work: (*request).latents},
	"/predict": {method: http.MethodPost, work: (*request).predict},
	"/invert":  {method: http.MethodPost, work: (*request).invert},
	"/model":   {method: http.MethodGet, now: (*server).about},
	"/metrics": {method: http.MethodGet, now: func(s *server, w http.ResponseWriter) error { return s.metrics.write(w) }},
	"/healthz": {method: http.MethodGet, now: func(_ *server, w http.ResponseWriter) error { _, err := io.WriteString(w, "ok\n"); return err }},
	"/":        {method: http.MethodGet, now: (*server).page},
}

// page is the page in a browser. It speaks to this server where no engine is put into it.
//
//go:embed page.html
var page string

func (s *server) page(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	_, err := io.WriteString(w, page)
	return err
}

// ServeHTTP answers a request.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin, status, name := time.Now(), http.StatusOK, r.URL.Path
	way, known := routes[name]
	if !known {
		name = "other"
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if err := s.answer(w, r, way, known); err != nil {
		var f failure
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			status, err = http.StatusRequestEntityTooLarge, fmt.Errorf("a body of more than %d bytes", s.size)
		case errors.As(err, &f):
			status = f.status
		case errors.Is(err, context.DeadlineExceeded):
			status, err = http.StatusServiceUnavailable, fmt.Errorf("not done within %v", s.timeout)
		default:
			status = http.StatusBadRequest
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]string{"error": cli.Text(strings.ReplaceAll(err.Error(), "sgplvm: ", ""))})
	}
	s.metrics.count(name, status, time.Since(begin))
}

// answer answers a request that may be answered.
func (s *server) answer(w http.ResponseWriter, r *http.Request, way route, known bool) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = failf(http.StatusInternalServerError, "internal error, please report it: %v", v)
		}
	}()
	switch {
	case !s.called(r.Host):
		return failf(http.StatusForbidden, "Host %s, expected localhost or an address of this computer", cli.Text(r.Host))
	case http.NewCrossOriginProtection().Check(r) != nil:
		return failf(http.StatusForbidden, "a request of a page of another site")
	case !known:
		return failf(http.StatusNotFound, "no such path, expected one of %s", strings.Join(slices.Sorted(maps.Keys(routes)), ", "))
	case r.Method != way.method:
		w.Header().Set("Allow", way.method)
		return failf(http.StatusMethodNotAllowed, "method %s, expected %s", cli.Text(r.Method), way.method)
	case way.now != nil:
		return way.now(s, w)
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	q, err := newRequest(s, r)
	if err != nil {
		return err
	}
	defer os.RemoveAll(q.folder)
	if err := q.receive(http.MaxBytesReader(w, r.Body, s.size)); err != nil {
		return err
	}
	if err := q.do(ctx, way.work); err != nil {
		text := strings.ReplaceAll(err.Error(), q.folder+string(os.PathSeparator), "")
		if f := (failure{}); errors.As(err, &f) || ctx.Err() != nil {
			return err
		}
		return errors.New(text)
	}
	return q.send(w)
}

// called tells whether a Host is a name by which only this computer's users, or those who know its address, call the server.
func (s *server) called(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip, listens := net.ParseIP(host), net.ParseIP(s.host)
	anywhere := s.host == "" || listens != nil && listens.IsUnspecified()
	return host == "localhost" || strings.EqualFold(host, s.host) || ip != nil && (ip.IsLoopback() || anywhere)
}

// metrics count requests by path and status.
type metrics struct {
	mu       sync.Mutex
	requests map[string]int
	seconds  map[string]float64
}

func (m *metrics) count(path string, status int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.requests == nil {
		m.requests, m.seconds = map[string]int{}, map[string]float64{}
	}
	m.requests[fmt.Sprintf(`path=%q,code="%d"`, path, status)]++
	m.seconds[fmt.Sprintf(`path=%q`, path)] += took.Seconds()
}

// write writes them as Prometheus reads them.
func (m *metrics) write(w http.ResponseWriter) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	fmt.Fprintln(w, "# TYPE sgplvm_requests_total counter")
	for _, labels := range slices.Sorted(maps.Keys(m.requests)) {
		fmt.Fprintf(w, "sgplvm_requests_total{%s} %d\n", labels, m.requests[labels])
	}
	fmt.Fprintln(w, "# TYPE sgplvm_request_seconds_total counter")
	for _, labels := range slices.Sorted(maps.Keys(m.seconds)) {
		fmt.Fprintf(w, "sgplvm_request_seconds_total{%s} %g\n", labels, m.seconds[labels])
	}
	return nil
}
