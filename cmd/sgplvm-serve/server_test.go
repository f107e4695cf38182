package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/clitest"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

const (
	pictures = "../../sgplvm/testdata/models/white.model" // of 5×6 pixels
	timed    = "../../sgplvm/testdata/models/dynamic.model"
	table    = "../sgplvm/testdata/formats/table.model"
	emulator = "../sgplvm/testdata/formats/runs.emulator"
)

// start runs a server of a file until the test ends, and returns it with its address. The last result ends it and waits.
func start(t testing.TB, path string, connections int, timeout time.Duration) (s *server, address string, end func() error) {
	t.Helper()
	s = &server{path: &path, host: "127.0.0.1", size: 1 << 20, timeout: timeout, folder: t.TempDir(), slots: make(chan struct{}, 2)}
	var err error
	if s.model, s.emulator, err = engine.LoadAny(path); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no network here: ", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx, &limited{l, make(chan struct{}, connections)}) }()
	done := false
	end = func() error {
		if done {
			return nil
		}
		done = true
		cancel()
		return <-ended
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	return s, "http://" + l.Addr().String(), end
}

// ask sends a request and returns the answer.
func ask(t testing.TB, method, address, kind, accept string, body []byte) (status int, answer []byte) {
	t.Helper()
	r, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Accept", accept)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if answer, err = io.ReadAll(a.Body); err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, answer
}

// must is ask of what must succeed.
func must(t testing.TB, address, kind, accept string, body []byte) []byte {
	t.Helper()
	status, answer := ask(t, http.MethodPost, address, kind, accept, body)
	if status != http.StatusOK {
		t.Fatalf("%s: %d: %s", address, status, answer)
	}
	return answer
}

func numpy(t testing.TB, values []float64, shape ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := npy.Write(&b, npy.New(values, shape...)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// seen is a picture of the model with every third pixel missing, as values and as JSON.
func seen(m *sgplvm.Model) ([]float64, []byte) {
	p, err := m.Predict(m.TrainingLatent(1), nil)
	if err != nil {
		panic(err)
	}
	values := slices.Clone(p.Mean.Data)
	var rows [][]any
	for i, v := range values {
		if i%5 == 0 {
			rows = append(rows, nil)
		}
		row := &rows[len(rows)-1]
		if i%3 == 0 {
			values[i] = math.NaN()
			*row = append(*row, nil)
		} else {
			*row = append(*row, v)
		}
	}
	text, _ := json.Marshal(map[string]any{"values": []any{rows}})
	return values, text
}

func same(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return a == b || a != a && b != b })
}

// A picture comes back from /impute as Model.Impute fills it in, to the bit, in every form of request and answer; /latents has the latent variables of
// Infer, and /predict what Predict has.
func TestModel(t *testing.T) {
	s, address, _ := start(t, pictures, 10, time.Minute)
	values, text := seen(s.model)
	var o sgplvm.Observed
	o.Values.Rows, o.Values.Cols, o.Values.RowStride, o.Values.ColStride, o.Values.Data = 30, 1, 1, 1, values
	want, latent, err := s.model.Impute(t.Context(), o, sgplvm.InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	array := numpy(t, values, 1, 6, 5)
	var got struct {
		Mean  [][][]float64 `json:"mean"`
		Error [][][]float64 `json:"standard_error"`
	}
	for kind, body := range map[string][]byte{"application/json": text, "application/octet-stream": array} {
		if err := json.Unmarshal(must(t, address+"/impute", kind, "", body), &got); err != nil {
			t.Fatal(err)
		}
		for i, v := range slices.Concat(got.Error[0]...) {
			if math.Abs(v*v-want.Variance.Data[i]) > 1e-12*want.Variance.Data[i] {
				t.Errorf("%s: standard error %d: %v of variance %v", kind, i, v, want.Variance.Data[i])
			}
		}
		if !same(slices.Concat(got.Mean[0]...), want.Mean.Data) {
			t.Errorf("%s: %v, want %v", kind, got.Mean, want.Mean.Data)
		}
	}
	a, err := npy.Read(bytes.NewReader(must(t, address+"/impute", "application/x-npy", "text/html, application/x-npy", array)))
	if err != nil || !same(a.Float64s(), want.Mean.Data) || !slices.Equal(a.Shape, []int{1, 6, 5}) {
		t.Errorf("an array: %v, error %v", a, err)
	}
	drawn := must(t, address+"/impute", "application/x-npy", "image/png", array)
	picture, err := png.Decode(bytes.NewReader(drawn))
	if err != nil || picture.Bounds().Dx() != 5 || picture.Bounds().Dy() != 6 {
		t.Fatalf("a picture: error %v", err)
	}
	if err := json.Unmarshal(must(t, address+"/impute?keep-outliers=true", "image/png", "", drawn), &got); err != nil { // nothing is missing
		t.Fatal(err)
	}
	for i, v := range slices.Concat(got.Mean[0]...) {
		if grey, _, _, _ := picture.At(i%5, i/5).RGBA(); v != float64(grey>>8) {
			t.Errorf("pixel %d of a picture: %v, want %v", i, v, grey>>8)
		}
	}
	var table struct {
		Mean [][]float64 `json:"mean"`
	}
	if err := json.Unmarshal(must(t, address+"/latents", "application/json", "application/json", text), &table); err != nil || !same(table.Mean[0][:len(latent.Mu)], latent.Mu) {
		t.Errorf("latent variables %v, want %v, error %v", table.Mean, latent.Mu, err)
	}
	predicted, err := s.model.Predict(s.model.TrainingLatent(2), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(must(t, address+"/predict", "application/json", "", []byte(`{"examples": [2]}`)), &got); err != nil || !close(slices.Concat(got.Mean[0]...), predicted.Mean.Data) {
		t.Errorf("predicted %v, want %v, error %v", got.Mean, predicted.Mean.Data, err)
	}
	status, answer := ask(t, http.MethodGet, address+"/model", "", "", nil)
	var about struct{ Width, Height int }
	if json.Unmarshal(answer, &about); status != http.StatusOK || about.Width != 5 || about.Height != 6 {
		t.Errorf("about the model: %d: %s", status, answer)
	}
	if _, answer = ask(t, http.MethodGet, address+"/metrics", "", "", nil); !strings.Contains(string(answer), "sgplvm_requests_total{path=\"/impute\",code=\"200\"} 5\n") {
		t.Errorf("metrics: %s", answer)
	}
}

// A table of text comes back with its cells as they are, and the empty one as Impute fills it in.
func TestTable(t *testing.T) {
	s, address, _ := start(t, table, 10, time.Minute)
	p, err := s.model.Predict(s.model.TrainingLatent(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	names, cells, o := engine.Names(s.model), []string(nil), sgplvm.Observed{Values: p.Mean.Clone()}
	for k, v := range o.Values.Data {
		if len(names) <= k {
			names = append(names, fmt.Sprint("c", k+1))
		}
		cells = append(cells, fmt.Sprintf("%.3f", v))
		o.Values.Data[k], _ = strconv.ParseFloat(cells[k], 64)
	}
	cells[1], o.Values.Data[1] = "", math.NaN()
	want, _, err := s.model.Impute(t.Context(), o, sgplvm.InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(must(t, address+"/impute", "text/csv; charset=utf-8", "text/csv", []byte(strings.Join(names, ",")+"\n"+strings.Join(cells, ",")+"\n"))), "\n")
	got := strings.Split(lines[1], ",")
	if v, err := strconv.ParseFloat(got[1], 64); err != nil || math.Abs(v-want.Mean.Data[1]) > 0.005*math.Abs(v) || lines[0] != strings.Join(names, ",") {
		t.Errorf("%q, want %v in column 2", lines, want.Mean.Data[1])
	}
	if cells[1] = got[1]; !slices.Equal(got, cells) {
		t.Errorf("cells %q, want %q", got, cells)
	}
}

// close tells whether numbers are those of another order of the same sums.
func close(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) })
}

// At times, a model's predictions are those of LatentAt, and an emulator's outputs those that the program has written; inversion gives back inputs near
// those behind an output, the same in every form of answer.
func TestTimesAndInputs(t *testing.T) {
	s, address, _ := start(t, timed, 10, time.Minute)
	first, last, _ := engine.TimeSpan(s.model, 0)
	at, err := s.model.LatentAt(0, []float64{(first + last) / 2})
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.model.Predict(at[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Appendf(nil, `{"times": [%v]}`, (first+last)/2)
	a, err := npy.Read(bytes.NewReader(must(t, address+"/predict", "application/json", "application/x-npy", body)))
	if err != nil || !close(a.Float64s(), want.Mean.Data) {
		t.Errorf("%v at a time, want %v, error %v", a, want.Mean.Data, err)
	}

	e, address, _ := start(t, emulator, 10, time.Minute)
	columns, _, _ := e.emulator.Inputs()
	in := map[string][]any{}
	for _, c := range columns {
		in[c.Name] = []any{(c.Low + c.High) / 2}
		if c.Levels != nil {
			in[c.Name] = []any{c.Levels[0]}
		}
	}
	text, _ := json.Marshal(map[string]any{"inputs": in})
	output := must(t, address+"/predict", "application/json", "application/x-npy", text)
	var found []sgplvm.Inverted
	if err := json.Unmarshal(must(t, address+"/invert?errors=1e-6", "application/x-npy", "", output), &found); err != nil {
		t.Fatal(err)
	}
	for _, c := range found[0].Columns {
		q := slices.IndexFunc(columns, func(in sgplvm.EmulatorInput) bool { return in.Name == c.Name })
		if middle := (columns[q].Low + columns[q].High) / 2; c.Label == "" && math.Abs(c.Mean-middle) > 4*c.Deviation+0.05*(columns[q].High-columns[q].Low) {
			t.Errorf("input %s: %v ± %v, want %v", c.Name, c.Mean, c.Deviation, middle)
		}
	}
	status, answer := ask(t, http.MethodPost, address+"/invert?errors=1e-6", "application/x-npy", "application/x-npy", output)
	if status != http.StatusNotAcceptable || !strings.Contains(string(answer), "expected application/json or text/csv") {
		t.Errorf("words as an array: %d: %s", status, answer)
	}
	lines := strings.Split(string(must(t, address+"/invert?errors=1e-6", "application/x-npy", "text/csv", output)), "\n")
	for k, name := range strings.Split(lines[0], ",")[:len(found[0].Columns)] {
		c := found[0].Columns[k]
		if v, err := strconv.ParseFloat(strings.Split(lines[1], ",")[k], 64); name != c.Name || c.Label == "" && (err != nil || v != c.Mean) {
			t.Errorf("a table of inputs %q, want %v", lines, c)
		}
	}
}

// The numbers and the fields behind outputs are those of JSON, and of Invert, also as arrays.
func TestInvertedArrays(t *testing.T) {
	y, x := mat.New(20, 4), mat.New(20, 4)
	in := sgplvm.Inputs{Columns: []sgplvm.InputColumn{{Name: "a"}}}
	for i := range 20 {
		in.Columns[0].Numbers = append(in.Columns[0].Numbers, float64(i))
		for k := range 4 {
			x.Set(i, k, math.Sin(float64(i+k)/4))
			y.Set(i, k, math.Cos(float64(i-k)/8)+x.At(i, k))
		}
	}
	for name, in := range map[string]sgplvm.Inputs{"numbers": in, "fields": {Fields: sgplvm.NewSource(x.Data, 20, 4, 1)}} {
		e, err := sgplvm.Emulate(t.Context(), sgplvm.Data{Source: sgplvm.NewSource(y.Data, 20, 4, 1), Grid: sgplvm.Grid{mat.NewDense(4, 1, []float64{0, 1, 2, 3})}, Inputs: &in}, sgplvm.Config{Effort: sgplvm.EffortQuick})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := engine.SaveEmulator(path, e); err != nil {
			t.Fatal(err)
		}
		s, address, _ := start(t, path, 10, time.Minute)
		inverter, err := s.emulator.Inverter(sgplvm.BeliefRuns)
		if err != nil {
			t.Fatal(err)
		}
		r, err := inverter.Invert(t.Context(), y.Row(7), make([]float64, 4), sgplvm.InvertOptions{Draws: engine.InversionDraws(400, "quick")})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, 4)
		if name == "numbers" {
			want = []float64{r.Columns[0].Mean}
		} else {
			r.FieldTo(want)
		}
		a, err := npy.Read(bytes.NewReader(must(t, address+"/invert", "application/x-npy", "application/x-npy", numpy(t, y.Row(7), 1, 4))))
		if err != nil || !slices.Equal(a.Shape, []int{1, len(want)}) || !same(a.Float64s(), want) {
			t.Errorf("%s: %v, want %v, error %v", name, a, want, err)
		}
	}
}

// What is wrong with a request is answered by a line of JSON with the status that says whose fault it is.
func TestRefuses(t *testing.T) {
	s, address, _ := start(t, pictures, 10, time.Minute)
	_, text := seen(s.model)
	for _, c := range []struct {
		method, path, kind, accept, body string
		status                           int
		want                             string
	}{
		{"GET", "/impute", "", "", "", 405, "method GET, expected POST"},
		{"POST", "/impute", "text/html", "", "", 415, "Content-Type text/html, expected"},
		{"POST", "/impute", "application/json", "text/html", string(text), 406, "Accept text/html, expected"},
		{"POST", "/impute?data=/etc/passwd", "application/json", "", string(text), 400, "query data, expected one of"},
		{"POST", "/impute?times=0", "application/json", "", string(text), 400, "without any"},
		{"POST", "/impute", "application/json", "", `{"values": [[1, 2], [3]]}`, 400, "no shape"},
		{"POST", "/impute", "application/json", "", `{"values": [[], [[[[1]]]]]}`, 400, "no shape"},
		{"POST", "/impute", "application/json", "", `{"value": 1}`, 400, "unknown field"},
		{"POST", "/impute", "application/json", "", `{"values": [` + strings.Repeat("1,", 1<<18) + `1]}`, 413, "more than 131072 values"},
		{"POST", "/impute", "application/x-npy", "", strings.Repeat("x", 1<<20+1), 413, "more than 1048576 bytes"},
		{"POST", "/impute", "image/png", "", string(claims(60000, 60000)), 400, "60000×60000 pixels, expected 30 in all"},
		{"POST", "/invert", "application/json", "", string(text), 404, "/impute, /latents and /predict"},
		{"POST", "/predict", "application/json", "", `{"examples": [99]}`, 400, "example 99, expected one from 0"},
		{"GET", "/../../etc/passwd", "", "", "", 404, "no such path"},
		{"GET", "/%2e%2e/model", "", "", "", 404, "no such path"},
	} {
		status, answer := ask(t, c.method, address+c.path, c.kind, c.accept, []byte(c.body))
		var told struct{ Error string }
		if err := json.Unmarshal(answer, &told); err != nil || status != c.status || !strings.Contains(told.Error, c.want) || bytes.Count(answer, []byte("\n")) != 1 || strings.Contains(told.Error, s.folder) {
			t.Errorf("%s %s: %d: %.300s, want %d: %s", c.method, c.path, status, answer, c.status, c.want)
		}
	}
	for name, value := range map[string]string{"Host": "example.com", "Origin": "http://example.com", "Sec-Fetch-Site": "cross-site"} {
		r, _ := http.NewRequest("POST", address+"/impute", bytes.NewReader(text))
		r.Header.Set("Content-Type", "application/json")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if a.Body.Close(); a.StatusCode != http.StatusForbidden {
			t.Errorf("%s %s: %d", name, value, a.StatusCode)
		}
	}
}

// claims is the beginning of a PNG picture of any size.
func claims(width, height uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
	b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, width), height)
	b = append(b, 8, 0, 0, 0, 0)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[12:]))
}

// hostile sends a request that no honest client sends, over a connection of its own.
func hostile(address string, r *rand.Rand, honest []byte) {
	c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		return
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	kinds := []string{"application/json", "application/x-npy", "text/csv", "image/png", "image/jpeg"}
	body := slices.Clone(honest)
	for range 1 + r.IntN(8) {
		body[r.IntN(len(body))] = byte(r.Uint32())
	}
	head := func(length int) {
		fmt.Fprintf(c, "POST /%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", []string{"impute", "latents", "predict"}[r.IntN(3)], kinds[r.IntN(len(kinds))], length)
	}
	switch r.IntN(8) {
	case 0: // bytes
		c.Write(body)
		c.(*net.TCPConn).CloseWrite()
	case 1: // a header without end
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nX: %s", strings.Repeat("a", r.IntN(1<<16)))
		return
	case 2: // a body that ends early
		head(len(body) + 1 + r.IntN(1000))
		c.Write(body)
		return
	case 3: // one that is longer than it says
		head(r.IntN(len(body)))
		c.Write(body)
	case 4: // a path
		fmt.Fprintf(c, "GET /%s/etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", strings.Repeat("../", r.IntN(9)))
	case 5: // a picture's claim
		picture := claims(r.Uint32()>>r.IntN(32), r.Uint32()>>r.IntN(32))
		head(len(picture))
		c.Write(picture)
	default: // a changed body
		head(len(body))
		c.Write(body)
	}
	io.Copy(io.Discard, c)
}

// Requests that no honest client sends leave nothing behind: no file, no goroutine, little memory, and a server that answers.
func TestHostile(t *testing.T) {
	s, address, _ := start(t, pictures, 16, 2*time.Second)
	values, text := seen(s.model)
	bodies := [][]byte{text, numpy(t, values, 1, 6, 5), []byte("a,b\n1,2\n"), claims(5, 6)}
	count := 2_000
	if testing.Short() {
		count = 300
	}
	must(t, address+"/impute", "application/json", "", text)
	http.DefaultClient.CloseIdleConnections()
	before := runtime.NumGoroutine()
	all := make(chan int)
	for k := range 16 {
		go func() {
			r := rand.New(rand.NewPCG(1, uint64(k)))
			for range count / 16 {
				hostile(address, r, bodies[r.IntN(len(bodies))])
			}
			all <- k
		}()
	}
	for range 16 {
		<-all
	}
	must(t, address+"/impute", "application/json", "", text)
	http.DefaultClient.CloseIdleConnections()
	for range 100 {
		if files, err := os.ReadDir(s.folder); err == nil && len(files) == 0 && runtime.NumGoroutine() <= before+2 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	files, err := os.ReadDir(s.folder)
	t.Errorf("%d files left, error %v; %d goroutines, %d before", len(files), err, runtime.NumGoroutine(), before)
}

// Two hundred clients that send most of a large body and then wait take little memory; when their time is over, others are answered.
func TestSlow(t *testing.T) {
	tier.Skip(t, tier.Race)
	s, address, _ := start(t, pictures, 100, 2*time.Second)
	_, text := seen(s.model)
	must(t, address+"/impute", "application/json", "", text)
	http.DefaultClient.CloseIdleConnections()
	memory := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	before := memory()
	part := make([]byte, 600<<10)
	for range 200 {
		c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		go func() {
			fmt.Fprintf(c, "POST /impute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-npy\r\nContent-Length: %d\r\n\r\n", 1<<20)
			c.Write(part)
		}()
	}
	for begin := time.Now(); time.Since(begin) < 20*time.Second; time.Sleep(time.Millisecond) { // until most of the first hundred bodies have arrived
		if bodies, _ := filepath.Glob(filepath.Join(s.folder, "*body.npy")); len(bodies) >= 90 {
			break
		}
	}
	grown := int64(memory()) - int64(before)
	if t.Logf("200 slow clients take %d bytes", grown); grown > 24<<20 { // 64 KiB a connection and 200 goroutines of the test; the bodies are 120 MB
		t.Errorf("200 slow clients take %d bytes", grown)
	}
	must(t, address+"/impute", "application/json", "", text)
}

// A server that is told to end answers what it is working on, and then ends.
func TestEnd(t *testing.T) {
	s, address, end := start(t, pictures, 10, time.Minute)
	_, text := seen(s.model)
	s.slots <- struct{}{}
	s.slots <- struct{}{}
	answered := make(chan int)
	go func() {
		a, err := http.Post(address+"/impute", "application/json", bytes.NewReader(text))
		if err != nil {
			answered <- 0
			return
		}
		a.Body.Close()
		answered <- a.StatusCode
	}()
	for { // until the request waits for a processor
		if files, _ := filepath.Glob(filepath.Join(s.folder, "*body.json")); len(files) == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	ended := make(chan error)
	go func() { ended <- end() }()
	time.Sleep(20 * time.Millisecond)
	<-s.slots
	<-s.slots
	if status, err := <-answered, <-ended; status != http.StatusOK || err != nil {
		t.Errorf("status %d, error %v", status, err)
	}
	if _, err := http.Get(address); err == nil {
		t.Error("answers after its end")
	}
}

// The command line's mistakes are told in one line.
func TestCommandLine(t *testing.T) {
	p := clitest.Program{Name: "sgplvm-serve", Commands: func() []cli.Command { return commands }}
	p.Fail(t, cli.ExitUsage, "~serve: -model is missing, expected .*", "serve")
	p.Fail(t, cli.ExitUsage, `serve: -address "x", expected HOST:PORT`, "serve", "-model", pictures, "-address", "x")
	p.Fail(t, cli.ExitFailed, "~nothing: .*", "serve", "-model", "nothing")
	if code, help, _ := p.Run("serve", "-h"); code != 0 || !strings.Contains(help, "-connections number") {
		t.Errorf("help: code %d\n%s", code, help)
	}
}

// Filling in by Model.ImputeTo, and by requests for one picture and for 32, from as many clients as there are processors: pictures a second.
func BenchmarkImpute(b *testing.B) {
	s, address, _ := start(b, cmp.Or(os.Getenv("SERVE_MODEL"), pictures), 100, time.Minute)
	grid := s.model.Grid()
	p, err := s.model.Predict(s.model.TrainingLatent(1), nil)
	if err != nil {
		b.Fatal(err)
	}
	values := slices.Clone(p.Mean.Data)
	for i := range len(values) / 2 {
		values[i] = math.NaN()
	}
	each := func(name string, pictures int, once func()) {
		b.Run(name, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					once()
				}
			})
			b.ReportMetric(float64(b.N*pictures)/b.Elapsed().Seconds(), "pictures/s")
		})
	}
	each("ImputeTo", 1, func() {
		var p sgplvm.Prediction
		var l sgplvm.Latent
		if err := s.model.ImputeTo(b.Context(), &p, &l, sgplvm.Observed{Values: mat.NewDense(grid.Len(), len(values)/grid.Len(), values)}, sgplvm.InferOptions{}); err != nil {
			b.Fatal(err)
		}
	})
	for _, count := range []int{1, 32} {
		body := numpy(b, slices.Repeat(values, count), count, len(values))
		for _, accept := range []string{"application/x-npy", "application/json"} {
			each(fmt.Sprintf("%d/%s", count, accept), count, func() { must(b, address+"/impute", "application/x-npy", accept, body) })
		}
	}
}
