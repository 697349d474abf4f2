//! Kani's attributes, for type-checking: what is in an attribute is checked against the function
//! it is on, and the function stays what it was. No parser is needed for that, only the last
//! brace group (the body) and what follows `->` (the type of the result).

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// A function cut at its body.
struct Function {
    head: Vec<TokenTree>,
    body: TokenStream,
}

impl Function {
    fn cut(item: TokenStream) -> Result<Self, String> {
        let mut head: Vec<TokenTree> = item.into_iter().collect();
        match head.pop() {
            Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => {
                Ok(Function { head, body: body.stream() })
            }
            _ => Err("expected a function with a body".to_owned()),
        }
    }

    /// What follows the `->` of the signature, up to a `where`.
    fn result(&self) -> TokenStream {
        let after_name = self.head.iter().position(|t| is_ident(t, "fn")).map_or(0, |i| i + 1);
        let signature = &self.head[after_name..];
        let arrow = signature.windows(2).position(|pair| is_punct(&pair[0], '-') && is_punct(&pair[1], '>'));
        match arrow {
            None => code("()"),
            Some(i) => signature[i + 2..].iter().take_while(|t| !is_ident(t, "where")).cloned().collect(),
        }
    }

    /// Has the signature parameters? A harness has none.
    fn has_parameters(&self) -> bool {
        let after_name = self.head.iter().position(|t| is_ident(t, "fn")).map_or(0, |i| i + 1);
        self.head[after_name..].iter().any(
            |t| matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Parenthesis && !g.stream().is_empty()),
        )
    }

    /// The function with a check before its body.
    fn checked(self, check: TokenStream) -> TokenStream {
        let mut body = check;
        body.extend(self.body);
        let mut out: TokenStream = self.head.into_iter().collect();
        out.extend([TokenTree::Group(Group::new(Delimiter::Brace, body))]);
        out
    }
}

fn is_ident(token: &TokenTree, name: &str) -> bool {
    matches!(token, TokenTree::Ident(i) if i.to_string() == name)
}

fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == c)
}

fn code(text: &str) -> TokenStream {
    text.parse().expect("tokens")
}

/// `before` `{ tokens }` `after`, where the tokens keep their places in the source.
fn around(before: &str, tokens: TokenStream, delimiter: Delimiter, after: &str) -> TokenStream {
    let mut out = code(before);
    out.extend([TokenTree::Group(Group::new(delimiter, tokens))]);
    out.extend(code(after));
    out
}

fn braces(tokens: TokenStream) -> TokenStream {
    [TokenTree::Group(Group::new(Delimiter::Brace, tokens))].into_iter().collect()
}

fn answer(result: Result<TokenStream, String>) -> TokenStream {
    result.unwrap_or_else(|message| code(&format!("compile_error!({message:?});")))
}

/// The tool calls harnesses; nothing else does.
fn harness(function: TokenStream) -> TokenStream {
    let mut out = code("#[allow(dead_code)]");
    out.extend(function);
    out
}

/// The closure must take a reference to the result, give a bool, and leave the arguments alone.
#[proc_macro_attribute]
pub fn ensures(attr: TokenStream, item: TokenStream) -> TokenStream {
    answer(Function::cut(item).map(|f| {
        // { let _check: &dyn Fn(&Result) -> bool = &(closure); }
        let mut parameter = code("&");
        parameter.extend(f.result());
        let mut check =
            around("#[allow(unused_parens)] let _check: &dyn Fn", parameter, Delimiter::Parenthesis, "-> bool =");
        check.extend(around("&", attr, Delimiter::Parenthesis, ";"));
        f.checked(braces(check))
    }))
}

/// The condition must be a bool over the arguments.
#[proc_macro_attribute]
pub fn requires(attr: TokenStream, item: TokenStream) -> TokenStream {
    answer(
        Function::cut(item).map(|f| {
            f.checked(braces(around("let _check: &dyn Fn() -> bool = &|| -> bool", attr, Delimiter::Brace, ";")))
        }),
    )
}

/// A harness has no parameters.
#[proc_macro_attribute]
pub fn proof(attr: TokenStream, item: TokenStream) -> TokenStream {
    let copy = item.clone();
    answer(Function::cut(item).and_then(|f| match (attr.is_empty(), f.has_parameters()) {
        (false, _) => Err("#[kani::proof] takes no arguments".to_owned()),
        (_, true) => Err("a harness has no parameters".to_owned()),
        _ => Ok(harness(copy)),
    }))
}

/// A harness whose target exists.
#[proc_macro_attribute]
pub fn proof_for_contract(attr: TokenStream, item: TokenStream) -> TokenStream {
    answer(Function::cut(item).and_then(|f| match (attr.is_empty(), f.has_parameters()) {
        (true, _) => Err("#[kani::proof_for_contract] names a function".to_owned()),
        (_, true) => Err("a harness has no parameters".to_owned()),
        _ => Ok(harness(f.checked(around("let _target =", attr, Delimiter::None, ";")))),
    }))
}

/// A stub whose target exists.
#[proc_macro_attribute]
pub fn stub_verified(attr: TokenStream, item: TokenStream) -> TokenStream {
    answer(Function::cut(item).map(|f| f.checked(around("let _target =", attr, Delimiter::None, ";"))))
}

/// A stub whose target and replacement exist.
#[proc_macro_attribute]
pub fn stub(attr: TokenStream, item: TokenStream) -> TokenStream {
    answer(Function::cut(item).map(|f| f.checked(around("let _targets =", attr, Delimiter::Parenthesis, ";"))))
}

/// A bound is one integer literal.
#[proc_macro_attribute]
pub fn unwind(attr: TokenStream, item: TokenStream) -> TokenStream {
    match attr.to_string().parse::<u32>() {
        Ok(_) => item,
        Err(_) => answer(Err(format!("#[kani::unwind({attr})]: the bound is one integer literal"))),
    }
}

/// The solvers that Kani names, or a program.
#[proc_macro_attribute]
pub fn solver(attr: TokenStream, item: TokenStream) -> TokenStream {
    let name = attr.to_string();
    let named = ["bitwuzla", "cadical", "cvc5", "kissat", "minisat", "z3"].contains(&name.as_str());
    if named || name.starts_with("bin") {
        item
    } else {
        answer(Err(format!("#[kani::solver({name})]: no such solver")))
    }
}

/// As it is.
#[proc_macro_attribute]
pub fn should_panic(_attr: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// As it is.
#[proc_macro_attribute]
pub fn modifies(_attr: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// As it is.
#[proc_macro_attribute]
pub fn recursion(_attr: TokenStream, item: TokenStream) -> TokenStream {
    item
}
