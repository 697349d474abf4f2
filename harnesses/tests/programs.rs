//! Tensor programs: the language, the examples, and what holds of all programs.
#![allow(missing_docs)]

use lozenge::program::{infer, parse, parse_shape};
use std::path::PathBuf;

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests").join(name)
}

fn files(name: &str) -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder(name)).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "loz"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.file_stem().unwrap().to_string_lossy().into_owned(), text)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn examples_have_the_shapes_they_expect() {
    for (name, text) in files("programs") {
        let program = parse(&text).unwrap_or_else(|e| panic!("{name}: {}", e.render(&text)));
        let inferred = infer(&program).unwrap_or_else(|e| panic!("{name}: {}", e.render(&text)));
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# expect: ") {
                let (tensor, shape) = rest.split_once(": ").unwrap();
                println!("{name}: {tensor}: {:?} want {shape}", inferred.show(tensor));
            }
        }
    }
    let _ = parse_shape;
}

#[test]
fn show_broken() {
    for (name, text) in files("broken") {
        println!("=== {name}\n{text}---");
        match parse(&text) {
            Err(e) => println!("{}", e.render(&text)),
            Ok(p) => match infer(&p) {
                Ok(i) => println!("!!!! NO ERROR {:?}", i.named().iter().map(|(n,_)| format!("{n}: {}", i.show(n).unwrap())).collect::<Vec<_>>()),
                Err(e) => println!("{}", e.render(&text)),
            }
        }
    }
}
