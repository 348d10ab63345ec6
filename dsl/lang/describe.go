package lang

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// Block is what there is to say about a block of the language, for reference
// and editors.
type Block struct {
	Name    string
	Labels  []string    // "TYPE", "NAME"
	Kind    schema.Kind // of the types that TYPE names
	Summary string      // one line, without a full stop
	Doc     string      // Markdown
	Args    schema.Object
	Meta    schema.Object // arguments that are the engine's own
	Holds   []string      // further blocks that stand in it
	Entries string        // what else it holds: "NAME = EXPRESSION"
	Refer   string        // how expressions refer to it: "action.NAME"
	// Value are the attributes of such a reference that all have.
	Value schema.Object
}

// Blocks returns the blocks that stand at the top of a file, in the order in
// which a file has them.
func Blocks() []Block {
	return []Block{
		{
			Name: rootScenario, Labels: []string{"NAME"}, Args: scenarioArgs, Refer: "scenario",
			Summary: "makes the file a scenario, and names it",
			Doc: "A file with this block can be run; one without it is a library, which can only be included. A file holds one.\n\n" +
				"At the top of a file, `include = [\"lib/ray.hcl\"]` takes in the blocks of libraries.",
			Value: schema.Object{Attrs: []schema.Attr{
				{Name: "name", Type: cty.String, Doc: "The name of the scenario."},
				{Name: "run_id", Type: cty.String, Doc: "The id of the run; known once it has begun."},
			}},
		},
		{
			Name: "variable", Labels: []string{"NAME"}, Args: variableArgs, Refer: "var.NAME",
			Summary: "declares a value that is given from outside",
			Doc: "The strongest counts: `--var NAME=VALUE`, then `--var-file`, the environment's `SCENARIO_VAR_NAME`, " +
				"`*.auto.vars.hcl` beside the scenario, and `default`.",
		},
		{
			Name: "locals", Entries: "NAME = EXPRESSION", Refer: "local.NAME",
			Summary: "names values, in any order",
			Doc:     "A local may use results and probes: each use of it evaluates it anew, and waits for what it refers to.",
		},
		{
			Name: rootMatrix, Entries: "AXIS = [VALUE, …]", Refer: "matrix.AXIS", Args: matrixArgs,
			Summary: "makes a variant of each combination of values",
			Doc: "Each axis is a list of strings, numbers or bools without duplicates. Each combination is a variant, named " +
				"`AXIS=VALUE,AXIS=VALUE`, and runs as a scenario of its own; `--variant AXIS=VALUE` chooses. There are at most 10,000.",
		},
		{
			Name: rootImage, Labels: []string{"NAME"}, Args: imageArgs, Refer: "image.NAME",
			Summary: "declares an image that is pulled or built",
			Doc:     "Either `pull` or `build`. Images are pulled and built side by side before the first node starts.",
		},
		{
			Name: rootNetwork, Labels: []string{"NAME"}, Args: networkArgs, Refer: "network.NAME",
			Summary: "declares a network that nodes are on",
			Doc:     "Without one, every node is on one private network of the run.",
		},
		{
			Name: rootVolume, Labels: []string{"NAME"}, Args: volumeArgs, Refer: "volume.NAME",
			Summary: "declares data that outlives a container, but not the run",
			Doc:     "A node has it with `mounts`.",
		},
		{
			Name: rootNode, Labels: []string{"NAME"}, Args: schema.NodeArgs, Meta: manyArgs, Refer: "node.NAME",
			Summary: "declares a container, or several with count or for_each",
			Doc: "Nodes start before the first step, except those that a `start` action names before any other step uses them. " +
				"A nested block of a node kind, such as `ray`, fills in the rest; what the node says itself wins.\n\n" +
				"A node's body may name its own and other nodes' `name`, `host`, `ip`, `address` and `image`; that orders nothing.",
			Value: nodeAttrs(),
		},
		{
			Name: rootProbe, Labels: []string{"TYPE", "NAME"}, Kind: schema.Probe, Meta: manyArgs, Refer: "probe.NAME",
			Summary: "declares a question that can be asked again and again, and changes nothing",
			Doc: "A probe has no place in the order: each evaluation of an expression that uses it asks anew. " +
				"In one evaluation a probe has one answer.",
		},
		{
			Name: rootWorkload, Labels: []string{"TYPE", "NAME"}, Kind: schema.Workload, Meta: workloadMeta, Refer: "workload.NAME",
			Summary: "starts traffic that goes on in the background, every request of it recorded",
			Doc: "It starts where it stands and goes on until the end, or until a `stop_workload` action; inside a repeat or a define, " +
				"until the end of the round or of the use. " +
				"Its results are statistics; `during`, `between` and `since` give those of a part of it.",
			Value: schema.StepAttrs,
		},
		{
			Name: rootAction, Labels: []string{"TYPE", "NAME"}, Kind: schema.Action, Meta: actionMeta, Refer: "action.NAME",
			Summary: "does something once",
			Doc: "An action starts when every step above it has finished, steps in `background` excepted. A fault is an action too: " +
				"its effect lasts until it is healed.",
			Value: schema.StepAttrs,
		},
		{
			Name: rootAssert, Labels: []string{"NAME"}, Args: assertArgs, Meta: assertMeta, Refer: "assert.NAME",
			Summary: "states a condition that must hold",
			Doc: "Without time arguments one evaluation decides. `within` waits for the condition, `hold` then wants it to stay true, " +
				"`throughout` wants it true until another step ends.\n\n" +
				"A condition that can't be evaluated, or is unknown because a statistic has no value yet, counts as \"not yet\" while there is time. " +
				"At the end the first is a failure, the second inconclusive.",
			Value: schema.StepAttrs,
		},
		{
			Name: rootRepeat, Labels: []string{"NAME"}, Args: repeatArgs, Meta: repeatMeta, Holds: stepBlocks, Refer: "repeat.NAME",
			Summary: "runs the steps in it round after round",
			Doc:     "Names inside are visible inside only. `repeat.index` is the number of the round, from 0.",
			Value:   schema.StepAttrs,
		},
		{
			Name: "define", Labels: []string{"KIND", "TYPE"}, Args: describedDefine, Holds: slices.Concat(stepBlocks, []string{rootProbe}),
			Summary: "makes an action or a probe of others",
			Doc: "`define \"action\" \"TYPE\"` holds steps, as a scenario does, and probes; `define \"probe\" \"TYPE\"` holds probes. " +
				"It is used like a built-in type, with its params as arguments, and stands in a library or in a scenario. Each use is a group, " +
				"with the steps inside at addresses below its own, such as `action.roll/action.one`.\n\n" +
				"Inside, `param`, `var`, `local`, `image` and its own names are visible, nothing else. A param has the value that it had when the use started.",
		},
		{
			Name: "cleanup", Holds: []string{rootAction},
			Summary: "holds actions that always run at the end",
			Doc: "They run after the faults are healed and before the nodes are removed, one after the other, even if one fails or the " +
				"scenario has failed. Names inside are visible inside only.",
		},
		{
			Name: "output", Labels: []string{"NAME"}, Args: outputArgs,
			Summary: "names a value that the run reports",
		},
	}
}

// describedDefine are the blocks that are a define's own.
var describedDefine = defineArgs.And(schema.Object{Blocks: []schema.Block{
	{Name: "param", Label: "NAME", Repeated: true, Doc: "An argument of a use, written as `param \"NAME\"`.", Body: paramArgs},
	{Name: "locals", Repeated: true, Doc: "Named values, written as `NAME = EXPRESSION`: each use has its own."},
	{Name: "result", Doc: "What a use yields, written as `NAME = EXPRESSION`."},
}})

// matrixArgs describe the nested blocks of a matrix, whose arguments are its
// axes.
var matrixArgs = schema.Object{Blocks: []schema.Block{
	{Name: "exclude", Repeated: true, Doc: "Drops the combinations that have these values, written as `AXIS = VALUE`."},
	{Name: "include", Repeated: true, Doc: "Adds a combination, written as `AXIS = VALUE` for every axis."},
}}

// nodeAttrs are the attributes of a node in expressions.
func nodeAttrs() schema.Object {
	docs := []schema.Attr{
		{Name: "name", Doc: "The name of its block."},
		{Name: "address", Doc: "What it is called in plans and events, such as `node.worker[0]`."},
		{Name: "host", Doc: "Its name on the network, such as `worker-0`."},
		{Name: "ip", Doc: "Its address on the network, known once that exists."},
		{Name: "image", Doc: "The reference of its image."},
		{Name: "state", Doc: "created, starting, ready, paused or exited."},
		{Name: "ports", Doc: "Port in the node → address on the host, such as `\"8080\"` → `127.0.0.1:49153`."},
	}
	for i, a := range docs {
		docs[i].Type = schema.NodeType.AttributeType(a.Name)
	}
	return schema.Object{Attrs: docs}
}

// FileArgs returns the arguments that stand at the top of a file, in no block.
func FileArgs() schema.Object { return fileArgs }

// Root is a word that references begin with and that no block declares.
type Root struct {
	Name    string
	Summary string
	Value   schema.Object
}

// Roots returns the words that have a meaning in some places only.
func Roots() []Root {
	return []Root{
		{Name: rootEach, Summary: "the element of for_each that this instance is for", Value: schema.Object{Attrs: []schema.Attr{
			{Name: "key", Type: cty.DynamicPseudoType, Doc: "The key in the map, the element of the set, or the number of the element in the list, from 0."},
			{Name: "value", Type: cty.DynamicPseudoType, Doc: "The element itself."},
		}}},
		{Name: rootCount, Summary: "the number of this instance in a block with count", Value: schema.Object{Attrs: []schema.Attr{
			{Name: "index", Type: cty.Number, Doc: "The number of this instance, from 0."},
		}}},
		{Name: rootParam, Summary: "the arguments of the use, inside a define"},
		{Name: rootRepeat, Summary: "the round that runs, inside a repeat", Value: schema.Object{Attrs: []schema.Attr{
			{Name: "index", Type: cty.Number, Doc: "The number of the round, from 0."},
		}}},
	}
}

// WindowFunction describes a function over a part of a workload's time.
type WindowFunction struct {
	Name    WindowKind
	Params  []string
	Summary string
}

// WindowFunctions returns the functions whose arguments are references. Each
// yields statistics.
func WindowFunctions() []WindowFunction {
	return []WindowFunction{
		{During, []string{"workload", "fault"}, "the statistics of the samples due while a fault was active: from its observed effect to the call that ends it, or to now"},
		{Between, []string{"workload", "a", "b"}, "the statistics of the samples due from the start of step a to the end of step b"},
		{Since, []string{"workload", "step"}, "the statistics of the samples due since the end of a step"},
	}
}

// MetaArgs returns the arguments that are the engine's own, each once, in the
// order of the blocks that take them.
func MetaArgs() schema.Object {
	var all schema.Object
	for _, b := range Blocks() {
		for _, a := range b.Meta.Attrs {
			if _, has := all.Attr(a.Name); !has {
				all.Attrs = append(all.Attrs, a)
			}
		}
		for _, n := range b.Meta.Blocks {
			if !slices.ContainsFunc(all.Blocks, func(x schema.Block) bool { return x.Name == n.Name }) {
				all.Blocks = append(all.Blocks, n)
			}
		}
	}
	return all
}
