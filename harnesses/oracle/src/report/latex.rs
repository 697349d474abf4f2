//! The statements and their statuses as a table in LaTeX.

use lozenge_spec::{CLAIMS, Claim};
use serde::Serialize;

/// A row of it.
#[derive(Serialize)]
struct Row {
    id: &'static str,
    title: &'static str,
    kind: &'static str,
    /// None where the paper does not have it.
    printed: Option<String>,
    holds: String,
    findings: &'static [String],
}

impl Row {
    fn of(claim: &'static Claim) -> Self {
        Row {
            id: &claim.id,
            title: &claim.title,
            kind: &claim.kind,
            printed: claim.printed_status.map(|status| status.to_string()),
            holds: claim.status.to_string(),
            findings: &claim.findings,
        }
    }

    fn text(&self) -> String {
        let printed = self.printed.as_deref().unwrap_or("-");
        let findings = self.findings.join(", ");
        let cells = [self.id, self.title, self.kind, printed, &self.holds, &findings];
        format!("{} \\\\\n", cells.map(escaped).join(" & "))
    }
}

/// The table.
#[derive(Serialize)]
pub struct Table {
    rows: Vec<Row>,
}

impl Table {
    pub fn new() -> Self {
        Table { rows: CLAIMS.iter().map(Row::of).collect() }
    }

    /// As a `longtable`.
    pub fn text(&self) -> String {
        let head = "\\hline\nstatement & title & kind & as printed & what holds & findings \\\\\n\\hline\n";
        let rows: String = self.rows.iter().map(Row::text).collect();
        format!(
            "% Made by lozenge report --latex, version {}.\n% \\usepackage{{longtable,amssymb}}\n\
             \\begin{{longtable}}{{@{{}}lp{{0.34\\linewidth}}llll@{{}}}}\n{head}\\endhead\n{rows}\\hline\n\\end{{longtable}}\n",
            env!("CARGO_PKG_VERSION")
        )
    }
}

/// Symbols of the paper as commands of LaTeX.
const SYMBOLS: [(char, &str); 51] = [
    ('⊑', "\\sqsubseteq"),
    ('⋢', "\\not\\sqsubseteq"),
    ('⊔', "\\sqcup"),
    ('⋄', "\\diamond"),
    ('≈', "\\approx"),
    ('≠', "\\neq"),
    ('≤', "\\leq"),
    ('≥', "\\geq"),
    ('⊥', "\\bot"),
    ('∅', "\\emptyset"),
    ('∈', "\\in"),
    ('∨', "\\vee"),
    ('∧', "\\wedge"),
    ('∪', "\\cup"),
    ('∘', "\\circ"),
    ('⊨', "\\models"),
    ('↦', "\\mapsto"),
    ('→', "\\to"),
    ('↑', "\\uparrow"),
    ('⟨', "\\langle"),
    ('⟩', "\\rangle"),
    ('•', "\\bullet"),
    ('·', "\\cdot"),
    ('⋆', "\\star"),
    ('′', "'"),
    ('−', "-"),
    ('×', "\\times"),
    ('ℕ', "\\mathbb{N}"),
    ('α', "\\alpha"),
    ('β', "\\beta"),
    ('γ', "\\gamma"),
    ('δ', "\\delta"),
    ('π', "\\pi"),
    ('ρ', "\\rho"),
    ('σ', "\\sigma"),
    ('τ', "\\tau"),
    ('φ', "\\varphi"),
    ('Γ', "\\Gamma"),
    ('Σ', "\\Sigma"),
    ('Φ', "\\Phi"),
    ('₀', "_0"),
    ('₁', "_1"),
    ('₂', "_2"),
    ('₃', "_3"),
    ('⁰', "^0"),
    ('¹', "^1"),
    ('²', "^2"),
    ('³', "^3"),
    ('⁴', "^4"),
    ('⁶', "^6"),
    ('∞', "\\infty"),
];

/// Signs of prose.
const SIGNS: [(char, &str); 16] = [
    ('&', "\\&"),
    ('%', "\\%"),
    ('$', "\\$"),
    ('#', "\\#"),
    ('_', "\\_"),
    ('{', "\\{"),
    ('}', "\\}"),
    ('~', "\\textasciitilde{}"),
    ('^', "\\textasciicircum{}"),
    ('\\', "\\textbackslash{}"),
    ('§', "\\S{}"),
    ('–', "--"),
    ('“', "``"),
    ('”', "''"),
    ('’', "'"),
    ('…', "\\ldots{}"),
];

/// What LaTeX would read otherwise, as commands. A sign without a command gives its number.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let known = |(sign, _): &&(char, &'static str)| *sign == c;
        if let Some((_, sign)) = SIGNS.iter().find(known) {
            out.push_str(sign);
        } else if let Some((_, command)) = SYMBOLS.iter().find(known) {
            out.push_str(&format!("\\ensuremath{{{command}}}"));
        } else if c.is_ascii() {
            out.push(c);
        } else {
            out.push_str(&format!("[U+{:04X}]", u32::from(c)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_latex_reads_otherwise_is_escaped() {
        assert_eq!(
            escaped("a_b & 50% {x} \\n ~^"),
            "a\\_b \\& 50\\% \\{x\\} \\textbackslash{}n \\textasciitilde{}\\textasciicircum{}"
        );
        assert_eq!(
            escaped("⊑¹ on ⋄ρ"),
            "\\ensuremath{\\sqsubseteq}\\ensuremath{^1} on \\ensuremath{\\diamond}\\ensuremath{\\rho}"
        );
        assert_eq!(escaped("☃"), "[U+2603]");
    }

    #[test]
    fn every_symbol_of_the_index_has_a_command() {
        let texts = CLAIMS.iter().flat_map(|claim| [&claim.title, &claim.holds]);
        for text in texts.filter(|text| !text.contains('\u{302}')) {
            assert!(!escaped(text).contains("[U+"), "{}", escaped(text));
        }
        let table = Table::new().text();
        assert!(table.is_ascii() && table.matches(" \\\\\n").count() == CLAIMS.len() + 1);
    }
}
