//! How much the system takes in one command line.

/// What one process start may carry. Both count the byte that ends each string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes of one word.
    pub word: usize,
    /// Bytes of all words and of the environment, with a pointer for each.
    pub total: usize,
}

impl Default for Room {
    /// Linux with its usual 8 MiB stack: 128 KiB a word, a quarter of the stack in
    /// all. Some of that is kept free for what the kernel itself puts there.
    fn default() -> Self {
        Self {
            word: 128 * 1024,
            total: 2 * 1024 * 1024 - 16 * 1024,
        }
    }
}

/// Why words cannot be handed to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooLong {
    /// One word is too long.
    #[error("one argument is {bytes} bytes long; the system takes at most {most}")]
    Word {
        /// Its length.
        bytes: usize,
        /// The most there is room for.
        most: usize,
    },
    /// All of them together are.
    #[error(
        "the command line takes {bytes} bytes with its environment; the system takes at most {most}"
    )]
    Total {
        /// Their size.
        bytes: usize,
        /// The most there is room for.
        most: usize,
    },
}

/// That there is `room` for `words` (the program's file among them) beside an
/// environment of `environment` strings.
pub fn size<'a>(
    words: impl IntoIterator<Item = &'a [u8]>,
    environment: impl IntoIterator<Item = usize>,
    room: Room,
) -> Result<(), TooLong> {
    let mut total = 0usize;
    let cost = |length: usize| length + 1 + size_of::<*const u8>();
    for word in words {
        if word.len() >= room.word {
            return Err(TooLong::Word {
                bytes: word.len(),
                most: room.word - 1,
            });
        }
        total += cost(word.len());
    }
    total += environment.into_iter().map(cost).sum::<usize>();
    match total > room.total {
        true => Err(TooLong::Total {
            bytes: total,
            most: room.total,
        }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(words: &[&[u8]]) -> bool {
        std::process::Command::new("true")
            .args(
                words
                    .iter()
                    .map(|word| String::from_utf8_lossy(word).into_owned()),
            )
            .env_clear()
            .status()
            .is_ok()
    }

    #[test]
    fn a_word_that_fits_starts_and_one_byte_more_does_not() {
        let fits = vec![b'x'; 128 * 1024 - 1];
        let over = vec![b'x'; 128 * 1024];
        assert_eq!(size([fits.as_slice()], [], Room::default()), Ok(()));
        assert!(start(&[&fits]));
        assert_eq!(
            size([over.as_slice()], [], Room::default()),
            Err(TooLong::Word {
                bytes: 131_072,
                most: 131_071
            })
        );
        assert!(!start(&[&over]));
    }

    #[test]
    fn words_that_fit_together_start() {
        let word = vec![b'x'; 100_000];
        let words = vec![word.as_slice(); 20];
        assert_eq!(size(words.iter().copied(), [], Room::default()), Ok(()));
        assert!(start(&words));
        let words = vec![word.as_slice(); 21];
        assert!(matches!(
            size(words.iter().copied(), [], Room::default()),
            Err(TooLong::Total { .. })
        ));
    }
}
