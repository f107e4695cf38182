package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
)

// release is the version of the program, as that of the Python package.
const release = "0.1.0"

// versionText is what the program is, for people and for scripts.
type versionText struct {
	Version     string `json:"version"`
	Revision    string `json:"revision,omitempty"`
	Time        string `json:"time,omitempty"` // of the revision
	Modified    bool   `json:"modified"`       // something was changed since
	Instruction string `json:"instructions"`   // in use: generic, avx2, avx512 or neon
	Go          string `json:"go"`
	Platform    string `json:"platform"`
}

// builtAs is what the program knows of itself.
func builtAs() versionText {
	v := versionText{Version: release, Instruction: asm.Level(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

func version(_ context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "version", `sgplvm version [-json]

Prints the version, the build, the instruction set in use and Go. Results depend on the instruction set in
their last bits; KRONFIELD_ISA=generic, avx2, avx512 or neon forces one.`)
	asJSON := f.JSON()
	f.Everyday("json")
	f.Examples("sgplvm version", "sgplvm version -json")
	if err := f.Read(args); err != nil {
		return err
	}
	v := builtAs()
	if *asJSON {
		return e.PrintJSON(v)
	}
	build := cmp.Or(v.Revision, "unknown")
	if v.Time != "" {
		build += " of " + v.Time
	}
	if v.Modified {
		build += ", modified"
	}
	_, err := fmt.Fprintf(e.Stdout, "sgplvm %s\nbuild %s\ninstruction set %s\n%s %s\n", v.Version, build, v.Instruction, v.Go, v.Platform)
	return err
}
