//! To be read.

use super::DescribedError;
use crate::model::Reading;

pub(super) fn recognise(_text: &str) -> bool {
    false
}

pub(super) fn read(_name: Option<&str>, _text: &str) -> Result<Reading, DescribedError> {
    Err(DescribedError("cannot be read yet".to_owned()))
}
