//! Numbers as they are written: exact, whatever floating-point numbers can hold.

use std::fmt;
use std::ops::Neg;

/// A number as it is written: the nearest floating-point number, and the exact one where the shortest decimal of that
/// is another.
#[derive(Clone, PartialEq, Debug)]
pub struct Numeral {
    value: f64,
    /// In lowest terms, so that equal numbers have equal texts: `9007199254740993`, `1e-400`, `1/3`.
    exact: Option<Box<str>>,
}

/// Do digits give infinity?
pub fn overflows(value: f64, text: &str) -> bool {
    value.is_infinite() && text.contains(|c: char| c.is_ascii_digit())
}

impl Numeral {
    /// A floating-point number.
    #[must_use]
    pub const fn float(value: f64) -> Self {
        Numeral { value, exact: None }
    }

    /// Reads a number as Rust reads floating-point numbers: `12`, `0.1`, `-1e3`, and `inf` or `nan`. Digits that do not
    /// fit, as `1e400`, are no number: infinity has its own name.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let value: f64 = text.parse().ok().filter(|value| !overflows(*value, text))?;
        let Some(decimal) = Decimal::of(text).filter(|decimal| value.is_finite() && !decimal.is_short()) else {
            return Some(Numeral::float(value));
        };
        let shortest = Decimal::of(&format!("{value:?}"));
        let exact = (shortest.as_ref() != Some(&decimal)).then(|| decimal.to_string().into());
        Some(Numeral { value, exact })
    }

    /// Reads a fraction of whole numbers, `1/3`.
    #[must_use]
    pub fn read_fraction(text: &str) -> Option<Self> {
        let (n, d) = text.split_once('/')?;
        let (n, d): (i128, i128) = (n.trim().parse().ok()?, d.trim().parse().ok()?);
        #[allow(clippy::cast_precision_loss)]
        let value = n as f64 / d as f64;
        (d != 0).then(|| Numeral { value, exact: Some(format!("{n}/{d}").into()) })
    }

    /// The nearest floating-point number.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Is it written as a fraction?
    #[must_use]
    pub fn is_fraction(&self) -> bool {
        self.exact.as_ref().is_some_and(|exact| exact.contains('/'))
    }

    /// The exact number, where floating-point numbers do not have it.
    #[must_use]
    pub fn exact(&self) -> Option<&str> {
        self.exact.as_deref()
    }

    /// For people: without a point where it is whole.
    #[must_use]
    pub fn brief(&self) -> String {
        self.exact().map_or_else(|| self.value().to_string(), str::to_owned)
    }
}

/// As it is read back: the shortest decimal of a floating-point number, or all digits.
impl fmt::Display for Numeral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.exact {
            Some(exact) => f.write_str(exact),
            None => write!(f, "{:?}", self.value),
        }
    }
}

impl From<f64> for Numeral {
    fn from(value: f64) -> Self {
        Numeral::float(value)
    }
}

impl From<u128> for Numeral {
    fn from(n: u128) -> Self {
        // Digits are always a number.
        Self::read(&n.to_string()).unwrap_or(Numeral::float(f64::INFINITY))
    }
}

impl Neg for Numeral {
    type Output = Numeral;

    fn neg(self) -> Numeral {
        let exact = self.exact.map(|exact| match exact.strip_prefix('-') {
            Some(positive) => positive.into(),
            None => format!("-{exact}").into(),
        });
        Numeral { value: -self.value, exact }
    }
}

/// A decimal: ± digits · 10^exponent, without zeros at either end of the digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Reads `-12.50e3`.
    pub fn of(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let written = format!("{whole}{part}");
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(&written) || !is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)) {
            return None;
        }
        // An exponent that no machine holds is as good as the largest: no scalar has such numbers.
        let most = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
        let exponent = exponent.parse().unwrap_or(most).saturating_sub(i64::try_from(part.len()).ok()?);
        let digits = written.trim_end_matches('0');
        if digits.is_empty() {
            return Some(Decimal { negative, digits: String::new(), exponent: 0 });
        }
        let exponent = exponent.saturating_add(i64::try_from(written.len() - digits.len()).ok()?);
        Some(Decimal { negative, digits: digits.trim_start_matches('0').to_owned(), exponent })
    }

    /// Is it surely the shortest decimal of its nearest floating-point number? Fifteen digits always survive.
    fn is_short(&self) -> bool {
        self.digits.len() <= 15 && self.exponent.unsigned_abs() < 250
    }

    /// Does it have a part after the point?
    pub fn has_part(&self) -> bool {
        self.exponent < 0
    }

    /// As n / d, if both fit.
    pub fn ratio(&self) -> Option<(i128, i128)> {
        if self.digits.is_empty() {
            return Some((0, 1));
        }
        let digits: i128 = self.digits.parse().ok()?;
        let digits = if self.negative { -digits } else { digits };
        let power = 10_i128.checked_pow(u32::try_from(self.exponent.unsigned_abs()).ok()?)?;
        if self.has_part() { Some((digits, power)) } else { Some((digits.checked_mul(power)?, 1)) }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        match usize::try_from(self.exponent) {
            _ if self.digits.is_empty() => write!(f, "{sign}0"),
            Ok(zeros) if zeros <= 40 => write!(f, "{sign}{}{}", self.digits, "0".repeat(zeros)),
            _ => write!(f, "{sign}{}e{}", self.digits, self.exponent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, Numeral};

    #[test]
    fn equal_numbers_are_equal_however_they_are_written() {
        let same = [["1000", "1e3"], ["0.10", "1e-1"], ["9007199254740993", "9007199254740993.0"], ["0", "0e99999"]];
        for [one, other] in same {
            assert_eq!(Numeral::read(one), Numeral::read(other), "{one}, {other}");
        }
        assert_ne!(Numeral::read("9007199254740992"), Numeral::read("9007199254740993"));
        assert_ne!(Numeral::read("1e-400"), Numeral::read("0"));
    }

    #[test]
    fn what_is_printed_is_read_back() {
        for text in ["0.1", "9007199254740993", "-0.0", "1e-400", "123456789012345678901234567890.5", "1e300", "5e-324"]
        {
            let number = Numeral::read(text).expect("a number");
            assert_eq!(Numeral::read(&number.to_string()), Some(number.clone()), "{text}");
            assert_eq!(number.value().to_bits(), text.parse::<f64>().expect("a number").to_bits(), "{text}");
        }
    }

    #[test]
    fn decimals_are_fractions() {
        let ratio = |text: &str| Decimal::of(text).and_then(|decimal| decimal.ratio());
        assert_eq!(ratio("0.1"), Some((1, 10)));
        assert_eq!(ratio("-12.50e3"), Some((-12500, 1)));
        assert_eq!(ratio("1.00000000000000000000000000000000000000000000000000"), Some((1, 1)));
        assert_eq!((ratio("1e39"), ratio("1e-99999999999999999999")), (None, None));
        assert_eq!(
            (Decimal::of("1e"), Decimal::of("."), Decimal::of("0x1"), Decimal::of("")),
            (None, None, None, None)
        );
    }
}
