//! How much memory a process has, where the system tells: Linux does.

/// What `/proc/PID/statm` says, in bytes.
pub struct Statm {
    /// All that is mapped.
    pub address_space: u64,
    /// What is in memory.
    pub resident: u64,
}

impl Statm {
    /// Of a process, by its number or `self`.
    pub fn of(process: impl std::fmt::Display) -> Option<Self> {
        let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
        let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok()??.unsigned_abs();
        let mut sizes = text.split(' ').map(|pages| Some(pages.parse::<u64>().ok()?.saturating_mul(page)));
        Some(Statm { address_space: sizes.next()??, resident: sizes.next()?? })
    }
}
