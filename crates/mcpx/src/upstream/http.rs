//! Streamable HTTP, and the old HTTP+SSE as last resort.
