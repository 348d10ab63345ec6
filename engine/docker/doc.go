// Package docker is a runtime.Runtime on the Docker API, from 1.41 on.
//
// It exists so that nothing else in the project knows Docker: a node is a
// container here, an address in the file is a label, and what the daemon says
// becomes an error of package runtime. It must not know what a scenario, a
// step or a fault is. It keeps no state that another process would need:
// everything that is made carries labels, and is found again by them.
package docker
