//! Values for people: rows and columns, long axes shortened.

use lozenge::text::right;

/// How many entries of an axis are shown, unless all are.
const MOST: usize = 9;

/// Which indices of an axis are shown; none is a gap.
fn shown(size: usize, all: bool) -> Vec<Option<usize>> {
    if all || size <= MOST {
        return (0..size).map(Some).collect();
    }
    let (front, back) = (MOST - 3, 2);
    (0..front).map(Some).chain([None]).chain((size - back..size).map(Some)).collect()
}

/// The lines of a value: a matrix for each index of the axes before the last two.
pub fn lines(dims: &[u64], cells: &[String], all: bool) -> Vec<String> {
    let sizes: Vec<usize> = dims.iter().map(|n| usize::try_from(*n).unwrap_or(usize::MAX)).collect();
    let (outer, matrix) = sizes.split_at(sizes.len().saturating_sub(2));
    let (rows, columns) = match matrix {
        [rows, columns] => (*rows, *columns),
        [columns] => (1, *columns),
        _ => (1, 1),
    };
    let mut out = Vec::new();
    let mut index = vec![0; outer.len()];
    let picks: Vec<Vec<Option<usize>>> = outer.iter().map(|n| shown(*n, all)).collect();
    blocks(&picks, &mut index, 0, &mut |index, gap| {
        if !outer.is_empty() {
            let place: Vec<String> = index.iter().map(ToString::to_string).collect();
            out.push(if gap { "…".to_owned() } else { format!("[{}]", place.join(", ")) });
        }
        if !gap {
            let start = index.iter().zip(outer).fold(0, |at, (i, n)| at * n + i) * rows * columns;
            out.extend(block(&cells[start..start + rows * columns], rows, columns, all));
        }
    });
    out
}

fn blocks(picks: &[Vec<Option<usize>>], index: &mut Vec<usize>, depth: usize, out: &mut impl FnMut(&[usize], bool)) {
    let Some(pick) = picks.get(depth) else { return out(index, false) };
    for i in pick {
        match i {
            Some(i) => {
                index[depth] = *i;
                blocks(picks, index, depth + 1, out);
            }
            None => out(index, true),
        }
    }
}

fn block(cells: &[String], rows: usize, columns: usize, all: bool) -> Vec<String> {
    let columns_shown = shown(columns, all);
    let rows_shown = shown(rows, all);
    let cell = |row: usize, column: &Option<usize>| column.map_or("…", |c| cells[row * columns + c].as_str());
    let width = |column: &Option<usize>| {
        rows_shown.iter().flatten().map(|row| cell(*row, column).chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = columns_shown.iter().map(width).collect();
    let line = |row: &Option<usize>| {
        let Some(row) = row else { return "…".to_owned() };
        let cells = columns_shown.iter().zip(&widths);
        cells.map(|(column, width)| right(cell(*row, column), *width)).collect::<Vec<_>>().join("  ")
    };
    rows_shown.iter().map(line).collect()
}
