// Package scenarios holds what comes with the program of the shipped scenarios:
// what a new scenario on Ray needs beside its own file.
package scenarios

import "embed"

// Ray are the image and the application that the template ray-ha uses, by their
// paths beside a scenario.
//
//go:embed images/ray apps/pid.py apps/pid.yaml
var Ray embed.FS
