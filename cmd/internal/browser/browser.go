// Package browser lets tests look at pages in a headless Chromium. Tests alone import it.
package browser

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Browser is a headless Chromium that is spoken to through a pipe, by its DevTools protocol: messages of JSON that end in a
// zero byte.
type Browser struct {
	t       *testing.T
	in      io.WriteCloser
	session string
	last    int

	mu       sync.Mutex
	waiting  map[int]chan json.RawMessage
	loaded   chan bool
	from     string   // the address of the page
	problems []string // errors and warnings of the page
}

// New starts a browser and ends it with the test, which it skips where there is none.
func New(t *testing.T) *Browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium here: the page is not tried")
	}
	toBrowser, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser} // 3 and 4
	if err := cmd.Start(); err != nil {
		t.Skip("chromium does not start: ", err)
	}
	toBrowser.Close()
	fromBrowser.Close()
	b := &Browser{t: t, in: in, waiting: map[int]chan json.RawMessage{}, loaded: make(chan bool, 10)}
	go b.read(out)
	t.Cleanup(func() {
		b.send("", "Browser.close", nil)
		in.Close()
		timer := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		timer.Stop()
		out.Close()
	})
	var target struct{ TargetID string }
	b.Call(&target, "Target.createTarget", map[string]any{"url": "about:blank"})
	var attached struct{ SessionID string }
	b.Call(&attached, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true})
	b.session = attached.SessionID
	for _, domain := range []string{"Page.enable", "Runtime.enable", "Log.enable", "Network.enable"} {
		b.Call(nil, domain, nil)
	}
	return b
}

// read takes what the browser says, until it ends.
func (b *Browser) read(out io.Reader) {
	r := bufio.NewReader(out)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID     int
			Method string
			Params json.RawMessage
			Result json.RawMessage
			Error  json.RawMessage
		}
		if json.Unmarshal(bytes.TrimRight(text, "\x00"), &m) != nil {
			continue
		}
		b.mu.Lock()
		switch {
		case m.ID != 0:
			if m.Error != nil {
				m.Result = fmt.Appendf(nil, `{"failure": %s}`, m.Error)
			}
			b.waiting[m.ID] <- m.Result
			delete(b.waiting, m.ID)
		case m.Method == "Page.loadEventFired":
			b.loaded <- true
		case m.Method == "Runtime.exceptionThrown", m.Method == "Runtime.consoleAPICalled", m.Method == "Log.entryAdded":
			b.problems = append(b.problems, string(m.Params))
		case m.Method == "Network.requestWillBeSent" && !b.own(m.Params):
			b.problems = append(b.problems, "asks the network: "+string(m.Params))
		}
		b.mu.Unlock()
	}
}

// own tells whether a page asks a file, itself or its own server.
func (b *Browser) own(params json.RawMessage) bool {
	var asked struct{ Request struct{ URL string } }
	json.Unmarshal(params, &asked)
	from := func(prefix string) bool { return strings.HasPrefix(asked.Request.URL, prefix) }
	return from("file:") || from("data:") || from("blob:") || strings.HasPrefix(b.from, "http:") && from(b.from)
}

// send sends a command and returns where its answer will come.
func (b *Browser) send(session, method string, params any) chan json.RawMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	answer := make(chan json.RawMessage, 1)
	b.waiting[b.last] = answer
	message := map[string]any{"id": b.last, "method": method}
	if params != nil {
		message["params"] = params
	}
	if session != "" {
		message["sessionId"] = session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.t.Error(err)
	}
	b.in.Write(append(text, 0))
	return answer
}

// Call sends a command and waits for the answer.
func (b *Browser) Call(into any, method string, params any) {
	b.t.Helper()
	select {
	case answer := <-b.send(b.session, method, params):
		if bytes.Contains(answer[:min(len(answer), 12)], []byte(`"failure"`)) {
			b.t.Fatalf("%s: %s", method, answer)
		}
		if into != nil {
			if err := json.Unmarshal(answer, into); err != nil {
				b.t.Fatalf("%s: %v: %.300s", method, err, answer)
			}
		}
	case <-time.After(60 * time.Second):
		b.t.Fatalf("%s: no answer", method)
	}
}

// Open shows a file, or what is at an address http://…, in a window of some size.
func (b *Browser) Open(path string, width, height int) {
	b.t.Helper()
	b.Call(nil, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	address := path
	if !strings.HasPrefix(path, "http://") {
		path, err := filepath.Abs(path)
		if err != nil {
			b.t.Fatal(err)
		}
		address = "file://" + path
	}
	b.mu.Lock()
	b.from = address
	b.mu.Unlock()
	b.Call(nil, "Page.navigate", map[string]any{"url": address})
	select {
	case <-b.loaded:
	case <-time.After(60 * time.Second):
		b.t.Fatal("the page did not load")
	}
	b.Frame()
}

// Frame waits until the page has drawn.
func (b *Browser) Frame() {
	b.t.Helper()
	b.Run(nil, "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
}

// Run evaluates an expression in the page.
func (b *Browser) Run(into any, expression string) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.Call(&answer, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true})
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s: %.500s", expression, answer.ExceptionDetails)
	}
	if into != nil {
		if err := json.Unmarshal(answer.Result.Value, into); err != nil {
			b.t.Fatalf("%s: %v", expression, err)
		}
	}
}

// Point moves the pointer to a place of an element, in shares of its width and height, and waits for what that draws.
func (b *Browser) Point(id string, across, down float64) {
	b.t.Helper()
	var at []float64
	b.Run(&at, fmt.Sprintf("(() => { const e = document.getElementById(%q); e.scrollIntoView({ block: 'center' }); const r = e.getBoundingClientRect(); return [r.left + r.width * %v, r.top + r.height * %v]; })()", id, across, down))
	b.Call(nil, "Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at[0], "y": at[1]})
	b.Frame()
}

// Press presses a key.
func (b *Browser) Press(key string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.Call(nil, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key})
	}
	b.Frame()
}

// Pixels returns what a canvas shows, as text.
func (b *Browser) Pixels(id string) (text string) {
	b.t.Helper()
	b.Run(&text, fmt.Sprintf("document.getElementById(%q).toDataURL()", id))
	return text
}

// Shoot writes a picture of an element, or of its beginning where it is higher than most, at some scale.
func (b *Browser) Shoot(path, element string, most, scale float64) {
	b.t.Helper()
	var r []float64
	b.Run(&r, fmt.Sprintf("(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.left + scrollX, r.top + scrollY, r.width, r.height]; })()", element))
	var shot struct{ Data string }
	b.Call(&shot, "Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "clip": map[string]any{"x": r[0], "y": r[1], "width": r[2], "height": min(r[3], most), "scale": scale}})
	picture, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(path, picture, 0o666)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// Check fails the test where the page has complained or asked the network.
func (b *Browser) Check() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("%.500s", p)
	}
	b.problems = nil
}
