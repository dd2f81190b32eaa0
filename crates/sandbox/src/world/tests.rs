//! Worlds as their inhabitants see them: a shell in a real one, asked what is there.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod scene;

use std::io::Write as _;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::root::Kernel;
use scene::{ORDER, Obstacle, Scene, own, runner, users};

#[test]
fn what_the_view_does_not_hold_is_not_there() {
    let scene = Scene::new();
    scene.prints("ls \"$AT\"", "read\nwork");
    scene.prints("test -e \"$AT\"/outside/secret || echo no", "no");
    scene.prints("test -e /etc/shadow || echo no; ls /etc | grep -v -e localtime -e mtab -e release -e resolv", "no\npasswd");
    scene.prints("ls -d /root /home /sys /run /boot 2>/dev/null", "");
}

#[test]
fn what_is_readable_cannot_be_changed() {
    let scene = Scene::new();
    scene.prints("cat \"$AT\"/read/file", "readable");
    scene.prints(
        "echo x 2>/dev/null > \"$AT\"/read/file || echo no; cat \"$AT\"/read/file",
        "no\nreadable",
    );
    scene.prints(
        "for tried in 'chmod 777' 'touch' 'rm -f'; do $tried \"$AT\"/read/file 2>/dev/null || echo no; done",
        "no\nno\nno",
    );
}

#[test]
fn the_working_directory_and_the_temporary_folder_can_be_written() {
    let scene = Scene::new();
    scene.prints(
        "echo 1 > new && cat new file && rm new; mkdir \"$TMPDIR\"/a && ls -d /tmp/a && rmdir /tmp/a",
        "1\nwork/tmp/a",
    );
    assert!(!scene.view.directory.join("new").exists());
}

#[test]
fn temporary_files_of_every_kind_are_in_the_runs_own_folder() {
    let scene = Scene::new();
    scene.prints(
        "for folder in /tmp /var/tmp /dev/shm; do echo $folder > $folder/x; cat \"$TMPDIR\"/x; done; rm /tmp/x",
        "/tmp\n/var/tmp\n/dev/shm",
    );
}

#[test]
fn what_is_protected_can_be_neither_changed_nor_moved() {
    let scene = Scene::new();
    let attempts = [
        "echo x > .git/hooks/pre-commit",
        "echo x > .git/config",
        "echo x > .argway/policy",
        "mv .git/hooks .git/away",
        "mv .git/config .git/away",
        "mv .argway away",
        "mv .git away",
        "rm -rf .git",
        "rm -rf .argway",
        "chmod 777 .git/hooks",
        "touch .git/config",
        "ln .git/config stolen",
    ];
    for attempt in attempts {
        scene.prints(&format!("{{ {attempt}; }} 2>/dev/null || echo no"), "no");
    }
    scene.prints(
        "cat .git/config; ls -A .git .argway; echo 1 > .git/index && cat .git/index && rm .git/index",
        "configured.argway:\n\n.git:\nconfig\nhooks\n1",
    );
}

#[test]
fn a_protected_link_cannot_be_replaced() {
    let mut scene = Scene::new();
    let link = scene.view.directory.join("linked");
    std::os::unix::fs::symlink(".argway", &link).unwrap();
    scene.view.protected.push(link);
    scene.prints(
        "rm -f linked 2>/dev/null || echo no; mv linked x 2>/dev/null || echo no; ls -d linked/",
        "no\nno\nlinked/",
    );
}

#[test]
fn the_root_itself_cannot_be_written() {
    let scene = Scene::new();
    for folder in ["/", "/dev", "/etc", "/usr", "/proc"] {
        scene.prints(
            &format!("{{ echo x > {folder}/new; }} 2>/dev/null || echo no"),
            "no",
        );
    }
}

#[test]
fn processes_outside_are_not_there() {
    let scene = Scene::new();
    scene.prints(
        "for process in /proc/[0-9]*; do cat $process/comm; done | sort -u | grep -v -e cat -e sort -e grep",
        "sh\nworld::tests::s",
    );
    scene.prints(
        "test $$ -lt 10 && echo low; test -d /proc/self/fd && echo own",
        "low\nown",
    );
}

#[test]
fn init_cannot_be_looked_into() {
    let scene = Scene::new();
    for secret in ["environ", "maps", "root/", "fd/0", "mem"] {
        scene.prints(
            &format!("head -c1 /proc/1/{secret} >/dev/null 2>&1 || echo no; readlink /proc/1/exe /proc/1/cwd || echo no"),
            "no\nno",
        );
    }
}

#[test]
fn a_world_goes_first_where_memory_is_short() {
    Scene::new().prints("cat /proc/self/oom_score_adj", "1000");
}

#[test]
fn the_systems_settings_cannot_be_opened_for_writing() {
    let scene = Scene::new();
    for file in [
        "sys/kernel/core_pattern",
        "sysrq-trigger",
        "sys/kernel/hostname",
    ] {
        scene.prints(
            &format!("{{ true >> /proc/{file}; }} 2>/dev/null || echo no"),
            "no",
        );
    }
}

#[test]
fn there_is_no_network_but_a_loopback_that_is_down() {
    let scene = Scene::new();
    scene.prints("grep : /proc/self/net/dev | cut -d: -f1 | tr -d ' '", "lo");
}

#[test]
fn with_the_network_allowed_it_is_the_hosts() {
    let mut scene = Scene::new();
    scene.network = true;
    let here = std::fs::read_link("/proc/self/ns/net").unwrap();
    scene.prints("readlink /proc/self/ns/net", &here.to_string_lossy());
}

#[test]
fn every_namespace_is_new() {
    let scene = Scene::new();
    for name in ["user", "mnt", "pid", "net", "ipc"] {
        let here = std::fs::read_link(format!("/proc/self/ns/{name}")).unwrap();
        let here = here.to_string_lossy();
        scene.prints(
            &format!("test \"$(readlink /proc/self/ns/{name})\" != '{here}' && echo new"),
            "new",
        );
    }
}

#[test]
fn a_user_is_still_the_same_user() {
    let scene = Scene::new();
    for user in users() {
        let expected = user.unwrap_or_else(|| rustix::process::geteuid().as_raw());
        if let Some(output) = scene.run("id -u; stat -c %u file", user) {
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(said, format!("{expected}\n{expected}\n"));
        }
    }
}

#[test]
fn the_harmless_devices_work_and_no_other_is_there() {
    let scene = Scene::new();
    scene.prints(
        "ls /dev | tr '\\n' ' '; echo x > /dev/null; head -c4 /dev/zero | wc -c; head -c4 /dev/urandom | wc -c; \
         readlink /dev/stdin /dev/fd; chmod 600 /dev/null 2>/dev/null || echo no",
        "fd full null random shm stderr stdin stdout urandom zero 4\n4\n/proc/self/fd/0\n/proc/self/fd\nno",
    );
}

#[test]
fn set_user_id_bits_mean_nothing() {
    let scene = Scene::new();
    let script = "cut -d' ' -f5,6 /proc/self/mountinfo > /tmp/mounts; grep -v nosuid /tmp/mounts; \
                  test $(grep -c nosuid /tmp/mounts) -gt 9 && echo all";
    scene.prints(script, "all");
}

#[test]
fn a_world_is_cut_off_from_mounts_made_outside() {
    let scene = Scene::new();
    scene.prints("grep -e shared: -e master: /proc/self/mountinfo", "");
}

#[test]
fn the_old_root_is_gone() {
    let scene = Scene::new();
    scene.prints(
        "ls -d /../root /proc/self/root/root 2>/dev/null; cd /; cd ..; ls -d root home 2>/dev/null; \
         grep -c ' / / ' /proc/self/mountinfo",
        "1",
    );
}

#[test]
fn names_of_folders_may_be_strange() {
    for name in [
        "with blank",
        "with\nnewline",
        "a/b/c/d/e/f/g/h/i/j",
        "-dash",
        "ü'\"\\",
    ] {
        let scene = Scene::under(&std::env::temp_dir(), name);
        scene.prints(
            "cd \"$WORK\" && cat file; { echo x > .git/config; } 2>/dev/null || echo ' no'",
            "work no",
        );
    }
}

#[test]
fn the_working_directory_may_be_on_another_mount() {
    let parent = Path::new("/dev/shm");
    if rustix::fs::access(parent, rustix::fs::Access::WRITE_OK).is_err() {
        let _ = writeln!(std::io::stderr(), "NOT TESTED: /dev/shm cannot be written");
        return;
    }
    let scene = Scene::under(parent, "work");
    scene.prints("cat file; rm -rf .git 2>/dev/null || echo ' no'", "work no");
}

#[test]
fn a_single_file_can_be_readable_or_writable() {
    let mut scene = Scene::new();
    let at = scene.at();
    std::fs::write(at.join("outside/open"), "open").unwrap();
    scene.view.readable.push(at.join("outside/secret"));
    scene.view.writable.push(at.join("outside/open"));
    scene.prints(
        "ls \"$AT\"/outside; cat \"$AT\"/outside/secret; { echo x > \"$AT\"/outside/secret; } 2>/dev/null || echo ' no'; \
         echo changed > \"$AT\"/outside/open; cat \"$AT\"/outside/open",
        "open\nsecret\nsecret no\nchanged",
    );
}

#[test]
fn what_is_gone_by_now_is_left_out_if_it_was_to_be_read() {
    let mut scene = Scene::new();
    scene.view.readable.push(scene.at().join("gone/for ever"));
    scene.prints("cat file", "work");
}

#[test]
fn the_whole_root_can_be_readable() {
    let mut scene = Scene::new();
    scene.view.readable = vec!["/".into()];
    scene.prints(
        "cat \"$AT\"/outside/secret; { echo x > \"$AT\"/outside/secret; } 2>/dev/null || echo ' no'; \
         echo 1 > new && rm new; ls /dev | wc -l; echo x > /dev/null; { echo x > /dev/x; } 2>/dev/null || echo no; \
         { echo x > .git/config; } 2>/dev/null || echo no; ls -d /proc/[0-9]* | wc -l | grep -q '^.$' && echo few",
        "secret no\n10\nno\nno\nfew",
    );
}

#[test]
fn with_everything_allowed_processes_are_still_hidden_and_protected_paths_kept() {
    let mut scene = Scene::new();
    scene.view.everything = true;
    scene.prints(
        "cat \"$AT\"/outside/secret; { echo x > .git/config; } 2>/dev/null || echo ' no'; mv .git x 2>/dev/null || echo no; \
         ls -d /proc/[0-9]* | wc -l | grep -q '^.$' && echo few; cut -d' ' -f6 /proc/self/mountinfo | grep -v nosuid",
        "secret no\nno\nfew",
    );
}

#[test]
fn an_older_kernel_gives_the_same_world() {
    let mut scene = Scene::new();
    scene.kernel = Kernel::Old;
    scene.prints(
        "ls \"$AT\"; { echo x > .git/config; } 2>/dev/null || echo no; { echo x > \"$AT\"/read/file; } 2>/dev/null || echo no; \
         cut -d' ' -f5,6 /proc/self/mountinfo | grep -v nosuid; grep -e shared: -e master: /proc/self/mountinfo; \
         echo x > new && cat new && rm new; echo x > /dev/null; mv .git x 2>/dev/null || echo no",
        "read\nwork\nno\nno\nx\nno",
    );
}

#[test]
fn an_older_kernel_restricts_what_is_mounted_below_too() {
    let mut scene = Scene::new();
    scene.kernel = Kernel::Old;
    scene.view.readable = vec!["/".into()];
    scene.prints(
        // What lies under another mount is out of reach.
        "awk '{ at[$5] = $6 } END { for (m in at) print m, at[m] }' /proc/self/mountinfo | grep -v -e ' ro.*nosuid' -e '/work rw,nosuid' -e '/work/.git rw,nosuid' -e '/temporary rw,nosuid' -e ^/dev; { echo x > /dev/x; } 2>/dev/null || echo no",
        "no",
    );
}

#[test]
fn init_dies_with_its_maker() {
    for user in users() {
        let scene = Scene::new();
        own(&scene.at(), user.unwrap_or_default());
        let order = scene.folder.path().join("order");
        let script = "echo 1 > /tmp/started; sleep 20; echo late";
        std::fs::write(&order, scene.order(script)).unwrap();
        let mut command = Command::new(runner());
        command
            .args([
                "world::tests::scene::inhabit",
                "--exact",
                "--test-threads=1",
            ])
            .env(ORDER, &order)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null());
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        let mut maker = command.spawn().unwrap();
        let started = scene.view.temporary.join("started");
        let start = std::time::Instant::now();
        while !started.exists() && maker.try_wait().unwrap().is_none() {
            assert!(
                start.elapsed().as_secs() < 15,
                "as {user:?}: it never started"
            );
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        maker.kill().unwrap();
        maker.wait().unwrap();
        // The sleeping shell holds the other end of this pipe for as long as it lives.
        let mut rest = Vec::new();
        std::io::Read::read_to_end(&mut maker.stdout.take().unwrap(), &mut rest).unwrap();
        let rest = String::from_utf8_lossy(&rest);
        assert!(!rest.contains("late"), "as {user:?}: {rest}");
    }
}

#[test]
fn a_world_that_cannot_be_had_says_what_would_allow_it() {
    let refusals = [
        (
            Obstacle::Limit("user"),
            "user namespace",
            "sysctl user.max_user_namespaces=",
        ),
        (
            Obstacle::Limit("net"),
            "network namespace",
            "sysctl user.max_net_namespaces=",
        ),
        (
            Obstacle::Cover,
            "mounting a /proc of its own",
            "systempaths=unconfined",
        ),
    ];
    for (obstacle, what, remedy) in refusals {
        let mut scene = Scene::new();
        scene.obstacle = Some(obstacle);
        for user in users() {
            if let Some(output) = scene.run("", user) {
                let said = String::from_utf8_lossy(&output.stdout);
                assert!(
                    said.contains(what) && said.contains(remedy),
                    "as {user:?}: {obstacle:?}: {said}"
                );
            }
        }
    }
}
