//! What is read quickly beside what reads everything.

use super::{line, system};
use lozenge::json;
use lozenge::names::Names;
use lozenge::wire::read_constraint;

/// What is read quickly is what the wire format reads; the same variables have the same numbers.
#[test]
fn quick_is_the_same() {
    let terms = [
        "3",
        "0",
        "1.0",
        "1e3",
        "-1",
        "18446744073709551615",
        "18446744073709551616",
        "\"unit\"",
        "\"other\"",
        "null",
        r#"{"var":"a"}"#,
        r#"{"var":"\u0061"}"#,
        r#"{"var":"?1"}"#,
        r#"{"var":"unit"}"#,
        r#"{"var":null}"#,
        "{}",
        r#"{"n":3,"basis":"rgb"}"#,
        r#"{"basis":"β","n":2}"#,
        r#"{"n":3}"#,
        r#"{"n":3,"basis":"x","var":"a"}"#,
        r#"{"lead":[],"trail":[]}"#,
        r#"{"trail":[{"var":"b"}],"var":"r","lead":[{"var":"c"},"unit",2]}"#,
        r#"{ "lead" : [ 3 , {"var":"α′"} ] , "var" : null , "trail" : [ ] }"#,
        r#"{"lead":[],"var":"a","trail":[]}"#,
        r#"{"lead":[{"lead":[],"trail":[]}],"trail":[]}"#,
        r#"{"lead":[],"lead":[],"trail":[]}"#,
        r#"{"lead":[3]}"#,
    ];
    let (mut quick, mut all) = (0, 0);
    for one in terms {
        for other in terms {
            for relation in ["eq", "le", "lt"] {
                let text = format!(r#"[{{"{relation}":[{one},{other}]}},{{"le":[{{"var":"z"}},{one}]}}]"#);
                let mut names = Names::new();
                let slow = json::value(&text).ok().and_then(|list| {
                    let read = |item| read_constraint(item, &mut names).ok();
                    list.as_array()?.iter().map(read).collect::<Option<Vec<_>>>()
                });
                all += usize::from(slow.is_some());
                if let Some((phi, known)) = system(&text) {
                    assert_eq!(Some(&phi), slow.as_ref(), "{text}");
                    assert!(known.vars().eq(names.vars()), "{text}");
                    assert!(names.vars().all(|v| known.var_name(v.id()) == names.var_name(v.id())), "{text}");
                    let whole = format!(r#"{{"op":"solve","constraints":{text}}}"#);
                    assert!(line(&whole).is_some_and(|read| read.system.0 == phi), "{whole}");
                    quick += 1;
                }
            }
        }
    }
    assert!(quick > 0 && quick <= all, "{quick} of {all}");
}

#[test]
fn what_is_not_json_is_not_read() {
    let read = |text: &str| line(text).map(|read| (read.id.map(str::to_owned), read.op.to_owned()));
    let usual = |id: Option<&str>| Some((id.map(str::to_owned), "solve".to_owned()));
    assert_eq!(read(r#" { "op" : "solve" , "constraints" : [ ] } "#), usual(None));
    assert_eq!(read(r#"{"constraints":[],"id":"x y","op":"solve"}"#), usual(Some("\"x y\"")));
    assert_eq!(read(r#"{"constraints":[],"id":0,"op":"solve"}"#), usual(Some("0")));
    for text in [
        "",
        "{}",
        r#"{"op":"solve"}"#,
        r#"{"op":"solve","constraints":[]}}"#,
        r#"{"op":"solve","constraints":[],}"#,
        r#"{"op":"solve","constraints":[}"#,
        r#"{"op":"solve","op":"solve","constraints":[]}"#,
        r#"{"op":"solve","constraints":[],"constraints":[]}"#,
        r#"{"id":1,"id":1,"op":"solve","constraints":[]}"#,
        r#"{"id":01,"op":"solve","constraints":[]}"#,
        r#"{"id":1.5,"op":"solve","constraints":[]}"#,
        r#"{"id":"\n","op":"solve","constraints":[]}"#,
        "{\"id\":\"\t\",\"op\":\"solve\",\"constraints\":[]}",
        r#"{"id":1,"op":"solve","constraints":[],"limits":{}}"#,
        r#"{"op":"solve","constraints":[{"eq":[{"lead":[],"var":nul,"trail":[]},{"lead":[],"trail":[]}]}]}"#,
        r#"{"op":"solve","constraints":[{"eq":[03,3]}]}"#,
        r#"{"op":"solve","constraints":[{"eq":[3,3]"#,
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}
