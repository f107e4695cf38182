package engine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// wantConfig says what the file of a configuration is.
const wantConfig = "a configuration, JSON"

// ReadConfig reads a configuration from a file.
func ReadConfig(path string) (sgplvm.Config, error) {
	file, err := os.Open(path)
	if err != nil {
		return sgplvm.Config{}, &dataset.Error{Path: path, Err: err, Want: wantConfig}
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return sgplvm.Config{}, &dataset.Error{Path: path, Found: "a folder", Want: wantConfig}
	}
	cfg, err := sgplvm.ReadConfig(file)
	if err != nil {
		return cfg, fmt.Errorf("%s: %w", path, err)
	}
	return cfg, nil
}

// WriteConfig writes the configuration that reproduces the model in a file.
func WriteConfig(path, model string, m *sgplvm.Model) error {
	cfg, ok := m.Config()
	if !ok {
		return fmt.Errorf("%s: a model whose file has no configuration", model)
	}
	return files.WriteAtomic(path, func(w io.Writer) error { return sgplvm.WriteConfig(w, cfg) })
}

// AboutConfig returns the name in JSON of the field of a configuration that an error is about, and what is wrong with it;
// ok is false where it is about something else.
func AboutConfig(err error) (field string, why error, ok bool) {
	var bad *sgplvm.ConfigError
	if !errors.As(err, &bad) {
		return "", nil, false
	}
	if bad.Field == "Config" { // of all of it together
		return "configuration", bad.Err, true
	}
	var names []string
	in := reflect.TypeFor[sgplvm.Config]()
	for part := range strings.SplitSeq(bad.Field, ".") {
		if in.Kind() == reflect.Pointer {
			in = in.Elem()
		}
		if in.Kind() != reflect.Struct {
			return "", nil, false
		}
		f, found := in.FieldByName(part)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !found || name == "" || name == "-" {
			return "", nil, false
		}
		names, in = append(names, name), f.Type
	}
	return strings.Join(names, "."), bad.Err, true
}
