//! A launcher that stays: it forks another for every run that it is asked for.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use argway_core::policy::Enforcement;
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use super::linux;
use crate::frame::{DESCRIPTORS, Order, RUN, Report};
use crate::supervise::{Line, Ward};
use crate::sys::spawn;

/// Runs what is asked for until nobody asks any more, and ends everybody then.
pub(super) fn keep(order: &Order, line: &Line, null: &OwnedFd) -> io::Result<()> {
    let ward = Ward::new(order.tier, line, null)?;
    line.report(&Report::Started(Enforcement {
        tier: order.tier,
        gaps: Vec::new(),
    }));
    ward.attend(|| match receive(line) {
        Asked::Run(descriptors) => {
            // One that cannot be started now is told of by its socket, which closes.
            if let Ok(None) = spawn::fork() {
                begin(descriptors)
            }
            true
        }
        Asked::Nothing => true,
        Asked::Gone => false,
    });
    Ok(())
}

enum Asked {
    Run(Vec<OwnedFd>),
    Nothing,
    Gone,
}

fn receive(line: &Line) -> Asked {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut message = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    match recvmsg(
        &line.0,
        &mut [IoSliceMut::new(&mut byte)],
        &mut message,
        flags,
    ) {
        Ok(received) if received.bytes == 0 => return Asked::Gone,
        Ok(_) => {}
        Err(Errno::AGAIN | Errno::INTR) => return Asked::Nothing,
        Err(_) => return Asked::Gone,
    }
    let mut descriptors = Vec::with_capacity(DESCRIPTORS);
    for part in message.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = part {
            descriptors.extend(rights);
        }
    }
    match byte[0] == RUN && descriptors.len() == DESCRIPTORS {
        true => Asked::Run(descriptors),
        false => Asked::Nothing,
    }
}

/// In a fork: a launcher as if it had just been started, in a world that is there.
fn begin(descriptors: Vec<OwnedFd>) -> ! {
    let carried_out = spawn::begin_with(descriptors).and_then(|()| linux::carry_out_here());
    spawn::leave(i32::from(carried_out.is_err()))
}
