//! Long lists in parts: how much goes into one, and the cursors between them.

use std::io;

use rmcp::ErrorData;
use serde::Serialize;

/// How much of a list one answer holds. Some clients read only the first page, so
/// it is as large as a client can be expected to take.
#[derive(Debug, Clone, Copy)]
pub struct PageLimit {
    /// Entries.
    pub entries: usize,
    /// Bytes of JSON.
    pub bytes: usize,
}

impl Default for PageLimit {
    fn default() -> Self {
        Self {
            entries: 500,
            bytes: 2 * 1024 * 1024,
        }
    }
}

/// The page of a list of `total` entries that `cursor` asks for, and the cursor of
/// the next. A cursor holds for one `generation` of the list.
pub(super) fn page<T: Serialize>(
    cursor: Option<&str>,
    generation: u64,
    total: usize,
    limit: PageLimit,
    entry: impl Fn(usize) -> T,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start = match cursor {
        None => 0,
        Some(cursor) => parse(cursor)
            .filter(|&(of, start)| of == generation && start < total)
            .map(|(_, start)| start)
            .ok_or_else(|| {
                let message = "this cursor is not of the present list; list again without one";
                ErrorData::invalid_params(message, None)
            })?,
    };
    let mut entries = Vec::new();
    let mut bytes = 0;
    for index in start..total {
        let entry = entry(index);
        bytes += json_len(&entry);
        let full = entries.len() >= limit.entries || bytes > limit.bytes;
        if full && !entries.is_empty() {
            return Ok((entries, Some(format!("{generation:x}.{index:x}"))));
        }
        entries.push(entry);
    }
    Ok((entries, None))
}

fn parse(cursor: &str) -> Option<(u64, usize)> {
    let (generation, start) = cursor.split_once('.')?;
    Some((
        u64::from_str_radix(generation, 16).ok()?,
        usize::from_str_radix(start, 16).ok()?,
    ))
}

fn json_len(value: &impl Serialize) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // A value that cannot be written fails when it is sent; here it weighs nothing.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(limit: PageLimit, total: usize) -> Vec<Vec<usize>> {
        let mut pages = Vec::new();
        let mut cursor = None;
        loop {
            let (entries, next) =
                page(cursor.as_deref(), 7, total, limit, |index| index).expect("a page");
            pages.push(entries);
            cursor = next;
            if cursor.is_none() {
                return pages;
            }
        }
    }

    #[test]
    fn a_list_comes_whole_and_in_order_whatever_the_limit() {
        let by_count = PageLimit {
            entries: 3,
            bytes: 1000,
        };
        assert_eq!(pages(by_count, 7), [vec![0, 1, 2], vec![3, 4, 5], vec![6]]);
        let by_bytes = PageLimit {
            entries: 100,
            bytes: 4,
        };
        assert_eq!(pages(by_bytes, 12).concat(), (0..12).collect::<Vec<_>>());
        let too_small = PageLimit {
            entries: 0,
            bytes: 0,
        };
        assert_eq!(pages(too_small, 2), [vec![0], vec![1]]);
        assert_eq!(pages(by_count, 0), [Vec::<usize>::new()]);
    }

    #[test]
    fn a_cursor_of_another_list_is_refused() {
        for cursor in [
            "", "7", "7.", "7.ffff", "6.1", "x.1", "7.2", "7.-1", "7.1.1",
        ] {
            let refused = page(Some(cursor), 7, 2, PageLimit::default(), |index| index);
            assert_eq!(refused.expect_err(cursor).code.0, -32602, "{cursor}");
        }
        assert!(page(Some("7.1"), 7, 2, PageLimit::default(), |index| index).is_ok());
    }
}
