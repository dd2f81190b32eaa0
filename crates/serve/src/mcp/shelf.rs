//! What there is to read beside the tools: help pages and flag lists as resources,
//! examples as prompts. The texts themselves are `argway_core::manual`'s.

use std::collections::BTreeMap;
use std::sync::Arc;

use argway_core::catalog::{Catalog, Layout, Tool};
use argway_core::manual;
use argway_core::model::Program;
use rmcp::model::{Prompt, PromptArgument, Resource, ResourceTemplate};

/// The one argument that every prompt takes.
pub(super) const GOAL: &str = "goal";

const TEXT: &str = "text/plain";

/// Every resource by its address, and the tools that have examples.
pub(super) struct Shelf {
    resources: BTreeMap<String, Page>,
    prompts: Vec<usize>,
}

/// What a resource shows.
struct Page {
    program: Arc<Program>,
    what: What,
}

enum What {
    /// The help of the command with this index.
    Help(usize),
    GlobalFlags,
}

impl Shelf {
    pub(super) fn of(catalog: &Catalog) -> Self {
        let mut resources = BTreeMap::new();
        for program in manual::programs(catalog) {
            let label = manual::label(catalog, &program);
            for (index, command) in program.commands.iter().enumerate() {
                if manual::offers(catalog, &program, &command.path) {
                    let page = Page {
                        program: Arc::clone(&program),
                        what: What::Help(index),
                    };
                    resources
                        .entry(manual::help_uri(&label, &command.path))
                        .or_insert(page);
                }
            }
            if manual::global_flags(catalog, &program).is_some() {
                let page = Page {
                    program: Arc::clone(&program),
                    what: What::GlobalFlags,
                };
                resources
                    .entry(manual::global_flags_uri(&label))
                    .or_insert(page);
            }
        }
        let prompts = (catalog.tools().iter().enumerate())
            .filter(|(_, tool)| !tool.spec().examples.trim().is_empty())
            .map(|(index, _)| index)
            .collect();
        Self { resources, prompts }
    }

    pub(super) fn resources(&self) -> Vec<Resource> {
        self.resources
            .iter()
            .map(|(uri, page)| {
                let (name, summary) = page.label();
                Resource::new(uri, name)
                    .with_description(summary)
                    .with_mime_type(TEXT)
            })
            .collect()
    }

    pub(super) fn templates() -> Vec<ResourceTemplate> {
        vec![
            ResourceTemplate::new(manual::HELP_TEMPLATE, "help")
                .with_description("The help of a program or of one of its commands")
                .with_mime_type(TEXT),
            ResourceTemplate::new(manual::GLOBAL_FLAGS_TEMPLATE, "global flags")
                .with_description("The flags that every command of a program takes")
                .with_mime_type(TEXT),
        ]
    }

    /// The text at `uri`.
    pub(super) fn read(&self, uri: &str, catalog: &Catalog) -> Option<String> {
        let page = self.resources.get(uri.trim_end_matches('/'))?;
        match page.what {
            What::Help(index) => {
                let path = &page.program.commands[index].path;
                manual::help(catalog, &page.program, path)
            }
            What::GlobalFlags => manual::global_flags(catalog, &page.program),
        }
    }

    pub(super) fn prompts(&self, catalog: &Catalog) -> Vec<Prompt> {
        let prompt = |&index: &usize| {
            let tool = &catalog.tools()[index];
            let goal = PromptArgument::new(GOAL)
                .with_description("What to do with it")
                .with_required(false);
            let summary = format!("Examples of `{}`", tool.command_line());
            Prompt::new(tool.name.clone(), Some(summary), Some(vec![goal]))
        };
        self.prompts.iter().map(prompt).collect()
    }

    /// The prompt called `name`: its tool and its text.
    pub(super) fn prompt<'a>(
        &self,
        name: &str,
        goal: Option<&str>,
        catalog: &'a Catalog,
        layout: Layout,
    ) -> Option<(&'a Tool, String)> {
        let tool = catalog.find(name)?;
        if tool.spec().examples.trim().is_empty() {
            return None;
        }
        let mut text = manual::examples(tool, layout);
        if let Some(goal) = goal {
            text.push_str("\nWhat to do: ");
            text.push_str(goal);
            text.push('\n');
        }
        Some((tool, text))
    }
}

impl Page {
    fn label(&self) -> (String, String) {
        let program = &self.program.name;
        match self.what {
            What::Help(index) => {
                let command = &self.program.commands[index];
                let name = self.program.command_line(&command.path);
                (format!("{name} --help"), command.summary.clone())
            }
            What::GlobalFlags => (
                format!("{program}: global flags"),
                format!("Flags that the commands of {program} inherit"),
            ),
        }
    }
}
