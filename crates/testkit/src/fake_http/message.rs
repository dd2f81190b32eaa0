//! HTTP/1.1 as far as a fake server needs it.

use std::io::{self, BufRead, Read, Write};

/// The header of a message.
pub const JSON: (&str, &str) = ("content-type", "application/json");
/// The header of a stream of events.
pub const EVENTS: (&str, &str) = ("content-type", "text/event-stream");

/// A request, whole.
#[derive(Debug)]
pub struct Request {
    pub method: String,
    /// As it was sent: a path, or a whole URL to a proxy.
    pub target: String,
    /// Names in lower case, in order.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// Reads one; nothing where the client hung up between two.
    pub fn read(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if from.take(64 * 1024).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace();
        let method = words.next().unwrap_or_default().to_owned();
        let target = words.next().unwrap_or_default().to_owned();
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            from.take(64 * 1024).read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut request = Self {
            method,
            target,
            headers,
            body: Vec::new(),
        };
        let length = request
            .header("content-length")
            .and_then(|text| text.parse().ok());
        from.take(length.unwrap_or(0))
            .read_to_end(&mut request.body)?;
        Ok(Some(request))
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Writes an answer with a body.
pub fn answer(
    to: &mut dyn Write,
    status: u16,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<()> {
    head(to, status, headers)?;
    write!(to, "content-length: {}\r\n\r\n", body.len())?;
    to.write_all(body)?;
    to.flush()
}

/// Begins an answer that comes in pieces.
pub fn begin(to: &mut dyn Write, headers: &[(&str, &str)]) -> io::Result<()> {
    head(to, 200, headers)?;
    to.write_all(b"transfer-encoding: chunked\r\n\r\n")?;
    to.flush()
}

/// One piece; an empty one is the end.
pub fn piece(to: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    write!(to, "{:x}\r\n", bytes.len())?;
    to.write_all(bytes)?;
    to.write_all(b"\r\n")?;
    to.flush()
}

fn head(to: &mut dyn Write, status: u16, headers: &[(&str, &str)]) -> io::Result<()> {
    write!(to, "HTTP/1.1 {status} Fake\r\n")?;
    for (name, value) in headers {
        write!(to, "{name}: {value}\r\n")?;
    }
    Ok(())
}
