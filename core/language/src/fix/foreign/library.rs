//! Functions that other systems have built in, as definitions in this language.

/// Name and definition.
pub(super) const LIBRARY: [(&str, &str); 14] = [
    (
        "softmax",
        "fn softmax(x) =\n  let e = exp (x - (x @^^ \"...|...->... => ...|...->0\")) in\n  e /. (e ++ \"...|...->... => ...|...->0\")",
    ),
    (
        "log_softmax",
        "fn log_softmax(x) =\n  let s = x - (x @^^ \"...|...->... => ...|...->0\") in\n  s - log (exp s ++ \"...|...->... => ...|...->0\")",
    ),
    ("sigmoid", "fn sigmoid(x) = recip (1 + exp (-x))"),
    ("silu", "fn silu(x) = x /. (1 + exp (-x))"),
    ("softplus", "fn softplus(x) = log (1 + exp x)"),
    ("gelu", "fn gelu(x) = 0.5 *. x *. (1 + tanh (0.7978845608028654 *. (x + 0.044715 *. x *. x *. x)))"),
    ("leaky_relu", "fn leaky_relu(x) = relu x - 0.01 *. relu (-x)"),
    ("abs", "fn abs(x) = relu x + relu (-x)"),
    ("square", "fn square(x) = x *. x"),
    ("sum", "fn sum(x) = x ++ \"...|...->... => 0\""),
    ("mean", "fn mean(x) = (x ++ \"..b..|..i..->..o.. => 0\" [\"b\"; \"i\"; \"o\"]) /. (dim b *. dim i *. dim o)"),
    (
        "layer_norm",
        "fn layer_norm(x) =\n  let mean = (x ++ \"...|..d.. => ...|0\" [\"d\"]) /. dim d in\n  let centered = x - mean in\n  let variance = ((centered *. centered) ++ \"...|... => ...|0\") /. dim d in\n  { gamma } *. (centered /. sqrt (variance + 1e-5)) + { beta }",
    ),
    ("transpose", "fn transpose(x) = x ++ \"..b.. | ..i.. -> ..o.. => ..b.. | ..o.. -> ..i..\""),
    ("linear", "fn linear(x) = { w: ... -> 64 } * x + { b }"),
];
