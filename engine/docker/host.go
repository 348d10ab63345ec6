package docker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// hostFromContext returns the daemon's address of the context that the docker
// command would use, or "" for its default. DOCKER_HOST comes before contexts;
// the client reads it itself.
func hostFromContext(getenv func(string) string) (string, error) {
	if getenv("DOCKER_HOST") != "" {
		return "", nil
	}
	dir := getenv("DOCKER_CONFIG")
	if dir == "" {
		dir = filepath.Join(getenv("HOME"), ".docker")
	}
	name := getenv("DOCKER_CONTEXT")
	if name == "" {
		var config struct{ CurrentContext string }
		if err := readJSON(filepath.Join(dir, "config.json"), &config); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		name = config.CurrentContext
	}
	if name == "" || name == "default" {
		return "", nil
	}
	// The docker command keeps a context under the hash of its name.
	hash := sha256.Sum256([]byte(name))
	id := hex.EncodeToString(hash[:])
	var meta struct {
		Endpoints map[string]struct{ Host string }
	}
	if err := readJSON(filepath.Join(dir, "contexts", "meta", id, "meta.json"), &meta); err != nil {
		return "", fmt.Errorf("docker context %s: %w", name, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "contexts", "tls", id)); err == nil {
		return "", fmt.Errorf("docker context %s uses certificates of its own: set DOCKER_HOST and DOCKER_CERT_PATH instead", name)
	}
	return meta.Endpoints["docker"].Host, nil
}

func readJSON(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
