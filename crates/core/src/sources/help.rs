//! Reads one help page into a [`Page`], whatever template printed it.
//!
//! A page is text, not yet a command: what the parts mean together with the
//! program's completions is decided in `cobra`. Which lines are sections is
//! `layout`'s work; what stands in them is read by `flags` and `commands`.

mod commands;
mod flags;
mod layout;
mod manual;
pub(crate) mod text;

use layout::{Head, Part};
use text::{blank, indent, unindented};

/// What one help page says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The template that printed it.
    pub style: Style,
    /// One line, where the page sets it apart from the long text.
    pub summary: String,
    /// The text before or around the sections, without them.
    pub description: String,
    /// Usage lines as printed, trimmed: `gh pr list [flags]`, `gh pr [command]`.
    pub usage: Vec<String>,
    /// Aliases as printed: names, or full paths in docker's template.
    pub aliases: Vec<String>,
    /// The examples section, unindented.
    pub examples: String,
    /// Listed subcommands in printed order.
    pub commands: Vec<ListedCommand>,
    /// Further help topics: names that are not commands.
    pub topics: Vec<ListedCommand>,
    /// Listed flags in printed order, `--help` and `--version` of Cobra's own included.
    pub flags: Vec<ListedFlag>,
    /// Arguments that the page describes in a section of their own: name, text.
    pub arguments: Vec<(String, String)>,
    /// Lines in a flag or command section that could not be understood.
    pub unread: Vec<String>,
}

/// The layout of a help page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Cobra's default template and its close relatives (docker, podman, lxc …).
    #[default]
    Cobra,
    /// gh's headings in capitals.
    Gh,
    /// Kubernetes' templates: `--output='':` and no type names.
    Kubernetes,
    /// etcdctl's: `--hex[=false]`, tabs.
    Etcd,
    /// No structure of Cobra's found (a manual page, another family), or one that
    /// hides which flags take a value (fang's): only completion knows the types.
    Other,
}

/// A subcommand in a listing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListedCommand {
    /// Its name, without docker's plugin mark.
    pub name: String,
    /// The heading it stands under.
    pub group: Option<String>,
    /// One line.
    pub summary: String,
}

/// A flag in a listing, as printed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListedFlag {
    /// Without dashes.
    pub long: Option<String>,
    /// Without its dash.
    pub short: Option<char>,
    /// The word(s) after the name: a type name or a placeholder.
    pub value_name: Option<String>,
    /// The value in `[=…]`, unquoted.
    pub bare: Option<String>,
    /// The default, unquoted, wherever the template prints it. Templates without
    /// type names print even `""`, `false` and `[]`, which there are all that
    /// tells the type.
    pub default: Option<String>,
    /// Whether the default was printed in quotes, as pflag does for strings.
    pub default_quoted: bool,
    /// The description, lines joined, the pflag default removed.
    pub text: String,
    /// The text of `(DEPRECATED: …)`.
    pub deprecated: Option<String>,
    /// Which section it stands in.
    pub section: Section,
}

/// Whose flags a section lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Section {
    /// The command's own (and those it passes on).
    #[default]
    Own,
    /// What it has from its ancestors.
    Inherited,
}

/// Reads `text`, the help of `program path…`.
///
/// Never fails: what has no known layout becomes the description of a page with
/// [`Style::Other`].
pub fn parse(text: &str, program: &str, path: &[String]) -> Page {
    let text = text::plain(text);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let Some(anchor) = layout::anchor(&lines, program, path) else {
        return manual::read(&lines, program, path);
    };
    let mut page = Page {
        style: anchor.style,
        ..Page::default()
    };
    let (before, after) = lines.split_at(anchor.line);
    let mut after = layout::parts(after, anchor);
    // Before the usage stands the program's own text, where anything may look
    // like a section; only Kubernetes' templates put their sections there.
    if let Some(sections) = layout::sections_before(before, anchor, &after) {
        page.style = Style::Kubernetes;
        let (intro, sections) = sections;
        page.introduce(&before[..intro]);
        after.splice(0..0, sections);
    } else {
        page.introduce(before);
    }
    for part in &after {
        page.take(part, path);
    }
    if page.summary.is_empty() && !page.description.contains('\n') {
        page.summary.clone_from(&page.description);
    }
    page
}

impl Page {
    /// Takes the text before the sections.
    fn introduce(&mut self, lines: &[&str]) {
        let named = |at: usize, name: &str| {
            indent(lines[at]) == 0 && lines[at].trim_end_matches(':').eq_ignore_ascii_case(name)
        };
        let heads: Vec<usize> = (0..lines.len())
            .filter(|at| named(*at, "description") || named(*at, "name"))
            .filter(|at| layout::body(lines, *at, 0).iter().any(|line| !blank(line)))
            .collect();
        let first = heads.first().copied().unwrap_or(lines.len());
        let mut text = unindented(&lines[..first]);
        for at in heads {
            let body = unindented(layout::body(lines, at, 0));
            if named(at, "name") {
                let summary = body
                    .split_once(" - ")
                    .map_or(body.as_str(), |(_, text)| text);
                self.summary = summary.trim().to_owned();
                continue;
            }
            // A line, then the long text under a head of its own.
            if !text.is_empty() && !text.contains('\n') {
                self.summary = std::mem::take(&mut text);
            }
            push_paragraph(&mut text, &body);
        }
        self.description = text;
    }

    fn take(&mut self, part: &Part<'_>, path: &[String]) {
        let (rows, epilogue) = layout::epilogue(part.lines);
        if matches!(part.head, Head::Commands(_) | Head::Flags(_)) {
            push_paragraph(&mut self.description, &unindented(epilogue));
        }
        match &part.head {
            Head::Usage => self.take_usage(part),
            Head::Aliases => self.take_aliases(part.lines),
            Head::Examples => {
                let examples = unindented(part.lines);
                push_paragraph(&mut self.examples, &examples);
            }
            Head::Arguments => self.take_arguments(part.lines),
            Head::Description | Head::Name => {
                let text = unindented(part.lines);
                push_paragraph(&mut self.description, &text);
            }
            Head::Commands(group) => {
                let (listed, unread) = commands::read(rows, group.as_deref());
                self.commands.extend(listed);
                self.unread.extend(unread);
            }
            Head::Topics => self
                .topics
                .extend(commands::topics(part.lines, path.len() + 1)),
            Head::Flags(section) => {
                // A root has nothing to inherit from.
                let section = if path.is_empty() {
                    Section::Own
                } else {
                    *section
                };
                if self.style == Style::Cobra && flags::are_assigned(part.lines) {
                    self.style = Style::Kubernetes;
                }
                let (listed, unread) = flags::read(rows, section);
                self.flags.extend(listed);
                self.unread.extend(unread);
            }
            Head::Trailer => {}
            Head::Text(title) => {
                let text = unindented(part.lines);
                if !text.is_empty() {
                    push_paragraph(&mut self.description, title);
                    self.description
                        .push_str(if title.is_empty() { "" } else { "\n" });
                    self.description.push_str(&text);
                }
            }
        }
    }

    /// Usage lines; text may follow them where the head has the first one on its line.
    fn take_usage(&mut self, part: &Part<'_>) {
        let inline = Some(part.inline).filter(|line| !line.is_empty());
        let block: Vec<&str> = part
            .lines
            .iter()
            .copied()
            .skip_while(|line| inline.is_none() && blank(line))
            .take_while(|line| !blank(line))
            .collect();
        self.usage.extend(
            inline
                .into_iter()
                .chain(block.iter().map(|line| line.trim()))
                .map(str::to_owned),
        );
        let start = part
            .lines
            .iter()
            .position(|line| block.first() == Some(line))
            .unwrap_or(0);
        let text = unindented(&part.lines[start + block.len()..]);
        push_paragraph(&mut self.description, &text);
    }

    fn take_aliases(&mut self, lines: &[&str]) {
        let names = lines.iter().flat_map(|line| line.split(','));
        self.aliases.extend(
            names
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .map(str::to_owned),
        );
    }

    /// Arguments that are listed like commands; a description in prose stays one.
    fn take_arguments(&mut self, lines: &[&str]) {
        let rows: Option<Vec<(String, String)>> = lines
            .iter()
            .map(|line| line.trim())
            .filter(|line| !line.is_empty())
            .map(|line| {
                let (name, text) = line.split_once("  ")?;
                let name = name.trim_matches(['<', '>', '[', ']']);
                (!name.contains(' ')).then(|| (name.to_owned(), text.trim().to_owned()))
            })
            .collect();
        match rows {
            Some(rows) => self.arguments.extend(rows),
            None => push_paragraph(&mut self.description, &unindented(lines)),
        }
    }
}

fn push_paragraph(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

/// Whether `text` is help at all, and not a result or a complaint: it has a
/// usage line or at least two lines that start with an option.
pub fn looks_like_help(text: &str) -> bool {
    let text = text::plain(text);
    let mut options = 0;
    for line in text.lines() {
        if is_usage_line(line.trim()) {
            return true;
        }
        if indent(line) > 0 && flags::starts_flag(line) {
            options += 1;
        }
        if options == 2 {
            return true;
        }
    }
    false
}

/// Whether the root page of `program` bears the marks of Cobra's own words: other
/// families do not say these things in this way.
pub(crate) fn is_cobras(text: &str, program: &str) -> bool {
    let text = text::plain(text);
    let help_for = format!("help for {program}");
    let mut headings = 0;
    for line in text.lines().map(str::trim_end) {
        // `Use "it [command] --help" for more information about a command.`
        let points_on = ["Use \"", "Run '"]
            .iter()
            .any(|start| line.starts_with(start))
            && ["--help\" for more", "--help' for more"]
                .iter()
                .any(|part| line.contains(part));
        let helps = line.trim_start().starts_with("-h, --help") && line.ends_with(&help_for);
        if points_on || helps {
            return true;
        }
        headings += usize::from(matches!(
            line,
            "Available Commands:" | "Flags:" | "Global Flags:" | "Additional Commands:"
        ));
    }
    headings >= 2
}

/// `Usage:`, `USAGE`, `usage: ls [FILE]`, `Usage of prog:`.
fn is_usage_line(line: &str) -> bool {
    let Some((word, rest)) = line.split_at_checked(5) else {
        return false;
    };
    let of = rest
        .strip_prefix(" of ")
        .is_some_and(|name| name.ends_with(':'));
    word.eq_ignore_ascii_case("usage")
        && (rest.starts_with(':') || of || rest.is_empty() && word == "USAGE")
}

#[cfg(test)]
mod tests {
    use super::{is_cobras, looks_like_help};

    #[test]
    fn cobras_pages_say_so() {
        for text in [
            "Usage:\n  it [command]\n\nUse \"it [command] --help\" for more information about a command.\n",
            "Usage:  it COMMAND\n\nRun 'it COMMAND --help' for more information on a command.\n",
            "Usage:\n  it [flags]\n\nFlags:\n  -h, --help   help for it\n",
            "Usage:\n  it\n\nAvailable Commands:\n  a   A\n\nFlags:\n      --x   X\n",
        ] {
            assert!(is_cobras(text, "it"), "{text}");
        }
    }

    #[test]
    fn pages_of_other_families_are_not_cobras() {
        for text in [
            "Usage:\n  it [OPTIONS] <command>\n\nHelp Options:\n  -h, --help   Show this help message\n\nAvailable commands:\n  diff   d\n",
            "Usage: it <command> [flags]\n\nFlags:\n  -h, --help    Show context-sensitive help.\n\nCommands:\n  a    A\n\nRun \"it <command> --help\" for more information on a command.\n",
            "Usage of it:\n  -x int\n",
        ] {
            assert!(!is_cobras(text, "it"), "{text}");
        }
    }

    #[test]
    fn help_has_a_usage_or_options() {
        assert!(looks_like_help("gh helps\n\nUSAGE\n  gh <command>\n"));
        assert!(looks_like_help("\u{1b}[1musage:\u{1b}[0m ls [FILE]\n"));
        assert!(looks_like_help("Usage of prog:\n  -x int\n"));
        assert!(looks_like_help("  -a, --all    all\n      --one    one\n"));
    }

    #[test]
    fn results_and_complaints_are_no_help() {
        assert!(!looks_like_help(""));
        assert!(!looks_like_help("unknown flag: --help\n"));
        assert!(!looks_like_help("Usage is metered; see the site.\n"));
        assert!(!looks_like_help("- item\n- another\n  -5 degrees\n"));
    }
}
