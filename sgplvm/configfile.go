package sgplvm

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/strict"
)

// maxConfig is how many bytes a configuration has at most.
const maxConfig = 1 << 20

// ReadConfig reads a Config from JSON, whose fields docs/config.md lists. Unknown fields, fields given twice and
// values of another type are errors, as is anything behind the object. Errors: *ConfigError whose Field is the name in
// JSON, as "residual.rounds"; others for what is no JSON, and those of r.
func ReadConfig(r io.Reader) (Config, error) {
	var cfg Config
	text, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	switch {
	case err != nil:
	case len(text) > maxConfig:
		err = fmt.Errorf("more than %d bytes, expected a configuration as JSON", maxConfig)
	default:
		if err = strict.Read(text, &cfg); err != nil {
			cfg = Config{}
		}
	}
	return cfg, err
}

// WriteConfig writes a Config as indented JSON that ReadConfig reads.
func WriteConfig(w io.Writer, cfg Config) error {
	text, err := json.MarshalIndent(cfg, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
