//! The fake as a proxy.

use std::io::{self, Write};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::thread;

use super::message::Request;

/// Passes one connection on to loopback, whatever its host's name.
pub fn forward(request: &Request, client: &TcpStream) -> io::Result<()> {
    let rest = request.target.trim_start_matches("http://");
    let (authority, path) = match rest.find('/') {
        Some(slash) => rest.split_at(slash),
        None => (rest, "/"),
    };
    let port = authority
        .rsplit_once(':')
        .and_then(|(_, port)| port.parse().ok())
        .unwrap_or(80);
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    let mut client = client.try_clone()?;
    if request.method == "CONNECT" {
        client.write_all(b"HTTP/1.1 200 Fake\r\n\r\n")?;
    } else {
        let mut head = format!(
            "{} {path} HTTP/1.1\r\nconnection: close\r\n",
            request.method
        );
        for (name, value) in &request.headers {
            head += &format!("{name}: {value}\r\n");
        }
        server.write_all((head + "\r\n").as_bytes())?;
        server.write_all(&request.body)?;
    }
    let (mut up_from, mut up_to) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || {
        let copied = io::copy(&mut up_from, &mut up_to);
        up_to.shutdown(Shutdown::Write).and(copied)
    });
    io::copy(&mut server, &mut client)?;
    client.shutdown(Shutdown::Both)
}
