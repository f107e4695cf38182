package main

import (
	_ "embed"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// A server answers requests by a model or by an emulator, of which one is nil.
type server struct {
	path     *string // of the model
	model    *sgplvm.Model
	emulator *sgplvm.Emulator
	host     string // of -address
	folder   string // temporary, of all requests
	count    atomic.Int64
	size     int64 // of a body at most
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
