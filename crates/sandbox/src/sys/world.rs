//! For the strict tier's world: namespaces and mounts.
