//! Reads one help page into a [`Page`], whatever template printed it.
//!
//! A page is text, not yet a command: what the parts mean together with the
//! program's completions is decided in `cobra`.

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
    /// No structure of Cobra's found: a manual page or another family.
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
    /// The default, unquoted, wherever the template prints it.
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
pub fn parse(_text: &str, _program: &str, _path: &[String]) -> Page {
    todo!()
}
