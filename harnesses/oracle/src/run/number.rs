//! Numbers as people read them: the shortest digits that mean the number, or so many digits.

use std::fmt::{Display, LowerExp};

/// How many characters an exponent must save: 1000 and 0.001 are read more easily than 1e3 and 1e-3.
const SAVES: usize = 3;

/// A floating-point number. Without a precision, the shortest digits that read back as it, with an exponent where that
/// is shorter; with one, so many significant digits.
pub fn float(x: f64, precision: Option<usize>) -> String {
    if !x.is_finite() {
        return x.to_string();
    }
    match precision {
        Some(digits) => significant(x, digits.max(1)),
        None => shortest(x),
    }
}

/// The shortest digits that read back as a number of this width, with an exponent where that is shorter.
pub fn shortest(x: impl Display + LowerExp) -> String {
    let (plain, scientific) = (x.to_string(), format!("{x:e}"));
    if scientific.len() + SAVES <= plain.len() { scientific } else { plain }
}

/// So many significant digits, with an exponent where the number has more digits before the point than that, or more
/// than four zeros behind it.
fn significant(x: f64, digits: usize) -> String {
    let scientific = format!("{x:.*e}", digits - 1);
    let exponent: i64 = scientific.rsplit('e').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    let most = i64::try_from(digits).unwrap_or(i64::MAX);
    if exponent < -5 || exponent >= most {
        return scientific;
    }
    let behind = usize::try_from(most - 1 - exponent).unwrap_or(0);
    format!("{x:.behind$}")
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn shortest_reads_back() {
        for x in
            [0.0, -0.0, 1.0, 0.1, 1e21, 1e-7, 123_456_789.125, f64::MAX, f64::MIN_POSITIVE, 1.0 / 3.0, 1e100, 5e-324]
        {
            let text = float(x, None);
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(x.to_bits()), "{text}");
        }
        let shown = [1e300, 1e-7, 1000.0, 0.001, 120_000.0, 1.5].map(|x| float(x, None));
        assert_eq!(shown, ["1e300", "1e-7", "1000", "0.001", "120000", "1.5"]);
        assert_eq!(float(f64::INFINITY, None), "inf");
    }

    #[test]
    fn so_many_digits() {
        let shown = [1.0 / 3.0, 2.0, 123_456.0, 0.000_012_345, 9.9999, 0.0].map(|x| float(x, Some(3)));
        assert_eq!(shown, ["0.333", "2.00", "1.23e5", "0.0000123", "10.0", "0.00"]);
        assert_eq!(float(1e-9, Some(1)), "1e-9");
    }
}
