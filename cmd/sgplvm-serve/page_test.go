package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/browser"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

var screens = flag.String("screens", "", "the `folder` for pictures of the pages in two windows")

// settled waits until the page shows what was asked for, and returns what it says.
func settled(b *browser.Browser) (text string) {
	b.Run(&text, "(async () => { do await new Promise(done => setTimeout(done, 20)); while (running || refining || document.getElementById('state').textContent.startsWith('Loading')); return document.getElementById('state').textContent; })()")
	return text
}

// tried tries a page of pictures in two windows: it is as wide as the window, and pointer and keyboard scratch the picture, which is filled in.
func tried(t *testing.T, b *browser.Browser, address, name string) {
	for _, width := range []int{1280, 390} {
		b.Open(address, width, 900)
		if text := settled(b); !strings.HasPrefix(text, "0 of ") {
			t.Fatalf("%s: %s", name, text)
		}
		var wide int
		if b.Run(&wide, "document.documentElement.scrollWidth"); wide > width {
			t.Errorf("%s: %d pixels wide in a window of %d", name, wide, width)
		}
		for what, do := range map[string]func(){
			"the pointer": func() {
				b.Point("seen", 0.5, 0.3)
				b.Run(nil, "(() => { const e = document.getElementById('seen'), r = e.getBoundingClientRect(), at = k => ({ clientX: r.left + r.width * 0.4, clientY: r.top + r.height * 0.2 * k, buttons: 1, pointerId: 1 }); e.setPointerCapture = () => 0; e.dispatchEvent(new PointerEvent('pointerdown', at(1))); e.dispatchEvent(new PointerEvent('pointermove', at(3))); })()")
			},
			"the keyboard": func() {
				b.Run(nil, "document.getElementById('seen').focus()")
				b.Press("ArrowDown")
				b.Press(" ")
			},
		} {
			b.Run(nil, "document.getElementById('restore').click()")
			settled(b)
			before, deviations := b.Pixels("seen"), b.Pixels("deviation")
			do()
			if text := settled(b); strings.HasPrefix(text, "0 of ") || b.Pixels("seen") == before || b.Pixels("deviation") == deviations {
				t.Errorf("%s: %s changes nothing: %s", name, what, text)
			}
		}
		b.Run(nil, "(() => { const e = document.getElementById('state'); said = []; new MutationObserver(() => said.push(e.textContent)).observe(e, { childList: true }); document.getElementById('half').click(); })()")
		t.Log(name, settled(b))
		var said []string // what takes long is sketched first, and exact at the end
		b.Run(&said, "said")
		if sketched := strings.Contains(strings.Join(said, ""), "nearly"); sketched != (name == "alone") || strings.Contains(said[len(said)-1], "nearly") {
			t.Errorf("%s: said %q", name, said)
		}
		if *screens != "" {
			b.Shoot(filepath.Join(*screens, fmt.Sprintf("%s-%d.png", name, width)), "html", 2000, 1)
		}
	}
	b.Check()
}

// moved tries a page of an emulator: each input changes the output.
func moved(t *testing.T, b *browser.Browser, name string) {
	if text := settled(b); !strings.HasPrefix(text, "Predicted") {
		t.Fatalf("%s: %s", name, text)
	}
	before := b.Pixels("filled")
	b.Run(nil, "(() => { const e = document.querySelector('#sliders input'); e.value = e.max; e.dispatchEvent(new Event('input')); })()")
	if text := settled(b); b.Pixels("filled") == before {
		t.Errorf("%s: an input changes nothing: %s", name, text)
	}
	if *screens != "" {
		b.Shoot(filepath.Join(*screens, name+".png"), "html", 2000, 1)
	}
	b.Check()
}

// The page of a server fills in by its model, or predicts by its emulator. With an engine in it the page does so from a file, by the model in it and by a compiled
// file that is dropped, and has at most 1.3 MB when packed.
func TestPage(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	b := browser.New(t)
	_, address, _ := start(t, pictures, 10, time.Minute)
	tried(t, b, address+"/", "served")
	_, address, _ = start(t, emulator, 10, time.Minute)
	b.Open(address+"/", 1000, 800)
	moved(t, b, "served-emulator")
	if testing.Short() {
		return // what follows compiles for another architecture
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "page.html")
	if out, err := exec.Command("../../.ci/page", path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(file)
	if w.Close(); packed.Len() > 1_300_000 {
		t.Errorf("the page has %d bytes when packed, expected at most 1.3 MB", packed.Len())
	}
	tried(t, b, path, "alone")
	e, err := engine.LoadEmulator(emulator)
	if err != nil {
		t.Fatal(err)
	}
	compiled, _ := json.Marshal(base64.StdEncoding.EncodeToString(e.Compile(edge.Float64, e.Attributes()["grid"])))
	b.Run(nil, fmt.Sprintf("opened(new Blob([Uint8Array.from(atob(%s), c => c.charCodeAt(0))]))", compiled))
	moved(t, b, "alone-emulator")
	var blank bool // the picture of the model before, which may still hear that it is left
	b.Run(&blank, "(() => { const e = document.getElementById('seen'), empty = Object.assign(document.createElement('canvas'), { width: e.width, height: e.height }); e.onblur(); return e.toDataURL() === empty.toDataURL(); })()")
	if b.Check(); !blank {
		t.Error("a picture of the model before is shown")
	}
}
