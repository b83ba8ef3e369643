//! Who may come in: the page that the program itself serves, opened by a person who has its address.
//!
//! Three locks, any of which suffices against most attackers: the secret in the address; the name by which the server
//! was called, which another site's own name for this computer is not (DNS rebinding); and the origin of the page that
//! asks, which browsers state truly. A link to the page may be followed from anywhere: in a note, a web terminal, or the
//! file that opens the browser.

use super::http::{Head, Method, Refusal, refusal};

/// The secret of an address and the names of the server.
pub(super) struct Auth {
    port: u16,
    token: String,
    /// `127.0.0.1:PORT` and `localhost:PORT`, and without the port if it is that of HTTP, which browsers omit.
    hosts: Vec<String>,
}

/// Number of random bytes in a token.
const TOKEN_BYTES: usize = 16;

/// The default port of HTTP.
const HTTP_PORT: u16 = 80;

impl Auth {
    /// Creates the auth of a server on a port of the loopback address.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub(super) fn new(port: u16) -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        let names = ["127.0.0.1", "localhost"];
        let mut hosts: Vec<String> = names.map(|name| format!("{name}:{port}")).into();
        if port == HTTP_PORT {
            hosts.extend(names.map(str::to_owned));
        }
        Ok(Self { port, token: bytes.iter().map(|byte| format!("{byte:02x}")).collect(), hosts })
    }

    /// Returns the address of the page.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Checks a request. Returns its path behind the token.
    ///
    /// # Errors
    /// Says what is wrong with the request, and never what would be right about the token.
    pub(super) fn admit<'a>(&self, head: &'a Head) -> Result<&'a str, Refusal> {
        let forbidden = |text: &str| Err(refusal("403 Forbidden", text));
        let is_ours = |host: &str| self.hosts.iter().any(|own| host.eq_ignore_ascii_case(own));
        match &head.host {
            Some(host) if is_ours(host) => {}
            Some(_) => {
                return forbidden("this server has no such name: open the address that it printed");
            }
            None => return forbidden("the request names no host"),
        }
        if let Some(origin) = &head.origin
            && !origin.strip_prefix("http://").is_some_and(is_ours)
        {
            return forbidden("requests from pages of other sites are not answered");
        }
        let rest = head.path.strip_prefix('/').unwrap_or_default();
        let path = match rest.split_once('/') {
            Some((token, path)) if self.is_token(token) => path,
            _ => return forbidden("the address is not complete: open the one that the program printed"),
        };
        let is_own = head.site.as_ref().is_none_or(|site| matches!(site.as_str(), "same-origin" | "none"));
        if is_own || path.is_empty() && is_followed_link(head) {
            Ok(path)
        } else {
            forbidden("requests from pages of other sites are not answered")
        }
    }

    /// Compares all bytes: the time must not tell how many of them are right.
    fn is_token(&self, text: &str) -> bool {
        let pairs = text.bytes().zip(self.token.bytes());
        let difference = pairs.fold(0, |all, (a, b)| all | (a ^ b));
        text.len() == self.token.len() && difference == 0
    }
}

/// Returns true if a window navigates to the page, rather than a frame.
fn is_followed_link(head: &Head) -> bool {
    let is = |header: &Option<String>, value| header.as_deref() == Some(value);
    head.method == Method::Get && is(&head.mode, "navigate") && is(&head.destination, "document")
}
