//! Which pages there are.

use super::address::Addresses;
use super::made::Made;
use super::{document, figures, search, shell, source, statement};
use crate::output::{Failure, Output};
use lozenge_spec::{CLAIMS, Place};
use std::collections::BTreeSet;

/// A page, by its path in the site. Links in its body lead from there.
pub struct Page {
    pub path: String,
    pub title: String,
    pub body: String,
}

/// Every place that a statement names.
pub fn places(claim: &lozenge_spec::Claim) -> impl Iterator<Item = &Place> {
    let tests = claim.harness.iter().map(|harness| &harness.test).chain(&claim.tests);
    claim.code.iter().chain(tests).chain(&claim.proof)
}

/// Every page, each made from files of the checkout.
pub fn pages(made: &Made, out: &Output) -> Result<Vec<Page>, Failure> {
    let addresses = Addresses::of(made)?;
    let mut pages = vec![statement::index(made)];
    for claim in CLAIMS.iter() {
        pages.push(statement::page(claim, made, &addresses)?);
    }
    pages.push(figures::page(made, &addresses)?);
    // Documents lead to further documents, and both to sources.
    made.files_in("spec/", ".md")?.iter().for_each(|path| addresses.want(path));
    let mut done = BTreeSet::new();
    while let Some(path) = addresses.wanted().into_iter().find(|path| path.ends_with(".md") && !done.contains(path)) {
        pages.push(document::page(&path, made, &addresses, out)?);
        done.insert(path);
    }
    CLAIMS.iter().flat_map(places).for_each(|place| addresses.want(place.path()));
    for path in addresses.wanted().into_iter().filter(|path| !path.ends_with(".md")) {
        pages.push(source::page(&path, made)?);
    }
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(pages)
}

/// The files of the site: pages, the style, the search.
pub fn files(pages: &[Page], made: &Made) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> =
        pages.iter().map(|page| (page.path.clone(), shell::around(page, made))).collect();
    files.push(("style.css".to_owned(), shell::style()));
    files.push(("search.js".to_owned(), search::script(pages)));
    files
}
