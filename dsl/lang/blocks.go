package lang

import (
	"fmt"
	"math"
	"math/big"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// What the language's own blocks take, in the same terms as the vocabulary's.
var (
	scenarioArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "description", Type: cty.String, Doc: "What the scenario shows, in a sentence; it heads the timeline."},
		{Name: "tags", Type: cty.List(cty.String), Doc: "Words to choose scenarios by."},
		{Name: "timeout", Type: cty.String, Default: cty.StringVal("10m"), Format: schema.PositiveDuration, Doc: "Time limit of one variant; cleanup has one of its own."},
		{Name: "cleanup_timeout", Type: cty.String, Default: cty.StringVal("2m"), Format: schema.PositiveDuration, Doc: "Time limit of the `cleanup` block, which runs whatever became of the steps."},
		{Name: "seed", Type: cty.Number, Check: checkSeed, Doc: "A whole number that decides what `pick` chooses. Without it each run draws one and prints it."},
	}}
	fileArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "include", Type: cty.List(cty.String), Doc: "Libraries whose blocks are taken in, as if they stood above the file's own: plain strings, relative to the file."},
	}}
	variableArgs = schema.Object{
		Attrs: []schema.Attr{
			{Name: "type", Type: cty.DynamicPseudoType, Doc: "The type of the value, such as `string`, `list(number)` or `object({ name = string })`; `any` or left out, whatever is given."},
			{Name: "default", Type: cty.DynamicPseudoType, Doc: "The value if none is given; without a default one must be."},
			{Name: "description", Type: cty.String, Doc: "What it is for."},
			{Name: "sensitive", Type: cty.Bool, Default: cty.False, Doc: "Whether the value is replaced by `(sensitive)` wherever it turns up."},
		},
		Blocks: []schema.Block{validationOf("it may use `var.NAME` of this variable.")},
	}
	defineArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "description", Type: cty.String, Doc: "What it does, in a sentence."},
	}}
	paramArgs = schema.Object{
		Attrs: []schema.Attr{
			{Name: "type", Type: cty.DynamicPseudoType, Doc: "A type, such as string or list(number); node, list(node), workload, step or fault."},
			{Name: "default", Type: cty.DynamicPseudoType, Doc: "The value when a use leaves it out; without one a use must give it."},
			{Name: "description", Type: cty.String, Doc: "What it is for."},
		},
		Blocks: []schema.Block{validationOf("it may use `param.NAME` of this param.")},
	}
	imageArgs = schema.Object{
		Attrs: []schema.Attr{{Name: "pull", Type: cty.String, Check: schema.CheckImage, Doc: "The reference of an image, such as `nginx:1.29`. One that the place where nodes live already has is used as it is."}},
		Blocks: []schema.Block{{Name: "build", Doc: "The image is built from a directory.", Body: schema.Object{Attrs: []schema.Attr{
			{Name: "context", Type: cty.String, Required: true, Doc: "Directory, relative to the file."},
			{Name: "dockerfile", Type: cty.String, Default: cty.StringVal("Dockerfile"), Doc: "The Dockerfile, relative to the context."},
			{Name: "args", Type: cty.Map(cty.String), Doc: "Values of the Dockerfile's `ARG`s."},
			{Name: "target", Type: cty.String, Doc: "The stage to build; without it, the last."},
		}}}},
	}
	networkArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "subnet", Type: cty.String, Check: checkSubnet, Doc: "The addresses of its nodes, such as `10.20.0.0/24`. Without it a free subnet is chosen."},
		{Name: "internal", Type: cty.Bool, Default: cty.False, Doc: "Whether nodes on it can reach nothing outside it."},
		{Name: "driver", Type: cty.String, Doc: "The driver of the network; without it, the usual one of the place where nodes live."},
	}}
	volumeArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "size", Type: cty.String, Format: schema.Size, Check: schema.CheckMemoryDisk, Doc: "Makes it a file system in memory of that size. Without it, it is as large as the disk."},
	}}
	assertArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "condition", Type: cty.Bool, Required: true, Doc: "What must hold."},
		{Name: "within", Type: cty.String, Format: schema.PositiveDuration, Doc: "Evaluate it again and again until it is true, at most this long. Without it, one evaluation decides."},
		{Name: "every", Type: cty.String, Default: cty.StringVal("200ms"), Format: schema.PositiveDuration, Doc: "The time between two evaluations."},
		{Name: "hold", Type: cty.String, Format: schema.PositiveDuration, Lasts: true, Doc: "Once true, it must stay true this long."},
		{Name: "throughout", Ref: schema.RefStep, Doc: "A step in the background, a workload or a fault: the condition must stay true until that ends."},
		{Name: "error_message", Type: cty.String, Doc: "What a person reads when it fails, in place of a standard sentence."},
	}}
	repeatArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "times", Type: cty.Number, Check: checkCount, Doc: "How many rounds there are."},
		{Name: "for", Type: cty.String, Format: schema.PositiveDuration, Doc: "How long new rounds begin; the one that runs then is finished. In place of `times`."},
	}}
	outputArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "value", Type: cty.DynamicPseudoType, Required: true, Doc: "The value to report, evaluated after the last step."},
		{Name: "description", Type: cty.String, Doc: "What the value means."},
		{Name: "sensitive", Type: cty.Bool, Default: cty.False, Doc: "Whether the value is replaced by `(sensitive)` wherever it turns up."},
	}}
)

// Meta-arguments, by who takes them.
var (
	afterArg  = schema.Attr{Name: "after", Ref: schema.RefSteps, Doc: "The steps to wait for, instead of everything above. They must have finished, which a fault with `for` has when it is healed: what is to happen during it waits for the step before it, or the fault has no `for` and a `heal` ends it. `[]` waits for nothing."}
	manyArgs  = schema.Object{Attrs: []schema.Attr{{Name: "count", Type: cty.Number, Check: checkCount, Doc: "How many instances there are. In the block, `count.index` is the number of each, from 0."}, {Name: "for_each", Type: cty.DynamicPseudoType, Doc: "One instance for each element of a list, set or map. How many there are, and their keys, must be known before anything runs; the elements may come later. That of a node refers to no step. In the block, `each.key` and `each.value` are the element."}}}
	orderArgs = schema.Object{Attrs: []schema.Attr{
		afterArg,
		{Name: "background", Type: cty.Bool, Default: cty.False, Doc: "Whether the steps below go on without waiting for its end. What refers to its results waits all the same."},
		{Name: "description", Type: cty.String, Doc: "What it is for, in a sentence."},
		{Name: "tags", Type: cty.List(cty.String), Doc: "Words to find it by."},
	}}
	whenArgs    = schema.Object{Attrs: []schema.Attr{{Name: "when", Type: cty.Bool, Doc: "If false, the step is skipped, and its results are null."}}}
	failureArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "on_failure", Type: cty.String, Default: cty.StringVal("stop"), Enum: []string{"stop", "continue"}, Doc: "What its failure does to the rest: `stop` starts nothing more and goes on to cleanup, `continue` fails the scenario only at its end."},
	}}
	timeoutArgs = schema.Object{Attrs: []schema.Attr{
		{Name: "timeout", Type: cty.String, Format: schema.PositiveDuration, Doc: "Time limit of one attempt; of a repeat, of all its rounds together."},
	}}
	attemptArgs = schema.Object{
		Blocks: []schema.Block{
			{Name: "retry", Doc: "Tries the step again after a failure.", Body: schema.Object{Attrs: []schema.Attr{
				{Name: "attempts", Type: cty.Number, Required: true, Check: checkAttempts, Doc: "How many attempts there are in all."},
				{Name: "backoff", Type: cty.String, Default: cty.StringVal("0s"), Format: schema.Duration, Doc: "The pause between two attempts."},
			}}},
			{Name: "expect_error", Doc: "The action must fail; if it passes, the step fails.", Body: schema.Object{Attrs: []schema.Attr{
				{Name: "match", Type: cty.String, Default: cty.StringVal(""), Format: schema.Regexp, Doc: "Regular expression that the error must match."},
			}}},
		},
	}

	actionMeta   = manyArgs.And(orderArgs, whenArgs, failureArgs, timeoutArgs, attemptArgs)
	assertMeta   = manyArgs.And(orderArgs, whenArgs, failureArgs, timeoutArgs)
	workloadMeta = manyArgs.And(orderArgs, whenArgs)
	repeatMeta   = manyArgs.And(orderArgs, whenArgs, failureArgs, timeoutArgs)
)

const (
	maxVariants  = 10_000
	maxInstances = 1_000
	maxRounds    = 10_000
)

// validationOf is a validation block, of which uses says what its condition may
// refer to.
func validationOf(uses string) schema.Block {
	return schema.Block{Name: "validation", Repeated: true, Doc: "A condition that the value must meet.", Body: schema.Object{Attrs: []schema.Attr{
		{Name: "condition", Type: cty.Bool, Required: true, Doc: "True for a value that is accepted; " + uses},
		{Name: "error_message", Type: cty.String, Required: true, Doc: "What a person reads if it is not."},
	}}}
}

func checkWhole(v cty.Value) error {
	if !v.AsBigFloat().IsInt() {
		return fmt.Errorf("must be a whole number")
	}
	return nil
}

// checkSeed accepts the numbers that --seed can be given as well.
func checkSeed(v cty.Value) error {
	if _, accuracy := v.AsBigFloat().Int64(); accuracy != big.Exact && v.AsBigFloat().IsInt() {
		return fmt.Errorf("must be between %d and %d", math.MinInt64, math.MaxInt64)
	}
	return checkWhole(v)
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
