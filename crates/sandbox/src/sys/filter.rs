//! For the layers: filters, rulesets, capabilities and limits.
