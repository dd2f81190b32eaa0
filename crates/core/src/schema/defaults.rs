//! Defaults as programs print them, as JSON.
//!
//! They tell a model what happens without it. No call carries one, but for those that
//! a definition says are to be given.

use serde_json::{Map, Number, Value};

use crate::argv::go;
use crate::model::{Kind, Param, Scalar};

/// The default of `param`, if it is known and of its type.
pub fn of(param: &Param) -> Option<Value> {
    let text = param.default.as_deref()?;
    match &param.kind {
        Kind::Switch => text.parse().ok().map(Value::Bool),
        Kind::Line => Some(Value::from(text)),
        Kind::Count => text.parse::<u64>().ok().map(Value::from),
        Kind::One(scalar) => one(scalar, text).filter(|value| is_choice(param, value)),
        Kind::List(scalar, _) => {
            let values: Option<Vec<Value>> = records(text)?
                .iter()
                .map(|field| one(scalar, field).filter(|value| is_choice(param, value)))
                .collect();
            values.filter(|values| !values.is_empty()).map(Value::Array)
        }
        Kind::Map(scalar) => {
            let pairs: Option<Map<String, Value>> = records(text)?
                .iter()
                .map(|pair| {
                    let (key, value) = pair.split_once('=')?;
                    Some((key.to_owned(), one(scalar, value)?))
                })
                .collect();
            pairs.filter(|pairs| !pairs.is_empty()).map(Value::Object)
        }
    }
}

/// What a call gives `param` where its caller does not, as a definition says. It is
/// checked like the caller's own.
pub fn injected(param: &Param) -> Option<Value> {
    let text = param.default.as_deref().filter(|_| param.inject_default)?;
    match &param.kind {
        Kind::Switch | Kind::Count | Kind::One(_) | Kind::Line => Some(Value::from(text)),
        Kind::List(..) => {
            let values = records(text).unwrap_or_else(|| vec![text.to_owned()]);
            (!values.is_empty()).then(|| Value::from(values))
        }
        Kind::Map(_) => of(param),
    }
}

fn is_choice(param: &Param, value: &Value) -> bool {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    param.choices.is_empty() || param.choices.contains(&text)
}

/// One value that is printed as `text`.
pub fn one(scalar: &Scalar, text: &str) -> Option<Value> {
    let keep = |reads: fn(&str) -> bool| reads(text).then(|| Value::from(text));
    match scalar {
        Scalar::String | Scalar::Time | Scalar::Path | Scalar::Other(_) => {
            (!text.is_empty()).then(|| Value::from(text))
        }
        Scalar::Bool => text.parse().ok().map(Value::Bool),
        Scalar::Int(_) | Scalar::Uint(_) => {
            let (least, most) = crate::argv::bounds(scalar);
            let number: i128 = text.parse().ok()?;
            let fits = (least..=most).contains(&number);
            fits.then(|| Number::from_i128(number).map(Value::Number))?
        }
        Scalar::Float(_) => float(text),
        Scalar::Duration => keep(go::is_duration),
        Scalar::Ip => keep(go::is_ip),
        Scalar::IpNet => keep(go::is_cidr),
        Scalar::IpMask => keep(go::is_mask),
        Scalar::Hex => keep(go::is_hex),
        Scalar::Base64 => keep(go::is_base64),
    }
}

fn float(text: &str) -> Option<Value> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(Value::from(number));
    }
    let number: f64 = text.parse().ok()?;
    Number::from_f64(number).map(Value::Number)
}

/// The fields of pflag's `[a,"b,c"]`, which is CSV in brackets.
fn records(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    if inner.is_empty() {
        return Some(Vec::new());
    }
    let mut fields = Vec::new();
    let mut rest = inner;
    loop {
        let (field, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_field(quoted)?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        fields.push(field);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return after.is_empty().then_some(fields),
        }
    }
}

/// A field and what follows its closing quote.
fn quoted_field(text: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('"')?;
        field.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(next) => {
                field.push('"');
                rest = next;
            }
            None => return Some((field, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Param;
    use serde_json::json;

    #[test]
    fn a_printed_default_becomes_a_value_of_its_type_or_nothing() {
        let cases = [
            ("switch", "true", json!(true)),
            ("string", "json", json!("json")),
            ("string", "", Value::Null),
            ("int", "-5", json!(-5)),
            (
                "int",
                "9223372036854775807",
                json!(9_223_372_036_854_775_807_i64),
            ),
            (
                "uint",
                "18446744073709551615",
                json!(18_446_744_073_709_551_615_u64),
            ),
            ("int8", "300", Value::Null),
            ("int", "many", Value::Null),
            ("float", "1.5", json!(1.5)),
            ("float", "2", json!(2)),
            ("duration", "5m0s", json!("5m0s")),
            ("duration", "soon", Value::Null),
            ("ip", "<nil>", Value::Null),
            ("csv<string>", "[a,b]", json!(["a", "b"])),
            (
                "csv<string>",
                r#"["a,b","c""d",e]"#,
                json!(["a,b", "c\"d", "e"]),
            ),
            ("csv<string>", "[]", Value::Null),
            ("csv<string>", "a,b", Value::Null),
            ("comma<int>", "[1,2]", json!([1, 2])),
            ("comma<int>", "[1,x]", Value::Null),
            ("comma<duration>", "[1s,2m0s]", json!(["1s", "2m0s"])),
            ("csv<bool>", "[true,false]", json!([true, false])),
            (
                "map<string>",
                r#"[a=1,"b=x,y"]"#,
                json!({"a": "1", "b": "x,y"}),
            ),
            ("map<int>", "[a=1,b=2]", json!({"a": 1, "b": 2})),
            ("map<string>", "[]", Value::Null),
        ];
        for (kind, text, expected) in cases {
            let mut param = Param::flag("x", kind.parse().unwrap());
            param.default = Some(text.to_owned());
            assert_eq!(of(&param).unwrap_or_default(), expected, "{kind} {text}");
        }
    }
}
