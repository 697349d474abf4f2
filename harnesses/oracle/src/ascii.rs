//! The ASCII twin of the symbols in our own texts. Rows and dimensions are written by core.

/// Longer spellings first.
const TWINS: [(&str, &str); 48] = [
    ("1∅", "unit"),
    ("·⋄·", " <> "),
    ("⊑¹", "<=1"),
    ("⋢¹", "!<=1"),
    ("⋄", "<>"),
    ("⊑", "<="),
    ("⋢", "!<="),
    ("≈", "~"),
    ("≉", "!~"),
    ("≠", "!="),
    ("≥", ">="),
    ("≤", "<="),
    ("⊥", "bot"),
    ("•", "!"),
    ("⟨", "<"),
    ("⟩", ">"),
    ("↦", ":="),
    ("·", "."),
    ("∨", "\\/"),
    ("∧", "/\\"),
    ("∅", "{}"),
    ("∈", "in"),
    ("⊨", "|="),
    ("↑", "^"),
    ("→", "->"),
    ("×", "x"),
    ("−", "-"),
    ("∘", "o"),
    ("⋆", "*"),
    ("…", "..."),
    ("′", "'"),
    ("§", "section "),
    ("¹", "^1"),
    ("₀", "0"),
    ("₁", "1"),
    ("₂", "2"),
    ("ₗ", "_l"),
    ("ℕ", "N"),
    ("\u{302}", "^"),
    ("Φ", "Phi"),
    ("α", "alpha"),
    ("β", "beta"),
    ("γ", "gamma"),
    ("π", "pi"),
    ("ρ", "rho"),
    ("σ", "sigma"),
    ("τ", "tau"),
    ("Σ", "Sigma"),
];

/// The text with every symbol we use spelled in ASCII; what has no twin stays.
pub fn twin(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let symbol = if c.is_ascii() && c != '1' { None } else { TWINS.iter().find(|(s, _)| rest.starts_with(s)) };
        match symbol {
            Some((unicode, ascii)) => {
                out.push_str(ascii);
                rest = &rest[unicode.len()..];
            }
            None => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}
