//go:build pflag105

package tree

import "github.com/spf13/pflag"

// newer adds the flag types that came after pflag 1.0.3.
func (b *builder) newer(f *pflag.FlagSet) {
	i32 := f.Int32Slice("int32-slice", nil, "Int32s")
	b.seen["int32-slice"] = func() interface{} { return *i32 }
	i64 := f.Int64Slice("int64-slice", nil, "Int64s")
	b.seen["int64-slice"] = func() interface{} { return *i64 }
	f32 := f.Float32Slice("float32-slice", nil, "Float32s")
	b.seen["float32-slice"] = func() interface{} {
		out := []string{}
		for _, number := range *f32 {
			out = append(out, float(float64(number), 32))
		}
		return out
	}
	f64 := f.Float64Slice("float64-slice", nil, "Float64s")
	b.seen["float64-slice"] = func() interface{} {
		out := []string{}
		for _, number := range *f64 {
			out = append(out, float(number, 64))
		}
		return out
	}
	toInt64 := f.StringToInt64("string-to-int64", nil, "Pairs of int64s")
	b.seen["string-to-int64"] = func() interface{} { return *toInt64 }
	b.newest(f)
}
