//! A sandbox that stays: one program, run many times with other words.
//!
//! Making a world takes longer than many a program runs. A ward is a launcher that makes
//! it once and then forks a launcher for every run, which puts the layers on, watches and
//! ends it as any other would: runs share their files, and nothing else.

use std::ffi::OsString;

use argway_core::policy::Tier;

use super::{Job, LaunchError, Sandboxed, Stdio};
use crate::frame::Order;

/// A launched ward. Dropping it ends everything that runs in it.
#[derive(Debug)]
pub struct Ward {
    /// The ward's own launcher. Its first report says whether it stands.
    pub sandboxed: Sandboxed,
    order: Order,
}

impl AsMut<Sandboxed> for Ward {
    fn as_mut(&mut self) -> &mut Sandboxed {
        &mut self.sandboxed
    }
}

impl Ward {
    /// Starts a ward for runs of `job`, whose words do not matter.
    ///
    /// Returns at once, as [`super::launch`] does.
    #[cfg(target_os = "linux")]
    pub fn open(job: &Job, tier: Tier) -> Result<Self, LaunchError> {
        super::with_temporary(|temporary| {
            let mut order = super::order(job, tier, temporary)?;
            // It holds one run, and a world does not show it.
            if order.cgroup.is_some() {
                return Err(LaunchError::Spawn(std::io::ErrorKind::Unsupported.into()));
            }
            order.ward = true;
            let stdio = nothing().map_err(LaunchError::Spawn)?;
            let sandboxed = super::start(super::ITSELF.as_ref(), &order, &stdio)?;
            order.ward = false;
            Ok(Self { sandboxed, order })
        })
    }

    /// Starts a ward.
    #[cfg(not(target_os = "linux"))]
    pub fn open(_job: &Job, _tier: Tier) -> Result<Self, LaunchError> {
        Err(LaunchError::Spawn(std::io::ErrorKind::Unsupported.into()))
    }

    /// Starts the program with `words`. Returns at once, as [`super::launch`] does.
    #[cfg(target_os = "linux")]
    pub fn launch(&self, words: &[OsString], stdio: &Stdio) -> Result<Sandboxed, LaunchError> {
        let order = Order {
            words: words.to_vec(),
            ..self.order.clone()
        };
        self.send(&order, stdio).map_err(LaunchError::Spawn)
    }

    /// Starts the program with `words`.
    #[cfg(not(target_os = "linux"))]
    pub fn launch(&self, _words: &[OsString], _stdio: &Stdio) -> Result<Sandboxed, LaunchError> {
        Err(LaunchError::Spawn(std::io::ErrorKind::Unsupported.into()))
    }

    #[cfg(target_os = "linux")]
    fn send(&self, order: &Order, stdio: &Stdio) -> std::io::Result<Sandboxed> {
        use std::io::IoSlice;
        use std::mem::MaybeUninit;

        use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

        use crate::frame::{DESCRIPTORS, RUN};

        let file = super::order_file(order, &order.view.temporary)?;
        let (control, theirs) = super::line()?;
        let descriptors = super::descriptors(stdio, &theirs, &file);
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut message = SendAncillaryBuffer::new(&mut space);
        if !message.push(SendAncillaryMessage::ScmRights(&descriptors)) {
            return Err(std::io::ErrorKind::OutOfMemory.into());
        }
        sendmsg(
            &self.sandboxed.control,
            &[IoSlice::new(&[RUN])],
            &mut message,
            SendFlags::NOSIGNAL,
        )?;
        Ok(Sandboxed::new(super::Launcher::InWard, control))
    }
}

/// Streams of one who neither reads nor prints.
#[cfg(target_os = "linux")]
fn nothing() -> std::io::Result<Stdio> {
    let mut options = std::fs::File::options();
    let null = options.read(true).write(true).open("/dev/null")?;
    Ok(Stdio {
        stdin: null.try_clone()?.into(),
        stdout: null.try_clone()?.into(),
        stderr: null.into(),
    })
}
