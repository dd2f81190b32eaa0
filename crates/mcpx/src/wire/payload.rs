//! What is in a frame: strings with their length before them, small numbers, flags.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::frame::{Message, WireError};
use super::{Hello, Invocation, Stdin, StdinWish, ToClient, ToDaemon};
use crate::paths::Environment;

impl Message for ToDaemon {
    fn limit(kind: u8) -> Option<usize> {
        Self::longest(kind)
    }

    fn encode(&self, bytes: &mut Vec<u8>) -> u8 {
        match self {
            ToDaemon::Hello(Hello { nonce, build }) => {
                bytes.extend_from_slice(nonce);
                bytes.extend_from_slice(build.as_bytes());
                Self::HELLO
            }
            ToDaemon::Invocation(invocation) => {
                put_invocation(bytes, invocation);
                Self::INVOCATION
            }
            ToDaemon::Stdin(data) => {
                put_optional(bytes, data.as_deref());
                Self::STDIN
            }
            ToDaemon::Answer(line) => {
                put_optional(bytes, line.as_deref().map(str::as_bytes));
                Self::ANSWER
            }
        }
    }

    fn decode(kind: u8, payload: &[u8]) -> Result<Self, WireError> {
        match kind {
            Self::HELLO => {
                let broken = WireError::Payload("hello");
                let (nonce, build) = payload.split_first_chunk().ok_or(broken)?;
                Ok(ToDaemon::Hello(Hello {
                    nonce: *nonce,
                    build: text(build, "build")?,
                }))
            }
            Self::INVOCATION => invocation(payload).map(|it| ToDaemon::Invocation(Box::new(it))),
            Self::STDIN => optional(payload, "stdin").map(ToDaemon::Stdin),
            Self::ANSWER => match optional(payload, "answer")? {
                Some(line) => text(&line, "answer").map(|line| ToDaemon::Answer(Some(line))),
                None => Ok(ToDaemon::Answer(None)),
            },
            _ => Err(WireError::Kind(kind)),
        }
    }
}

impl Message for ToClient {
    fn limit(kind: u8) -> Option<usize> {
        Self::longest(kind)
    }

    fn encode(&self, bytes: &mut Vec<u8>) -> u8 {
        match self {
            ToClient::Greeting { nonce } => {
                bytes.extend_from_slice(nonce);
                Self::GREETING
            }
            ToClient::Refused(reason) => {
                bytes.extend_from_slice(reason.as_bytes());
                Self::REFUSED
            }
            ToClient::Stdout(output) => {
                bytes.extend_from_slice(output);
                Self::STDOUT
            }
            ToClient::Stderr(output) => {
                bytes.extend_from_slice(output);
                Self::STDERR
            }
            ToClient::ReadStdin(wish) => {
                bytes.push(match wish {
                    StdinWish::All => 0,
                    StdinWish::IfObject => 1,
                });
                Self::READ_STDIN
            }
            ToClient::Ask { question, secret } => {
                bytes.push(u8::from(*secret));
                bytes.extend_from_slice(question.as_bytes());
                Self::ASK
            }
            ToClient::Exit(code) => {
                bytes.push(*code);
                Self::EXIT
            }
        }
    }

    fn decode(kind: u8, payload: &[u8]) -> Result<Self, WireError> {
        match kind {
            Self::GREETING => {
                let nonce = payload.try_into();
                let nonce = nonce.map_err(|_| WireError::Payload("greeting"))?;
                Ok(ToClient::Greeting { nonce })
            }
            Self::REFUSED => text(payload, "refusal").map(ToClient::Refused),
            Self::STDOUT => Ok(ToClient::Stdout(payload.to_vec())),
            Self::STDERR => Ok(ToClient::Stderr(payload.to_vec())),
            Self::READ_STDIN => match payload {
                [0] => Ok(ToClient::ReadStdin(StdinWish::All)),
                [1] => Ok(ToClient::ReadStdin(StdinWish::IfObject)),
                _ => Err(WireError::Payload("wish")),
            },
            Self::ASK => match payload {
                [secret @ (0 | 1), question @ ..] => Ok(ToClient::Ask {
                    question: text(question, "question")?,
                    secret: *secret == 1,
                }),
                _ => Err(WireError::Payload("question")),
            },
            Self::EXIT => match payload {
                [code] => Ok(ToClient::Exit(*code)),
                _ => Err(WireError::Payload("exit code")),
            },
            _ => Err(WireError::Kind(kind)),
        }
    }
}

fn put_optional(bytes: &mut Vec<u8>, data: Option<&[u8]>) {
    bytes.push(u8::from(data.is_some()));
    bytes.extend_from_slice(data.unwrap_or_default());
}

fn optional(payload: &[u8], what: &'static str) -> Result<Option<Vec<u8>>, WireError> {
    match payload {
        [0] => Ok(None),
        [1, data @ ..] => Ok(Some(data.to_vec())),
        _ => Err(WireError::Payload(what)),
    }
}

fn text(bytes: &[u8], what: &'static str) -> Result<String, WireError> {
    let text = std::str::from_utf8(bytes).map_err(|_| WireError::Payload(what))?;
    Ok(text.to_owned())
}

fn put_invocation(bytes: &mut Vec<u8>, invocation: &Invocation) {
    bytes.push(match invocation.stdin {
        Stdin::Terminal => 0,
        Stdin::Data => 1,
        Stdin::Nothing => 2,
    });
    bytes.push(u8::from(invocation.stdout_is_terminal));
    bytes.push(u8::from(invocation.stderr_is_terminal));
    // A terminal without columns is one whose width nobody knows.
    bytes.extend_from_slice(&invocation.columns.unwrap_or(0).to_le_bytes());
    put_string(bytes, invocation.folder.as_os_str());
    put_count(bytes, invocation.words.len());
    for word in &invocation.words {
        put_string(bytes, word);
    }
    put_count(bytes, invocation.environment.0.len());
    for (name, value) in &invocation.environment.0 {
        put_string(bytes, name);
        put_string(bytes, value);
    }
}

fn put_count(bytes: &mut Vec<u8>, count: usize) {
    // What does not fit into four bytes does not fit into a frame either.
    bytes.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_string(bytes: &mut Vec<u8>, string: &OsStr) {
    put_count(bytes, string.len());
    bytes.extend_from_slice(string.as_bytes());
}

fn invocation(payload: &[u8]) -> Result<Invocation, WireError> {
    let mut rest = Rest(payload);
    let stdin = match rest.array::<1>()? {
        [0] => Stdin::Terminal,
        [1] => Stdin::Data,
        [2] => Stdin::Nothing,
        _ => return Err(BROKEN),
    };
    let stdout_is_terminal = rest.flag()?;
    let stderr_is_terminal = rest.flag()?;
    let columns = u16::from_le_bytes(rest.array()?);
    let folder = rest.string()?.into();
    let words = rest.list(Rest::string)?;
    let environment = rest.list(|rest| Ok((rest.string()?, rest.string()?)))?;
    if !rest.0.is_empty() {
        return Err(BROKEN);
    }
    Ok(Invocation {
        words,
        folder,
        environment: Environment(environment),
        stdin,
        stdout_is_terminal,
        stderr_is_terminal,
        columns: (columns > 0).then_some(columns),
    })
}

const BROKEN: WireError = WireError::Payload("invocation");

/// What is left of a payload.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (first, rest) = self.0.split_first_chunk().ok_or(BROKEN)?;
        self.0 = rest;
        Ok(*first)
    }

    fn flag(&mut self) -> Result<bool, WireError> {
        match self.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(BROKEN),
        }
    }

    fn count(&mut self) -> Result<usize, WireError> {
        Ok(u32::from_le_bytes(self.array()?) as usize)
    }

    fn string(&mut self) -> Result<OsString, WireError> {
        let length = self.count()?;
        let (string, rest) = self.0.split_at_checked(length).ok_or(BROKEN)?;
        self.0 = rest;
        Ok(OsString::from_vec(string.to_vec()))
    }

    fn list<T>(
        &mut self,
        item: impl Fn(&mut Self) -> Result<T, WireError>,
    ) -> Result<Vec<T>, WireError> {
        // Not reserved: a count is only a claim.
        let count = self.count()?;
        (0..count).map(|_| item(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::super::{PIECE, append, append_stdout, read, take};
    use super::*;

    fn invocation() -> ToDaemon {
        ToDaemon::Invocation(Box::new(Invocation {
            words: vec![
                "fake".into(),
                "".into(),
                OsString::from_vec(vec![0xff, b'x']),
            ],
            folder: "/somewhere/else".into(),
            environment: Environment(vec![
                ("HOME".into(), "/home/me".into()),
                ("EMPTY".into(), "".into()),
            ]),
            stdin: Stdin::Data,
            stdout_is_terminal: false,
            stderr_is_terminal: true,
            columns: Some(132),
        }))
    }

    fn every_word_of_a_client() -> Vec<ToDaemon> {
        vec![
            ToDaemon::Hello(Hello {
                nonce: [7; 16],
                build: "0123456789abcdef".into(),
            }),
            invocation(),
            ToDaemon::Stdin(None),
            ToDaemon::Stdin(Some(vec![])),
            ToDaemon::Stdin(Some(b"{\"a\":1}\xff".to_vec())),
            ToDaemon::Answer(None),
            ToDaemon::Answer(Some("ja, äußerst".into())),
        ]
    }

    fn every_word_of_the_daemon() -> Vec<ToClient> {
        vec![
            ToClient::Greeting { nonce: [9; 16] },
            ToClient::Refused("another build".into()),
            ToClient::Stdout(vec![]),
            ToClient::Stdout(vec![1; PIECE]),
            ToClient::Stderr(b"mcpx: no".to_vec()),
            ToClient::ReadStdin(StdinWish::All),
            ToClient::ReadStdin(StdinWish::IfObject),
            ToClient::Ask {
                question: "Name? ".into(),
                secret: true,
            },
            ToClient::Exit(3),
        ]
    }

    fn frames<M: Message>(messages: &[M]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for message in messages {
            append(&mut bytes, message).unwrap();
        }
        bytes
    }

    /// Whatever comes is a message, an end or an error, and never more than was there.
    fn survive<M: Message>(bytes: &[u8]) {
        let mut reader = bytes;
        while let Ok(Some(_)) = read::<M>(&mut reader) {}
        let mut pending = bytes.to_vec();
        while let Ok(Some(_)) = take::<M>(&mut pending) {}
    }

    #[test]
    fn what_is_said_is_what_is_heard() {
        let said = every_word_of_a_client();
        let bytes = frames(&said);
        let mut reader = bytes.as_slice();
        for word in &said {
            assert_eq!(read::<ToDaemon>(&mut reader).unwrap().as_ref(), Some(word));
        }
        assert_eq!(read::<ToDaemon>(&mut reader).unwrap(), None);

        let said = every_word_of_the_daemon();
        let bytes = frames(&said);
        let mut reader = bytes.as_slice();
        for word in &said {
            assert_eq!(read::<ToClient>(&mut reader).unwrap().as_ref(), Some(word));
        }
    }

    #[test]
    fn frames_that_come_byte_by_byte_are_heard_too() {
        let said = every_word_of_a_client();
        let mut pending = Vec::new();
        let mut heard = Vec::new();
        for byte in frames(&said) {
            pending.push(byte);
            heard.extend(take::<ToDaemon>(&mut pending).unwrap());
        }
        assert_eq!(heard, said);
        assert!(pending.is_empty());
    }

    #[test]
    fn a_frame_that_ends_early_is_an_error() {
        let whole = frames(&[invocation()]);
        for length in 1..whole.len() {
            assert!(
                read::<ToDaemon>(&mut &whole[..length]).is_err(),
                "{length} bytes"
            );
        }
    }

    #[test]
    fn a_payload_that_ends_early_or_late_is_an_error() {
        let whole = frames(&[invocation()]);
        let payload = &whole[5..];
        for length in 0..payload.len() {
            assert!(ToDaemon::decode(ToDaemon::INVOCATION, &payload[..length]).is_err());
        }
        let longer = [payload, b"x"].concat();
        assert!(ToDaemon::decode(ToDaemon::INVOCATION, &longer).is_err());
    }

    #[test]
    fn too_long_a_frame_is_refused_by_its_header() {
        for (kind, allowed) in [(1, 1 << 10), (2, 8 << 20), (3, (64 << 20) + 1)] {
            let mut head = vec![kind];
            head.extend_from_slice(&(allowed + 1_u32).to_le_bytes());
            let error = read::<ToDaemon>(&mut head.as_slice()).unwrap_err();
            assert!(matches!(error, WireError::Length { .. }), "{error}");
            assert!(take::<ToDaemon>(&mut head).is_err());
        }
    }

    #[test]
    fn too_long_a_command_line_is_not_sent() {
        let ToDaemon::Invocation(mut long) = invocation() else {
            panic!("an invocation");
        };
        long.words.push("x".repeat(9 << 20).into());
        let mut bytes = b"before".to_vec();
        assert!(append(&mut bytes, &ToDaemon::Invocation(long)).is_err());
        assert_eq!(bytes, b"before");
    }

    #[test]
    fn a_huge_count_costs_nothing() {
        let mut payload = vec![1, 0, 0, 0, 0];
        put_string(&mut payload, OsStr::new("/"));
        payload.extend_from_slice(&u32::MAX.to_le_bytes());
        assert!(ToDaemon::decode(ToDaemon::INVOCATION, &payload).is_err());
    }

    #[test]
    fn output_is_cut_into_pieces() {
        let output: Vec<u8> = (0..PIECE * 2 + 10).map(|index| index as u8).collect();
        let mut bytes = Vec::new();
        append_stdout(&mut bytes, &output);
        let mut reader = bytes.as_slice();
        let mut pieces = Vec::new();
        while let Some(message) = read::<ToClient>(&mut reader).unwrap() {
            let ToClient::Stdout(piece) = message else {
                panic!("{message:?}");
            };
            pieces.push(piece);
        }
        assert_eq!(pieces.len(), 3);
        assert_eq!(pieces.concat(), output);
    }

    #[test]
    fn garbage_is_an_error_and_no_panic() {
        // A small generator of its own, so that a failure can be had again.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let words = frames(&every_word_of_a_client());
        let answers = frames(&every_word_of_the_daemon());
        for _ in 0..2_000 {
            let noise: Vec<u8> = (0..random() % 64).map(|_| random() as u8).collect();
            survive::<ToDaemon>(&noise);
            survive::<ToClient>(&noise);
            let mut bent = words.clone();
            let place = random() as usize % bent.len();
            bent[place] = random() as u8;
            survive::<ToDaemon>(&bent);
            let mut bent = answers[..answers.len().min(200)].to_vec();
            let place = random() as usize % bent.len();
            bent[place] = random() as u8;
            survive::<ToClient>(&bent);
        }
    }
}
