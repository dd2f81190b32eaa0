//! One client that waits: what it was called with, and the way to its terminal.
//! The only file of the daemon that prints, and it prints over there.

use super::line::Line;
use crate::exit::Exit;
use crate::harmless;
use crate::paths::Places;
use crate::wire::{Invocation, PIECE, Stdin, StdinWish, ToClient, ToDaemon};

/// The client gave up: it was interrupted, or its reader went away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gone;

/// How much is said on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Voice {
    Quiet,
    Normal,
    Verbose,
}

/// A client that waits for its command.
#[derive(Debug)]
pub struct Caller {
    /// How it was called.
    pub invocation: Invocation,
    /// Its user's places, by its environment.
    pub places: Places,
    voice: Voice,
    line: Line,
    /// Questions that were put, and those that were answered. Whoever stopped waiting
    /// for an answer left one behind, which belongs to nobody.
    asked: u64,
    answered: u64,
}

impl Caller {
    /// A client that said how it was called.
    pub fn new(line: Line, invocation: Invocation, places: Places) -> Self {
        Self {
            invocation,
            places,
            voice: Voice::Normal,
            line,
            asked: 0,
            answered: 0,
        }
    }

    /// Sets how much [`Caller::warn`] and [`Caller::note`] say.
    pub fn set_voice(&mut self, voice: Voice) {
        self.voice = voice;
    }

    /// How much is said.
    pub fn voice(&self) -> Voice {
        self.voice
    }

    /// Bytes for its stdout, exactly. Large ones are sent in pieces; the last piece
    /// goes with what is said next, or with the exit code.
    pub async fn stdout(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        self.line.keep_stdout(bytes).await
    }

    /// Bytes for its stderr, exactly, unless it is to be quiet.
    pub async fn stderr(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        if self.voice == Voice::Quiet {
            return Ok(());
        }
        for piece in bytes.chunks(PIECE) {
            self.line.keep(&ToClient::Stderr(piece.to_vec()))?;
            self.line.flush().await?;
        }
        Ok(())
    }

    /// A line on stderr, `mcpx: …`, unless it is to be quiet. Whoever's words are in it:
    /// they drive no terminal, and begin no line of their own that looks like ours.
    pub async fn warn(&mut self, text: impl std::fmt::Display) -> Result<(), Gone> {
        let text = harmless::text(&text.to_string()).replace('\n', "\n  ");
        self.stderr(format!("mcpx: {text}\n").as_bytes()).await
    }

    /// A line on stderr for `-v`.
    pub async fn note(&mut self, text: impl std::fmt::Display) -> Result<(), Gone> {
        match self.voice {
            Voice::Verbose => self.warn(text).await,
            Voice::Normal | Voice::Quiet => Ok(()),
        }
    }

    /// What is on its stdin, if it is to be had.
    pub async fn read_stdin(&mut self, wish: StdinWish) -> Result<Option<Vec<u8>>, Gone> {
        match self.question(&ToClient::ReadStdin(wish)).await? {
            ToDaemon::Stdin(data) => Ok(data),
            ToDaemon::Answer(_) | ToDaemon::Hello(_) | ToDaemon::Invocation(_) => Err(Gone),
        }
    }

    /// Whether a person can be asked something: stdin and stderr are a terminal.
    pub fn can_ask(&self) -> bool {
        self.invocation.stdin == Stdin::Terminal && self.invocation.stderr_is_terminal
    }

    /// Asks the person; nothing at end of file.
    pub async fn ask(&mut self, question: &str, secret: bool) -> Result<Option<String>, Gone> {
        let question = question[..question.floor_char_boundary(PIECE)].to_owned();
        match self.question(&ToClient::Ask { question, secret }).await? {
            ToDaemon::Answer(line) => Ok(line),
            ToDaemon::Stdin(_) | ToDaemon::Hello(_) | ToDaemon::Invocation(_) => Err(Gone),
        }
    }

    /// Comes back when the client gave up. Cancel safe: for `select!` beside work.
    pub async fn gone(&mut self) -> Gone {
        if self.line.flush().await.is_err() {
            return Gone;
        }
        loop {
            match self.line.hear().await {
                // What somebody asked for and did not wait for.
                Ok(_) if self.answered < self.asked => self.answered += 1,
                Ok(_) | Err(Gone) => return Gone,
            }
        }
    }

    /// The last word: sends what was kept, and the exit code.
    pub async fn exit(mut self, exit: Exit) {
        if self.line.keep(&ToClient::Exit(exit.code())).is_ok() {
            // Who is gone needs no exit code.
            _ = self.line.flush().await;
        }
    }

    async fn question(&mut self, message: &ToClient) -> Result<ToDaemon, Gone> {
        self.line.keep(message)?;
        self.asked += 1;
        let number = self.asked;
        self.line.flush().await?;
        loop {
            let answer = self.line.hear().await?;
            self.answered += 1;
            if self.answered == number {
                return Ok(answer);
            }
        }
    }
}

#[cfg(test)]
impl Caller {
    /// A caller whose client is the other end of the result, for tests.
    pub fn of(invocation: Invocation, places: Places) -> (Self, tokio::net::UnixStream) {
        #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
        let (ours, theirs) = tokio::net::UnixStream::pair().unwrap();
        (Self::new(Line::new(ours), invocation, places), theirs)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::time::Duration;

    use tokio::net::UnixStream;

    use super::*;
    use crate::paths::Environment;
    use crate::wire::{receive, send};

    fn caller() -> (Caller, UnixStream) {
        let environment = Environment(vec![("HOME".into(), "/home/me".into())]);
        let places = Places::of(&environment).unwrap();
        let invocation = Invocation {
            words: vec![],
            folder: "/".into(),
            environment,
            stdin: Stdin::Terminal,
            stdout_is_terminal: false,
            stderr_is_terminal: true,
            columns: None,
        };
        Caller::of(invocation, places)
    }

    async fn everything(mut client: UnixStream) -> Vec<ToClient> {
        let mut heard = Vec::new();
        while let Some(message) = receive(&mut client).await.unwrap() {
            heard.push(message);
        }
        heard
    }

    fn stderr(text: &str) -> ToClient {
        ToClient::Stderr(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn what_is_printed_arrives_in_order_with_the_exit_code() {
        let (mut caller, client) = caller();
        caller.stdout(b"one\n").await.unwrap();
        caller.warn("no").await.unwrap();
        caller.note("only with -v").await.unwrap();
        caller.stdout(b"two\n").await.unwrap();
        caller.exit(Exit::Tool).await;
        assert_eq!(
            everything(client).await,
            [
                ToClient::Stdout(b"one\n".to_vec()),
                stderr("mcpx: no\n"),
                ToClient::Stdout(b"two\n".to_vec()),
                ToClient::Exit(1),
            ]
        );
    }

    #[tokio::test]
    async fn a_quiet_caller_hears_nothing_and_a_verbose_one_more() {
        let (mut caller, client) = caller();
        caller.set_voice(Voice::Quiet);
        caller.warn("no").await.unwrap();
        caller.stderr(b"no").await.unwrap();
        caller.set_voice(Voice::Verbose);
        caller.note("more").await.unwrap();
        drop(caller);
        assert_eq!(everything(client).await, [stderr("mcpx: more\n")]);
    }

    #[tokio::test]
    async fn words_of_others_drive_no_terminal_and_begin_no_line() {
        let (mut caller, client) = caller();
        caller
            .warn("tool `\u{1b}]0;x\u{7}\u{1b}[31mred\u{202e}\nmcpx: all is well`")
            .await
            .unwrap();
        drop(caller);
        assert_eq!(
            everything(client).await,
            [stderr("mcpx: tool `red\n  mcpx: all is well`\n")]
        );
    }

    #[tokio::test]
    async fn long_output_comes_in_pieces_while_it_is_read() {
        let (mut caller, client) = caller();
        let output: Vec<u8> = (0..5_000_000_u32).map(|index| index as u8).collect();
        let sent = output.clone();
        let reader = tokio::spawn(everything(client));
        caller.stdout(&sent).await.unwrap();
        caller.exit(Exit::Success).await;
        let mut pieces = reader.await.unwrap();
        assert_eq!(pieces.pop(), Some(ToClient::Exit(0)));
        let mut whole = Vec::new();
        for piece in pieces {
            let ToClient::Stdout(bytes) = piece else {
                panic!("{piece:?}");
            };
            assert!(bytes.len() <= PIECE);
            whole.extend(bytes);
        }
        assert!(whole == output);
    }

    #[tokio::test]
    async fn a_question_is_answered() {
        let (mut caller, mut client) = caller();
        assert!(caller.can_ask());
        let person = tokio::spawn(async move {
            let asked: ToClient = receive(&mut client).await.unwrap().unwrap();
            let answer = ToDaemon::Answer(Some("blue".into()));
            send(&mut client, &answer).await.unwrap();
            let wished: ToClient = receive(&mut client).await.unwrap().unwrap();
            send(&mut client, &ToDaemon::Stdin(None)).await.unwrap();
            (asked, wished)
        });
        let answer = caller.ask("Colour? ", false).await.unwrap();
        assert_eq!(answer.as_deref(), Some("blue"));
        assert_eq!(caller.read_stdin(StdinWish::IfObject).await, Ok(None));
        let asked = ToClient::Ask {
            question: "Colour? ".into(),
            secret: false,
        };
        let wished = ToClient::ReadStdin(StdinWish::IfObject);
        assert_eq!(person.await.unwrap(), (asked, wished));
    }

    #[tokio::test]
    async fn the_answer_to_a_question_that_was_given_up_is_not_taken_for_the_next() {
        let (mut caller, mut client) = caller();
        let moment = Duration::from_millis(1);
        let given_up = tokio::time::timeout(moment, caller.ask("First? ", false)).await;
        assert!(given_up.is_err());
        for text in ["to the first", "to the second"] {
            let answer = ToDaemon::Answer(Some(text.into()));
            send(&mut client, &answer).await.unwrap();
        }
        let answer = caller.ask("Second? ", false).await.unwrap();
        assert_eq!(answer.as_deref(), Some("to the second"));
    }

    #[tokio::test]
    async fn a_late_answer_is_no_sign_that_the_client_is_gone() {
        let (mut caller, mut client) = caller();
        let moment = Duration::from_millis(1);
        _ = tokio::time::timeout(moment, caller.ask("Well? ", false)).await;
        send(&mut client, &ToDaemon::Answer(None)).await.unwrap();
        let gone = tokio::time::timeout(Duration::from_millis(20), caller.gone()).await;
        assert!(gone.is_err(), "the client is still there");
        drop(client);
        caller.gone().await;
    }

    #[tokio::test]
    async fn a_client_that_hangs_up_or_babbles_is_gone() {
        let (mut one, client) = caller();
        drop(client);
        one.gone().await;
        assert_eq!(one.stderr(b"hello?").await, Err(Gone));
        assert_eq!(one.ask("Still there? ", false).await, Err(Gone));

        let (mut other, mut client) = caller();
        let unasked = ToDaemon::Answer(Some("hi".into()));
        send(&mut client, &unasked).await.unwrap();
        other.gone().await;
    }

    #[tokio::test]
    async fn waiting_for_the_end_of_a_client_sends_what_was_kept() {
        let (mut caller, mut client) = caller();
        caller.stdout(b"first").await.unwrap();
        let moment = Duration::from_millis(20);
        assert!(tokio::time::timeout(moment, caller.gone()).await.is_err());
        let heard: ToClient = receive(&mut client).await.unwrap().unwrap();
        assert_eq!(heard, ToClient::Stdout(b"first".to_vec()));
    }
}
