//! Reads columns as kubectl, docker, podman, helm and gh print them.
//!
//! A table has a header in capitals and every cell starts where its heading does;
//! without a header, its cells are separated by tabs. Anything less regular is
//! text: prose must never become a table.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use unicode_width::UnicodeWidthChar;

/// Rows as objects with the headings as keys, or as lists where there is no header.
pub(super) fn read(text: &str) -> Option<Value> {
    let text = text.trim_end_matches('\n');
    // `kubectl get all` prints several tables with an empty line between them.
    let tables: Option<Vec<Vec<Value>>> = text
        .split("\n\n")
        .map(|block| with_header(&block.lines().collect::<Vec<_>>()))
        .collect();
    match tables {
        Some(tables) => Some(Value::Array(tables.into_iter().flatten().collect())),
        None => without_header(text),
    }
}

fn with_header(lines: &[&str]) -> Option<Vec<Value>> {
    let (header, rows) = lines
        .split_first()
        .filter(|(header, _)| !header.is_empty())?;
    if header.contains('\t') {
        return separated(header, rows);
    }
    // Go's tabwriter counts characters; others count the columns of a terminal.
    aligned(header, rows, |_| 1).or_else(|| aligned(header, rows, |c| c.width().unwrap_or(0)))
}

/// Columns by their place.
fn aligned(header: &str, rows: &[&str], width: fn(char) -> usize) -> Option<Vec<Value>> {
    let columns = headings(header)?;
    let names: Vec<&str> = columns.iter().map(|&(_, name)| name).collect();
    let starts: Vec<usize> = columns.iter().map(|&(start, _)| start).collect();
    let cells: Option<Vec<Vec<&str>>> = rows.iter().map(|row| cut(row, &starts, width)).collect();
    objects(&names, cells?)
}

/// Columns by tabs under a header, as helm prints them: padded as well.
fn separated(header: &str, rows: &[&str]) -> Option<Vec<Value>> {
    let names: Vec<&str> = header.split('\t').map(str::trim).collect();
    if !names.iter().all(|name| is_heading(name)) {
        return None;
    }
    let cells = rows.iter().map(|row| {
        let cells: Vec<&str> = row.split('\t').map(str::trim).collect();
        (cells.len() == names.len()).then_some(cells)
    });
    objects(&names, cells.collect::<Option<_>>()?)
}

/// Columns by tabs without a header, as gh prints them when nobody looks.
fn without_header(text: &str) -> Option<Value> {
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let columns = rows.first()?.len();
    let regular = rows.iter().all(|row| {
        let starts_well = row[0].starts_with(|c: char| !c.is_whitespace());
        row.len() == columns && starts_well
    });
    // One line with one tab is too little to call a table.
    if !regular || columns < 2 || rows.len() * columns < 3 {
        return None;
    }
    let rows = rows
        .into_iter()
        .map(|row| row.into_iter().map(Value::from).collect());
    Some(Value::Array(rows.collect()))
}

fn objects(names: &[&str], rows: Vec<Vec<&str>>) -> Option<Vec<Value>> {
    let unique = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    // A header alone is an empty table only if it can be nothing else.
    let meant = match rows.is_empty() {
        true => names.len() >= 3,
        false => rows
            .iter()
            .any(|row| row.iter().filter(|cell| !cell.is_empty()).count() >= 2),
    };
    if !unique || !meant || names.len() < 2 {
        return None;
    }
    let object = |row: Vec<&str>| {
        let cells = names.iter().zip(row);
        let entries = cells.map(|(name, cell)| ((*name).to_owned(), Value::from(cell)));
        Value::Object(entries.collect::<Map<_, _>>())
    };
    Some(rows.into_iter().map(object).collect())
}

/// Headings with the place where each starts: two spaces or more set them apart.
fn headings(header: &str) -> Option<Vec<(usize, &str)>> {
    let mut headings = Vec::new();
    let mut at = 0;
    while at < header.len() {
        let rest = &header[at..];
        let name = rest.find("  ").map_or(rest, |end| &rest[..end]).trim_end();
        if !is_heading(name) {
            return None;
        }
        headings.push((at, name));
        let rest = &rest[name.len()..];
        at = header.len() - rest.trim_start_matches(' ').len();
    }
    Some(headings)
}

/// `CONTAINER ID`, `CPU %`, `MEM USAGE / LIMIT`, `PORT(S)`.
fn is_heading(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || " -_/()%.#:@".contains(c))
}

/// The cells of a row, if it keeps to the columns.
fn cut<'a>(row: &'a str, starts: &[usize], width: fn(char) -> usize) -> Option<Vec<&'a str>> {
    if row.trim().is_empty() || row.contains('\t') {
        return None;
    }
    // Where each column starts in bytes; past the end for a short row.
    let mut offsets = Vec::with_capacity(starts.len() + 1);
    let (mut column, mut places) = (0, row.char_indices());
    let mut offset = 0;
    for &start in starts {
        while column < start {
            let Some((at, c)) = places.next() else { break };
            column += width(c);
            offset = at + c.len_utf8();
        }
        if column > start {
            // A wide character stands across the border.
            return None;
        }
        offsets.push(offset);
    }
    offsets.push(row.len());
    let last = starts.len() - 1;
    let mut cells = Vec::with_capacity(starts.len());
    for (index, pair) in offsets.windows(2).enumerate() {
        let raw = &row[pair[0]..pair[1]];
        let cell = raw.trim();
        let in_place = cell.is_empty() || !raw.starts_with(char::is_whitespace);
        let apart = index == last || pair[1] == row.len() || raw.ends_with("  ");
        let whole = index == last || !cell.contains("  ");
        if !(in_place && apart && whole) {
            return None;
        }
        cells.push(cell);
    }
    Some(cells)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let data = read(text).map(|data| data.to_string());
        assert_eq!(data.as_deref().unwrap_or("text"), expected, "{text}");
    }

    #[test]
    fn kubectl_pods() {
        check(
            "NAME                     READY   STATUS             RESTARTS      AGE\n\
             web-5d4f8c7b9d-abcde     1/1     Running            0             3d2h\n\
             worker-6b7c9d5f4-xyz12   0/1     CrashLoopBackOff   12 (4m ago)   45m\n",
            r#"[{"NAME":"web-5d4f8c7b9d-abcde","READY":"1/1","STATUS":"Running","RESTARTS":"0","AGE":"3d2h"},{"NAME":"worker-6b7c9d5f4-xyz12","READY":"0/1","STATUS":"CrashLoopBackOff","RESTARTS":"12 (4m ago)","AGE":"45m"}]"#,
        );
    }

    #[test]
    fn kubectl_with_empty_cells() {
        check(
            "CURRENT   NAME      CLUSTER   AUTHINFO   NAMESPACE\n\
             *         prod      prod      admin      \n          \
             staging   staging   admin      apps\n",
            r#"[{"CURRENT":"*","NAME":"prod","CLUSTER":"prod","AUTHINFO":"admin","NAMESPACE":""},{"CURRENT":"","NAME":"staging","CLUSTER":"staging","AUTHINFO":"admin","NAMESPACE":"apps"}]"#,
        );
        check(
            "NAME         SHORTNAMES   APIVERSION   NAMESPACED   KIND\n\
             bindings                  v1           true         Binding\n\
             configmaps   cm           v1           true         ConfigMap\n",
            r#"[{"NAME":"bindings","SHORTNAMES":"","APIVERSION":"v1","NAMESPACED":"true","KIND":"Binding"},{"NAME":"configmaps","SHORTNAMES":"cm","APIVERSION":"v1","NAMESPACED":"true","KIND":"ConfigMap"}]"#,
        );
    }

    #[test]
    fn several_tables_one_below_another() {
        check(
            "NAME        READY   STATUS\npod/web-1   1/1     Running\n\n\
             NAME           TYPE        PORT(S)\nservice/api    ClusterIP   443/TCP\n",
            r#"[{"NAME":"pod/web-1","READY":"1/1","STATUS":"Running"},{"NAME":"service/api","TYPE":"ClusterIP","PORT(S)":"443/TCP"}]"#,
        );
    }

    #[test]
    fn docker_containers() {
        check(
            "CONTAINER ID   IMAGE          COMMAND                  CREATED        STATUS        PORTS                  NAMES\n\
             4c01db0b339c   nginx:latest   \"/docker-entrypoint.…\"   2 hours ago    Up 2 hours    0.0.0.0:80->80/tcp     web\n\
             d7886598dbe2   redis          \"docker-entrypoint.s…\"   2 months ago   Exited (0)                           old_cache\n",
            r#"[{"CONTAINER ID":"4c01db0b339c","IMAGE":"nginx:latest","COMMAND":"\"/docker-entrypoint.…\"","CREATED":"2 hours ago","STATUS":"Up 2 hours","PORTS":"0.0.0.0:80->80/tcp","NAMES":"web"},{"CONTAINER ID":"d7886598dbe2","IMAGE":"redis","COMMAND":"\"docker-entrypoint.s…\"","CREATED":"2 months ago","STATUS":"Exited (0)","PORTS":"","NAMES":"old_cache"}]"#,
        );
    }

    #[test]
    fn a_header_alone_is_an_empty_table() {
        check(
            "CONTAINER ID   IMAGE     COMMAND   CREATED   STATUS    PORTS     NAMES\n",
            "[]",
        );
        check("NOTHING  FOUND\n", "text");
    }

    #[test]
    fn podman_separates_by_two_spaces() {
        check(
            "REPOSITORY                TAG     IMAGE ID      CREATED      SIZE\n\
             docker.io/library/alpine  latest  05455a08881e  4 weeks ago  7.67 MB\n",
            r#"[{"REPOSITORY":"docker.io/library/alpine","TAG":"latest","IMAGE ID":"05455a08881e","CREATED":"4 weeks ago","SIZE":"7.67 MB"}]"#,
        );
    }

    #[test]
    fn helm_separates_by_tabs_and_pads() {
        check(
            "NAME    \tNAMESPACE\tREVISION\tUPDATED                                \tSTATUS  \tCHART      \tAPP VERSION\n\
             my-app  \tdefault  \t1       \t2026-01-02 03:04:05.123456 +0000 UTC   \tdeployed\tnginx-15.0 \t           \n",
            r#"[{"NAME":"my-app","NAMESPACE":"default","REVISION":"1","UPDATED":"2026-01-02 03:04:05.123456 +0000 UTC","STATUS":"deployed","CHART":"nginx-15.0","APP VERSION":""}]"#,
        );
    }

    #[test]
    fn gh_prints_tabs_and_no_header() {
        check(
            "12\tFix the  build\tfix-build\tOPEN\t2026-01-02T03:04:05Z\n7\tAdd docs\tdocs\tDRAFT\t\n",
            r#"[["12","Fix the  build","fix-build","OPEN","2026-01-02T03:04:05Z"],["7","Add docs","docs","DRAFT",""]]"#,
        );
        check("one\ttwo\n", "text");
        check("a\tb\nno tab here\n", "text");
        check("\tindented\tcode\n\tmore\tcode\n", "text");
        check("     1\tnumbered\n     2\tlines\n", "text");
    }

    #[test]
    fn wide_characters_are_counted_either_way() {
        let by_character = "NAME   OWNER\n漢字   ana\nab     bo\n";
        let by_width = "NAME   OWNER\n漢字   ana\nab     bo\n".replace("漢字   ", "漢字     ");
        let expected = r#"[{"NAME":"漢字","OWNER":"ana"},{"NAME":"ab","OWNER":"bo"}]"#;
        check(&by_width, expected);
        check(&by_width.replace("漢字     ", "漢字   "), expected);
        assert_ne!(by_width, by_character);
    }

    #[test]
    fn what_is_not_regular_is_text() {
        for text in [
            "",
            "\n",
            "just words\nand more words\n",
            "NAME   READY\na longer thing than that\n",
            "WARNING  THIS IS SERIOUS\nplease read the manual  carefully\n",
            "NAME  AGE\nx     1d\n\nThat was all.\n",
            "NAME  NAME\na     b\n",
            "USER         PID %CPU %MEM    VSZ   RSS TTY\nroot           1  0.0  0.1  22544 13488 ?\n",
            "Filesystem     1K-blocks  Used\n/dev/sda1           1234   567\n",
            "NAME  SIZE\n a    12\n",
        ] {
            check(text, "text");
        }
    }

    proptest! {
        #[test]
        fn a_printed_table_is_read_back(
            rows in proptest::collection::vec(
                proptest::collection::vec("[a-z0-9/:.é漢-]{1,8}( [a-z0-9]{1,5})?", 4), 1..6),
        ) {
            let names = ["NAME", "CONTAINER ID", "CPU %", "PORT(S)"];
            let widths: Vec<usize> = (0..4)
                .map(|column| {
                    let cells = rows.iter().map(|row| row[column].chars().count());
                    cells.chain([names[column].len()]).max().unwrap() + 3
                })
                .collect();
            let line = |cells: Vec<&str>| -> String {
                let padded = cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
                padded.collect::<String>().trim_end().to_owned() + "\n"
            };
            let mut text = line(names.to_vec());
            for row in &rows {
                text += &line(row.iter().map(String::as_str).collect());
            }
            let expected: Vec<Value> = rows
                .iter()
                .map(|row| {
                    let entries = names.iter().zip(row);
                    entries.map(|(name, cell)| ((*name).to_owned(), Value::from(cell.as_str()))).collect()
                })
                .collect();
            prop_assert_eq!(read(&text), Some(Value::Array(expected)));
        }

        #[test]
        fn a_shouted_sentence_over_prose_is_no_table(
            shout in proptest::collection::vec("[A-Z]{2,9}", 2..6),
            prose in proptest::collection::vec("[a-z]{1,9}", 12..40),
        ) {
            let text = format!("{}\n{}\n", shout.join("  "), prose.join(" "));
            prop_assert_eq!(read(&text), None);
        }
    }
}
