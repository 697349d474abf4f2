//! Programs: the decoder that the peers infer too.

use std::fmt::Write as _;

/// A GPT-2-small-like decoder with this many layers: batch 8, sequence 1024, width 768, 12 heads, vocabulary
/// 50257. No weight has a shape beyond its output.
///
/// `Outline` has the peers' operations, one for one: fourteen a block. A normalisation is one operation of three
/// operands there, a softmax and a gelu one of one operand each, so they are `mul3`, `exp` and `tanh` here, which have
/// the same shapes. `WrittenOut` computes them, in several operations each.
#[derive(Clone, Copy)]
pub enum Decoder {
    Outline,
    WrittenOut,
}

impl Decoder {
    /// The program.
    #[must_use]
    pub fn program(self, layers: usize) -> String {
        let functions = match self {
            Decoder::Outline => OUTLINE,
            Decoder::WrittenOut => WRITTEN_OUT,
        };
        let mut text = format!("{DECLARED}{functions}{BLOCK}");
        for layer in 0..layers {
            let _ = writeln!(text, "let x{} = block(x{layer})", layer + 1);
        }
        let _ = writeln!(text, "let logits = layer_norm(x{layers}) +* \"...|d; v -> d => ...|v\" wte");
        text
    }
}

/// The shape of the decoder's result.
pub const LOGITS: &str = "8, 1024 | 50257";

const DECLARED: &str = r#"input tokens: b, s | v
const positions: s | d
param wte: ... -> d
b = 8
s = 1024
v = 50257
d = 768
"#;

const OUTLINE: &str = r#"
fn layer_norm(x) = mul3 x { gamma } { beta }

fn softmax(x) = exp x

fn gelu(x) = tanh x

fn scaled(scores) = scores
"#;

const WRITTEN_OUT: &str = r#"
fn layer_norm(x) =
  let mean = (x ++ "...|..n.. => ...|0" ["n"]) /. dim n in
  let centered = x - mean in
  let variance = ((centered *. centered) ++ "...|... => ...|0") /. dim n in
  { gamma } *. (centered /. sqrt (variance + 1e-5)) + { beta }

fn softmax(x) =
  let e = exp (x - (x @^^ "...|t->... => ...|0->...")) in
  e /. (e ++ "...|t->... => ...|0->...")

fn gelu(x) =
  0.5 *. x *. (1.0 + tanh (0.7978845608 *. (x + 0.044715 *. (x *. x *. x))))

fn scaled(scores) = scores /. sqrt 64.0
"#;

const BLOCK: &str = r#"
fn block(x) =
  let y = layer_norm(x) in
  let q = { w_q: ... -> 12, 64 } * y in
  let k = { w_k } * y in
  let v = { w_v: ... -> 12, 64 } * y in
  let scores = scaled(q +* "... s | h c; ... t | h c => ... s | t -> h" k) in
  let mixed = softmax(scores) +* "... s | t -> h; ... t | h e => ... s | h e" v in
  let z = x + { w_o: ... -> 768 } * mixed in
  let u = gelu({ w_u: ... -> 3072 } * layer_norm(z)) in
  z + { w_d: ... -> 768 } * u

let x0 = wte * tokens + positions
"#;
