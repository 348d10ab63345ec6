package lang_test

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// vocabulary is shaped like the real one, as far as the language cares.
func vocabulary() schema.Vocabulary {
	str := func(name string) schema.Attr { return schema.Attr{Name: name, Type: cty.String} }
	num := func(name string) schema.Attr { return schema.Attr{Name: name, Type: cty.Number} }
	boolean := func(name string) schema.Attr { return schema.Attr{Name: name, Type: cty.Bool} }
	any := func(name string) schema.Attr { return schema.Attr{Name: name, Type: cty.DynamicPseudoType} }
	time := func(name string) schema.Attr {
		return schema.Attr{Name: name, Type: cty.String, Check: schema.CheckDuration}
	}
	strs := func(name string) schema.Attr { return schema.Attr{Name: name, Type: cty.List(cty.String)} }
	nodes := schema.Attr{Name: "nodes", Ref: schema.RefNodes}
	node := schema.Attr{Name: "node", Ref: schema.RefNode}
	head := schema.Attr{Name: "head", Ref: schema.RefNode, OnlyNode: schema.OnlyNode{Kind: "ray", Arg: "role", Value: "head"}}
	must := func(a schema.Attr) schema.Attr { a.Required = true; return a }
	object := func(attrs ...schema.Attr) schema.Object { return schema.Object{Attrs: attrs} }
	result := func(attrs ...schema.Attr) func(cty.Value) schema.Object {
		return func(cty.Value) schema.Object { return object(attrs...) }
	}
	signal := schema.Attr{Name: "signal", Type: cty.String, Default: cty.StringVal("SIGKILL"), Check: schema.CheckSignal}
	links := []schema.Attr{
		{Name: "isolate", Ref: schema.RefNodes}, {Name: "sides", Ref: schema.RefNodeSets}, {Name: "from", Ref: schema.RefNodes}, {Name: "to", Ref: schema.RefNodes},
		{Name: "shape", Type: cty.String, Enum: []string{"ring", "bridge"}}, nodes,
	}
	asked := []schema.Attr{boolean("ok"), str("error"), str("class"), num("status"), str("body"), any("json"), num("latency_seconds")}
	expect := schema.Attr{Name: "expect", Type: cty.ObjectWithOptionalAttrs(map[string]cty.Type{
		"status": cty.DynamicPseudoType, "body": cty.String, "json": cty.Map(cty.DynamicPseudoType),
	}, []string{"status", "body", "json"})}

	return schema.NewVocabulary(
		schema.Type{Kind: schema.Action, Name: "start", Args: object(must(nodes)), Result: result(nodes), Ends: []schema.Resource{schema.Down}},
		schema.Type{Kind: schema.Action, Name: "restart", Args: object(must(nodes), time("grace")), Result: result(nodes)},
		schema.Type{Kind: schema.Action, Name: "exec", Args: object(must(node), must(strs("command")), str("stdin"), schema.Attr{Name: "env", Type: cty.Map(cty.String)}, schema.Attr{Name: "exit_code", Type: cty.Number, Default: cty.Zero}),
			Result: result(num("exit_code"), str("stdout"), str("stderr"), any("json")), NeedsRunning: true},
		schema.Type{Kind: schema.Action, Name: "sleep", Args: object(schema.Attr{Name: "for", Type: cty.String, Required: true, Check: schema.CheckDuration})},
		schema.Type{Kind: schema.Action, Name: "note", Args: object(must(any("values"))), Result: func(args cty.Value) schema.Object {
			t := cty.DynamicPseudoType
			if args.Type().IsObjectType() && args.Type().HasAttribute("values") {
				t = args.GetAttr("values").Type()
			}
			return object(schema.Attr{Name: "values", Type: t})
		}},
		schema.Type{Kind: schema.Action, Name: "stop_workload", Args: object(schema.Attr{Name: "workload", Ref: schema.RefWorkload, Required: true}),
			Result: func(cty.Value) schema.Object { return schema.Statistics(cty.DynamicPseudoType) }},
		schema.Type{Kind: schema.Action, Name: "heal", Args: object(schema.Attr{Name: "faults", Ref: schema.RefFaults, Required: true})},
		schema.Type{Kind: schema.Action, Name: "deploy_serve", Args: object(must(any("config")), schema.Attr{Name: "via", Type: cty.String, Enum: []string{"rest", "driver"}}, head), Result: result(any("applications"))},
		schema.Type{Kind: schema.Action, Name: "reconfig", Args: object(any("config"), str("deployment"), any("options"), schema.Attr{Name: "from", Ref: schema.RefNode}, head), Result: result(any("applications"), strs("replaced_pids"))},
		schema.Type{Kind: schema.Action, Name: "restart_head", Args: object(head), Result: result(num("gcs_seconds"), num("serve_seconds"))},
		schema.Type{Kind: schema.Action, Name: "login", Args: object(schema.Attr{Name: "password", Type: cty.String, Required: true, Sensitive: true})},

		schema.Type{Kind: schema.Fault, Name: "kill", Args: object(must(nodes), signal), Result: result(nodes, any("exit_codes")), Takes: []schema.Resource{schema.Down}},
		schema.Type{Kind: schema.Fault, Name: "pause", Args: object(must(nodes)), Result: result(nodes), Takes: []schema.Resource{schema.Paused}},
		schema.Type{Kind: schema.Fault, Name: "kill_process", Args: object(must(node), str("name"), schema.Attr{Name: "command", Type: cty.String, Check: schema.CheckRegexp}, signal), Result: result(schema.Attr{Name: "pids", Type: cty.List(cty.Number)})},
		schema.Type{Kind: schema.Fault, Name: "kill_gcs", Args: object(head, signal), Result: result(num("pid"), num("exit_code"))},
		schema.Type{Kind: schema.Fault, Name: "partition", Args: object(links...)},
		schema.Type{Kind: schema.Fault, Name: "block_port", Args: object(append(links, schema.Attr{Name: "port", Type: cty.Number, Required: true, Check: schema.CheckPort})...)},

		schema.Type{Kind: schema.Probe, Name: "http", Args: object(must(str("url")), time("timeout"), schema.Attr{Name: "from", Ref: schema.RefNode}), Result: result(asked...)},
		schema.Type{Kind: schema.Probe, Name: "exec", Args: object(must(node), must(strs("command"))), Result: result(boolean("ok"), num("exit_code"), str("stdout"), any("json"))},
		schema.Type{Kind: schema.Probe, Name: "node", Args: object(must(node)), Result: result(boolean("running"), num("exit_code"), num("restarts"), str("started_at"))},
		schema.Type{Kind: schema.Probe, Name: "processes", Args: object(must(node), str("name")), Result: result(num("count"), schema.Attr{Name: "pids", Type: cty.List(cty.Number)})},
		schema.Type{Kind: schema.Probe, Name: "logs", Args: object(must(node), schema.Attr{Name: "since", Ref: schema.RefStep}), Result: result(num("count"), strs("lines"))},
		schema.Type{Kind: schema.Probe, Name: "ray_nodes", Args: object(head), Result: result(num("alive"), num("dead"), num("alive_heads"),
			schema.Attr{Name: "nodes", Type: cty.List(cty.Object(map[string]cty.Type{"id": cty.String, "state": cty.String, "is_head": cty.Bool}))})},

		schema.Type{Kind: schema.Workload, Name: "http", Args: object(must(str("url")), must(num("rate")), time("timeout"), expect, schema.Attr{Name: "capture", Type: cty.Map(cty.String)})},

		schema.Type{Kind: schema.NodeKind, Name: "ray", Args: schema.Object{
			Attrs: []schema.Attr{
				{Name: "role", Type: cty.String, Required: true, Enum: []string{"head", "worker"}},
				{Name: "head", Ref: schema.RefNode}, num("num_cpus"),
				{Name: "storage", Type: cty.String, Default: cty.StringVal("memory"), Enum: []string{"memory", "rocksdb", "redis"}},
				{Name: "redis", Ref: schema.RefNode}, {Name: "system_config", Type: cty.Map(cty.String)},
			},
		}},
	)
}
