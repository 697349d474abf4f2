//! Who may ask. A page of another site can make a browser send requests here, and a name server can make a foreign name
//! mean this machine: so the name that was asked for, and the page that asks, must be ours.

use std::net::SocketAddr;

/// The names that browsers may use, with the port.
pub struct Names(Vec<String>);

impl Names {
    /// The address itself; of a loopback address all its names; and those that are given.
    pub fn new(address: SocketAddr, given: &[String]) -> Self {
        let port = address.port();
        let mut names = vec![address.to_string()];
        if address.ip().is_loopback() {
            names.extend(["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")));
        }
        let given = given.iter().map(|name| name.to_ascii_lowercase());
        names.extend(given.flat_map(|name| [format!("{name}:{port}"), name]));
        // Browsers leave out the port that is usual.
        if port == 80 {
            let bare: Vec<String> =
                names.iter().filter_map(|name| Some(name.strip_suffix(":80")?.to_owned())).collect();
            names.extend(bare);
        }
        Names(names)
    }

    /// Is a request for one of the names, and from one of its pages, or from no page at all?
    pub fn allow(&self, head: &Head<'_>) -> Result<(), &'static str> {
        let ours = |name: &str| self.0.contains(&name.to_ascii_lowercase());
        if !head.host.is_some_and(ours) {
            return Err("the name in Host is not one of this server's: use the address that it printed");
        }
        let page = |origin: &str| origin.strip_prefix("http://").or(origin.strip_prefix("https://")).is_some_and(ours);
        if head.origin.is_some_and(|origin| !page(origin)) {
            return Err("another page asks: only the page of this server may");
        }
        match head.site {
            None | Some("same-origin" | "none") => Ok(()),
            // A link on another page may lead here; it must not ask.
            Some(_) if head.navigates => Ok(()),
            Some(_) => Err("another page asks: only the page of this server may"),
        }
    }
}

/// What says who asks, in the head of a request.
#[derive(Default)]
pub struct Head<'a> {
    pub host: Option<&'a str>,
    pub origin: Option<&'a str>,
    /// `Sec-Fetch-Site`.
    pub site: Option<&'a str>,
    /// Is it someone who follows a link to the page?
    pub navigates: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_names_and_our_page() {
        let names = Names::new(SocketAddr::from(([127, 0, 0, 1], 7474)), &["Box.local".to_owned()]);
        let ask = |host, origin, site, navigates| names.allow(&Head { host, origin, site, navigates }).is_ok();
        assert!(ask(Some("127.0.0.1:7474"), None, None, false));
        assert!(ask(Some("LOCALHOST:7474"), Some("http://localhost:7474"), Some("same-origin"), false));
        assert!(ask(Some("box.local"), Some("https://box.local"), None, false));
        assert!(ask(Some("localhost:7474"), None, Some("cross-site"), true));
        for (host, origin, site) in [
            (None, None, None),
            (Some("evil.example:7474"), None, None),
            (Some("127.0.0.1"), None, None),
            (Some("127.0.0.1:7475"), None, None),
            (Some("127.0.0.1:7474"), Some("http://evil.example"), None),
            (Some("127.0.0.1:7474"), Some("null"), None),
            (Some("127.0.0.1:7474"), Some("http://127.0.0.1:7475"), None),
            (Some("127.0.0.1:7474"), None, Some("cross-site")),
        ] {
            assert!(!ask(host, origin, site, false), "{host:?} {origin:?} {site:?}");
        }
        let usual = Names::new(SocketAddr::from(([127, 0, 0, 1], 80)), &[]);
        assert!(usual.allow(&Head { host: Some("localhost"), ..Head::default() }).is_ok());
    }
}
