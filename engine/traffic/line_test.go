package traffic

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func lineOf(t *rapid.T) Line {
	l := Line{Settled: rapid.Int64().Draw(t, "settled"), Stopped: rapid.SampledFrom([]int64{0, 0, 7}).Draw(t, "stopped")}
	if rapid.Bool().Draw(t, "bare") {
		return l
	}
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]*`), rapid.Just(""))
	l.Sample = &Sample{
		Seq: rapid.Int64().Draw(t, "seq"), Due: rapid.Int64().Draw(t, "due"), Start: rapid.Int64().Draw(t, "start"), End: rapid.Int64().Draw(t, "end"),
		Outcome: rapid.SampledFrom([]Outcome{OK, Failed, Unknown}).Draw(t, "outcome"),
		Class:   Class(text.Draw(t, "class")), Code: rapid.IntRange(0, 599).Draw(t, "code"), Bytes: rapid.Int64Min(0).Draw(t, "bytes"),
		Captured: rapid.MapOf(text, text).Draw(t, "captured"), Error: text.Draw(t, "error"),
	}
	return l
}

func TestALineIsWrittenAsEncodingJSONWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := lineOf(t)
		want, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Append([]byte("before ")); string(got) != "before "+string(want) {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func TestALineIsReadAsEncodingJSONWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := lineOf(t).Append(nil)
		if rapid.Bool().Draw(t, "damaged") {
			i := rapid.IntRange(0, len(text)-1).Draw(t, "where")
			text[i] = rapid.SampledFrom([]byte(`"\,:{}0-1 ax`)).Draw(t, "what")
		}
		sameAsEncodingJSON(t, text)
	})
}

func FuzzParseLine(f *testing.F) {
	for _, text := range []string{
		`{"seq":1,"due":-2,"start":3,"end":4,"outcome":"ok","code":200,"bytes":9,"captured":{"pid":"7","x":""},"settled":5}`,
		`{"seq":1,"due":2,"start":3,"end":4,"outcome":"failed","class":"refused","error":"dial \"x\"","settled":5}`,
		`{"settled":9,"stopped":10}`, `{}`, ``, `{"seq":01}`, `{"seq":9223372036854775808,"due":1}`, `{"stopped":1}x`, `{"seq":1,"due":1,"start":1,"end":1,"outcome":"ok","captured":{}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { sameAsEncodingJSON(t, text) })
}

func sameAsEncodingJSON(t interface{ Fatalf(string, ...any) }, text []byte) {
	var want Line
	wantErr := json.Unmarshal(text, &want)
	// Into one that has been used: nothing of it may be left.
	got := Line{Settled: 1, Stopped: 2, Sample: &Sample{Seq: 1, Code: 2, Bytes: 3, Class: "x", Error: "x", Captured: map[string]string{"old": "x"}}}
	err := got.Parse(text)
	if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%s\ngot  %+v %v\nwant %+v %v", text, got.Sample, err, want.Sample, wantErr)
	}
}

// The lines of a run are mostly of the form that is read fast.
func TestALineOfAnOrdinarySampleNeedsNoOtherReader(t *testing.T) {
	for _, s := range []Sample{
		{Seq: 1, Due: 2, Start: 3, End: 4, Outcome: OK, Code: 200, Bytes: 12, Captured: map[string]string{"pid": "17"}},
		{Seq: 1, Due: 2, Start: 3, End: 4, Outcome: Failed, Class: Refused, Error: "dial tcp 10.0.0.1:80: connect: connection refused"},
	} {
		p, got := parser{rest: Line{Sample: &s, Settled: 5}.Append(nil)}, Line{}
		if !p.line(&got) || !reflect.DeepEqual(*got.Sample, s) || got.Settled != 5 {
			t.Errorf("got %+v; want %+v", got.Sample, s)
		}
	}
}

func BenchmarkLine(b *testing.B) {
	l := Line{Settled: 5, Sample: &Sample{Seq: 1, Due: 1760000000000000000, Start: 1760000000000000000, End: 1760000000000000000, Outcome: OK, Code: 200, Bytes: 12, Captured: map[string]string{"pid": "17"}}}
	text := l.Append(nil)
	b.Run("append", func(b *testing.B) {
		for b.Loop() {
			text = l.Append(text[:0])
		}
	})
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		var into Line
		for b.Loop() {
			if err := into.Parse(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
