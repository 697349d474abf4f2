//! Strongly connected components (Tarjan, 1972), without recursion: chains are long.

/// Edges by where they start: those of v stand between the starts of v and of v + 1.
struct Edges {
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Edges {
    fn new(count: usize, edges: &[(usize, usize)]) -> Self {
        let mut starts = vec![0; count + 1];
        edges.iter().for_each(|(from, _)| starts[from + 1] += 1);
        (0..count).for_each(|v| starts[v + 1] += starts[v]);
        let (mut next, mut ends) = (starts.clone(), vec![0; edges.len()]);
        for (from, to) in edges {
            ends[next[*from]] = *to;
            next[*from] += 1;
        }
        Edges { starts, ends }
    }
}

/// Numbers v of a graph whose nodes are the numbers below `count`: the component of each. What a node leads to has its
/// number or a smaller one.
#[must_use]
pub fn components(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let edges = Edges::new(count, edges);
    let mut search = Search { seen: vec![0; count], last: 0, open: Vec::new(), found: 0, component: vec![NONE; count] };
    (0..count).for_each(|v| search.from(v, &edges));
    search.component
}

/// No component yet.
const NONE: usize = usize::MAX;

struct Search {
    /// When each was first seen, or the first that it leads back to; 0 before.
    seen: Vec<usize>,
    last: usize,
    /// What was seen and whose component is not known.
    open: Vec<usize>,
    /// How many components are known, and which they are.
    found: usize,
    component: Vec<usize>,
}

/// A node on the way to the one that is looked at: when it was seen, and the next of its edges.
struct OnWay {
    v: usize,
    seen: usize,
    next: usize,
}

impl Search {
    /// Sees a node for the first time.
    fn see(&mut self, v: usize, edges: &Edges) -> OnWay {
        self.last += 1;
        self.seen[v] = self.last;
        self.open.push(v);
        OnWay { v, seen: self.last, next: edges.starts[v] }
    }

    fn from(&mut self, start: usize, edges: &Edges) {
        if self.seen[start] > 0 {
            return;
        }
        let mut way = vec![self.see(start, edges)];
        while let Some(OnWay { v, seen, next }) = way.last_mut() {
            let (v, seen) = (*v, *seen);
            if *next < edges.starts[v + 1] {
                let to = edges.ends[*next];
                *next += 1;
                match (self.seen[to], self.component[to]) {
                    (0, _) => way.push(self.see(to, edges)),
                    (_, NONE) => self.seen[v] = self.seen[v].min(self.seen[to]),
                    _ => {}
                }
                continue;
            }
            way.pop();
            if self.seen[v] == seen {
                self.close(v);
            } else if let Some(up) = way.last() {
                self.seen[up.v] = self.seen[up.v].min(self.seen[v]);
            }
        }
    }

    /// v leads back to nothing before it: what is open from it on is a component.
    fn close(&mut self, v: usize) {
        while let Some(u) = self.open.pop() {
            self.component[u] = self.found;
            if u == v {
                break;
            }
        }
        self.found += 1;
    }
}
