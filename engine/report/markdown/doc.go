// Package markdown writes how a run went as a page: a table of the variants, and
// why those failed that did. GitHub shows it as the summary of a step. It knows
// nothing but what outcome has gathered.
package markdown
