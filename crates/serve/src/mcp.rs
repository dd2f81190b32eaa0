//! The only file that names rmcp: tools, resources and prompts over stdio.
