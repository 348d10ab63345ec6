package lang

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// What the language's own blocks take, in the same terms as the vocabulary's.
var (
	scenarioArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "description", Type: cty.String, Doc: "What it shows, in a sentence."},
		{Name: "tags", Type: cty.List(cty.String), Doc: "For filters."},
		{Name: "timeout", Type: cty.String, Default: cty.StringVal("10m"), Check: schema.CheckPositiveDuration, Doc: "Time limit of a run."},
		{Name: "cleanup_timeout", Type: cty.String, Default: cty.StringVal("2m"), Check: schema.CheckPositiveDuration, Doc: "Time limit of cleanup."},
		{Name: "seed", Type: cty.Number, Check: checkWhole, Doc: "Decides what `pick` chooses; drawn for each run without it."},
	}}
	variableArgs = schema.Object{
		Attrs: []schema.Attr{
			{Name: "type", Type: cty.DynamicPseudoType, Doc: "A type, such as string or list(number)."},
			{Name: "default", Type: cty.DynamicPseudoType, Doc: "The value without another."},
			{Name: "description", Type: cty.String, Doc: "What it is for."},
			{Name: "sensitive", Type: cty.Bool, Default: cty.False, Doc: "Whether it is kept out of all output."},
		},
		Blocks: []schema.Block{{Name: "validation", Repeated: true, Doc: "What a value must meet.", Body: schema.Object{Attrs: []schema.Attr{
			{Name: "condition", Type: cty.Bool, Required: true, Doc: "True for a good value."},
			{Name: "error_message", Type: cty.String, Required: true, Doc: "What a person reads otherwise."},
		}}}},
	}
	imageArgs = schema.Object{
		Attrs: []schema.Attr{{Name: "pull", Type: cty.String, Check: checkNotEmpty, Doc: "The reference of an image of a registry."}},
		Blocks: []schema.Block{{Name: "build", Doc: "How it is built.", Body: schema.Object{Attrs: []schema.Attr{
			{Name: "context", Type: cty.String, Required: true, Doc: "Directory, relative to the file."},
			{Name: "dockerfile", Type: cty.String, Default: cty.StringVal("Dockerfile"), Doc: "File, relative to the context."},
			{Name: "args", Type: cty.Map(cty.String), Doc: "Build arguments."},
			{Name: "target", Type: cty.String, Doc: "Stage to build."},
		}}}},
	}
	networkArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "subnet", Type: cty.String, Check: checkSubnet, Doc: "Such as 10.20.0.0/24; chosen without it."},
		{Name: "internal", Type: cty.Bool, Default: cty.False, Doc: "Whether it has no way out."},
		{Name: "driver", Type: cty.String, Doc: "How it is made; the place's usual way without it."},
	}}
	volumeArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "size", Type: cty.String, Check: schema.CheckSize, Doc: "Makes it a tmpfs of that size."},
	}}
	assertArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "condition", Type: cty.Bool, Required: true, Doc: "What must hold."},
		{Name: "within", Type: cty.String, Check: schema.CheckPositiveDuration, Doc: "Retry until it holds or the time is over."},
		{Name: "every", Type: cty.String, Default: cty.StringVal("200ms"), Check: schema.CheckPositiveDuration, Doc: "Poll interval."},
		{Name: "hold", Type: cty.String, Check: schema.CheckPositiveDuration, Doc: "It must then stay true that long."},
		{Name: "throughout", Ref: schema.RefStep, Doc: "A background step: it must stay true until that ends."},
		{Name: "error_message", Type: cty.String, Doc: "What a person reads when it fails."},
	}}
	repeatArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "times", Type: cty.Number, Required: true, Check: checkCount, Doc: "How many rounds."},
	}}
	outputArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "value", Type: cty.DynamicPseudoType, Required: true, Doc: "What is reported."},
		{Name: "description", Type: cty.String, Doc: "What it means."},
		{Name: "sensitive", Type: cty.Bool, Default: cty.False, Doc: "Whether it is kept out of all output."},
	}}
)

// Meta-arguments, by who takes them.
var (
	afterArg  = schema.Attr{Name: "after", Ref: schema.RefSteps, Doc: "Steps to wait for, in place of everything above."}
	manyArgs  = schema.Object{Attrs: []schema.Attr{{Name: "count", Type: cty.Number, Check: checkCount, Doc: "How many."}, {Name: "for_each", Type: cty.DynamicPseudoType, Doc: "One for each element."}}}
	orderArgs = schema.Object{Attrs: []schema.Attr{
		afterArg,
		{Name: "background", Type: cty.Bool, Default: cty.False, Doc: "The next step does not wait for it."},
		{Name: "description", Type: cty.String, Doc: "For people."},
		{Name: "tags", Type: cty.List(cty.String), Doc: "For filters."},
	}}
	whenArgs    = schema.Object{Attrs: []schema.Attr{{Name: "when", Type: cty.Bool, Doc: "False: it is skipped."}}}
	failureArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "on_failure", Type: cty.String, Default: cty.StringVal("stop"), Enum: []string{"stop", "continue"}, Doc: "What a failure does to the rest."},
	}}
	attemptArgs = schema.Object{
		Attrs: []schema.Attr{
			{Name: "timeout", Type: cty.String, Check: schema.CheckPositiveDuration, Doc: "Time limit of one attempt."},
		},
		Blocks: []schema.Block{
			{Name: "retry", Doc: "Tries again after a failure.", Body: schema.Object{Attrs: []schema.Attr{
				{Name: "attempts", Type: cty.Number, Required: true, Check: checkAttempts, Doc: "How many in all."},
				{Name: "backoff", Type: cty.String, Default: cty.StringVal("0s"), Check: schema.CheckDuration, Doc: "Pause between two."},
			}}},
			{Name: "expect_error", Doc: "It must fail.", Body: schema.Object{Attrs: []schema.Attr{
				{Name: "match", Type: cty.String, Default: cty.StringVal(""), Check: schema.CheckRegexp, Doc: "Regular expression that the error must match."},
			}}},
		},
	}

	actionMeta   = manyArgs.And(orderArgs, whenArgs, failureArgs, attemptArgs)
	assertMeta   = manyArgs.And(orderArgs, whenArgs, failureArgs)
	workloadMeta = manyArgs.And(orderArgs, whenArgs)
	repeatMeta   = orderArgs
)

const (
	maxVariants  = 10_000
	maxInstances = 1_000
	maxRounds    = 10_000
)

// laterArgument explains the absence of an argument that people may expect.
func laterArgument(block, name string) string {
	if block != rootRepeat {
		return ""
	}
	switch name {
	case "for":
		return "This version repeats a number of times; write times = N."
	case "when", "on_failure":
		return "Write it on the steps inside."
	}
	return ""
}

func checkWhole(v cty.Value) error {
	if !v.AsBigFloat().IsInt() {
		return fmt.Errorf("must be a whole number")
	}
	return nil
}

func checkCount(v cty.Value) error {
	if err := checkWhole(v); err != nil {
		return err
	}
	if v.AsBigFloat().Sign() < 0 {
		return fmt.Errorf("must not be negative")
	}
	return nil
}

func checkAttempts(v cty.Value) error {
	if err := checkWhole(v); err != nil {
		return err
	}
	if v.LessThan(cty.NumberIntVal(1)).True() {
		return fmt.Errorf("must be 1 or more")
	}
	return nil
}

func checkNotEmpty(v cty.Value) error {
	if v.AsString() == "" {
		return fmt.Errorf("must not be empty")
	}
	return nil
}
