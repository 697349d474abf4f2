//! The engine: the steps of [`lozenge_calculus`], fast.
//!
//! The rules are the calculus's own functions; what most of them do is carried out as soon as it is seen. What is here is
//! how Φ, σ and B are kept; every such way has an invariant that says which plain thing it stands for, and the laws of
//! `harnesses/laws/tests/layers.rs` compare the two step by step.
//!
//! | kept as | stands for | invariant |
//! |---|---|---|
//! | [`solver::bindings`]: each variable bound once, chains followed on demand and shortened | σ | the chain from x ends in σ(x), and is tainted iff a binding on it is |
//! | [`solver::configuration`]: the input read where it stands, σ applied to a constraint when it is taken, dimensions and rows kept apart, a queue in pieces | Φ | what is taken next, under σ, is what the strategy takes from the list |
//! | `solver::configuration::quick`: effects carried out without being said as data first, where nobody looks | effects | the effect is the one that the rule says; builds with debug assertions ask it |
//! | [`solver::store`]: tables by variable, lists threaded through the entries, adjacencies in a topological order, which is a line of places that can be changed anywhere, and is drawn anew along what waits where that costs less | B | the live entries in the order stored are the list; α comes before β in the order iff no path leads from β to α back |
//! | `solver::paths`: the paths that DI-antisym found, while they last | paths in B | between two places of what is whole of a path, every adjacency is stored |
//! | `solver::lay`: where each variable leads on a few long paths through all adjacencies, and what on them leads to it, until one of their variables is bound | paths in B | what is said to lead somewhere does |
//! | `solver::configuration::touch`: what the next constraints ask for is read ahead where tables are large | nothing | nothing comes of it |
//! | [`solver::differences`]: least values, repaired as facts come | the guard's facts | every fact holds of the values; a fact is refused iff Bellman–Ford finds a positive cycle with it |
//! | `solver::configuration::again`: what the steps of a part of Φ did, done again for a part that is alike and finds the same outside | steps | what is done is what the rules say of each step, but for what is out of the store again at the end of the part |
//! | [`closing`]: what is open and which caps are new, kept between commitments; deferred equations by the axes they ask for; a look that found nothing, while nothing comes; joins by a worklist | Def. 6.1 | the same commitments in the same order; builds with debug assertions count anew |
//! | `solver::configuration::chosen`: commitments with ground values are steps as they come, where nothing waits | Φ | they are what the strategy takes next, before all that they wake |
//! | [`lengths`]: row constraints as numbers of axes | what they say of lengths (Remark 6.7) | the same lengths are tried, at the same cost |
//! | [`projection`]: union–find | Def. 7.3 | the same classes, numbered by their first ids |
#![forbid(unsafe_code)]

pub mod closing;
mod components;
pub mod decide;
pub mod lengths;
pub mod mutant;
pub mod projection;
pub mod solver;
mod varset;

pub use components::components;
pub use varset::VarSet;
