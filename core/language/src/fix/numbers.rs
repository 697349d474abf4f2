//! Numbers that do not add up: sizes that are declared or set, strides, indices.

use super::scene::{About, Scene};
use super::{Fix, MOST_NUMBERS};
use crate::explain::InferError;
use crate::generate::Role;
use crate::lexer::{Token, tokens};
use crate::shape::Kind;
use crate::written::axes;
use lozenge_notation::Span;
use std::collections::BTreeSet;

/// How far from what is written numbers are tried.
const AROUND: u64 = 40;

/// A number in the text, what it is, and how likely it is wrong: less is likelier.
struct Place {
    span: Span,
    value: u64,
    what: String,
    rank: u8,
}

pub(super) fn propose(scene: &Scene<'_>, out: &mut Vec<(u8, Fix)>) {
    let About::Error(error) = scene.about else { return };
    if let InferError::Index(index) = error {
        let last = index.size.saturating_sub(1);
        for place in places(scene).iter().filter(|place| place.value == index.index) {
            let says = format!("indices go from 0 to {last}");
            out.push((2, Fix::one(says, place.span, last.to_string())));
        }
        return;
    }
    let (numbers, meant) = mentioned(error, scene.source);
    let mut places = places(scene);
    places.retain(|place| numbers.contains(&place.value));
    places.truncate(MOST_NUMBERS);
    for place in &places {
        for value in meant.iter().filter(|value| **value != place.value && **value > 0) {
            out.push((place.rank, Fix::one(format!("make {} {value}", place.what), place.span, value.to_string())));
        }
    }
    if matches!(error, InferError::Size(_) | InferError::Clash(_)) {
        near(&places, out);
    }
}

/// Numbers close to what is written, the closest first, the larger of two first.
fn near(places: &[Place], out: &mut Vec<(u8, Fix)>) {
    for by in 1..=AROUND {
        for place in places {
            for value in [place.value.checked_add(by), place.value.checked_sub(by)].into_iter().flatten() {
                if value > 0 {
                    let says = format!("make {} {value}", place.what);
                    // A little is likelier than much, whatever it is changed at.
                    let rank = place.rank.saturating_add(10).saturating_add(u8::try_from(by).unwrap_or(u8::MAX));
                    out.push((rank, Fix::one(says, place.span, value.to_string())));
                }
            }
        }
    }
}

/// The numbers that an error is about, and those that would make its equations hold.
fn mentioned(error: &InferError, source: &str) -> (BTreeSet<u64>, BTreeSet<u64>) {
    let mut texts = match error {
        InferError::Size(size) => vec![(size.equation.clone(), size.text.clone())],
        _ => vec![(error.headline(source), String::new())],
    };
    if let Some(behind) = error.behind() {
        texts.extend(
            behind.equations.iter().take(MOST_NUMBERS).map(|equation| (equation.text.clone(), equation.axis.clone())),
        );
    }
    let (mut all, mut meant) = (BTreeSet::new(), BTreeSet::new());
    for (text, axis) in &texts {
        let numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok());
        let numbers: Vec<u64> = numbers.take(MOST_NUMBERS).collect();
        all.extend(&numbers);
        // Only what is put one after the other adds up.
        if let [total, parts @ ..] = numbers.as_slice()
            && axis.contains('^')
        {
            let sum = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(*part));
            meant.insert(sum);
            meant.extend(parts.iter().map(|part| total.saturating_sub(sum.saturating_sub(*part))));
        }
    }
    if matches!(error, InferError::Clash(_)) {
        meant.extend(&all);
    }
    (all, meant)
}

/// The numbers that may be wrong.
fn places(scene: &Scene<'_>) -> Vec<Place> {
    let mut found = in_specs(scene);
    found.extend(set(scene));
    for site in &scene.declared {
        let rank = if matches!(site.role, Role::Input | Role::Const) { 54 } else { 50 };
        for axis in Kind::ALL.into_iter().filter_map(|kind| site.rows.get(kind)).flat_map(|row| axes(scene.source, row))
        {
            let what = format!("that axis of `{}`", site.name);
            found.extend(number(scene.source, axis, what, rank));
        }
    }
    found
}

fn number(source: &str, span: Span, what: String, rank: u8) -> Option<Place> {
    let value = span.text(source).parse().ok()?;
    Some(Place { span, value, what, rank })
}

/// Strides, dilations and indices.
fn in_specs(scene: &Scene<'_>) -> Vec<Place> {
    let mut found = Vec::new();
    let slices = scene.operations().filter(|op| op.index.is_some()).map(|op| op.span);
    for span in scene.specs().into_iter().chain(slices) {
        let text = span.text(scene.source);
        let mut at = 0;
        for part in text.split_inclusive(|c: char| !c.is_ascii_digit()) {
            let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
            let before = text[..at].chars().next_back();
            if !digits.is_empty() && !before.is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
                let place = Span { start: span.start + at, end: span.start + at + digits.len() };
                found.extend(number(scene.source, place, "the number in the specification".to_owned(), 48));
            }
            at += part.len();
        }
    }
    found
}

/// Sizes that are set, the last first.
fn set(scene: &Scene<'_>) -> Vec<Place> {
    let Ok(tokens) = tokens(scene.source) else { return Vec::new() };
    let begins = |at: usize| tokens.get(at).is_some_and(|it| it.begins);
    let statements = tokens.windows(3).enumerate().rev().filter_map(|(at, three)| match three {
        [name, is, value] if is.token == Token::Sign("=") => match (name.token, value.token) {
            // `n = 8`, and `elements x = 24`, where one word stands before.
            (Token::Name(name), Token::Int(_)) if begins(at) || (at > 0 && begins(at - 1)) => {
                let star = tokens.get(at + 3).is_some_and(|it| it.token == Token::Sign("*") && !it.begins);
                let times = tokens.get(at + 4).filter(|_| star).map(|it| it.span.text(scene.source));
                let what = match times {
                    Some(other) => format!("the coefficient of `{other}`"),
                    None if begins(at) => format!("`{name}`"),
                    None => format!("the elements of `{name}`"),
                };
                number(scene.source, value.span, what, 49)
            }
            _ => None,
        },
        _ => None,
    });
    statements.collect()
}
