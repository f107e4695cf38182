package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
)

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
	defer q.remove()
	if err := q.receive(http.MaxBytesReader(w, r.Body, s.size)); err != nil {
		return err
	}
	if err := q.do(ctx, way.work); err != nil {
		text := strings.ReplaceAll(err.Error(), q.prefix, "")
		if f := (failure{}); errors.As(err, &f) || ctx.Err() != nil {
			return err
		}
		return errors.New(text)
	}
	return q.send(w)
}
