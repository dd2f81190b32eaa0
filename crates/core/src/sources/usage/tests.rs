//! Usage lines of real programs, and what they mean.

use super::{leading_words, positionals};

/// `name!` must be given, `name?` may be, `*` stands for any number.
fn read(line: &str, words: usize) -> String {
    let read = positionals(line, words);
    let mut parts: Vec<String> = Vec::new();
    for (index, param) in read.params.iter().enumerate() {
        if read.after_dashes == Some(index) {
            parts.push("--".to_owned());
        }
        let need = if param.required { '!' } else { '?' };
        let many = if param.kind.is_repeatable() { "*" } else { "" };
        parts.push(format!("{}{need}{many}", param.name));
    }
    parts.join(" ")
}

#[track_caller]
fn check(line: &str, expected: &str) {
    let plain = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
    };
    // Commands in this table end where the first word is that no command has,
    // or where a `>` marks it.
    let (path, rest) = line.split_once(" > ").unwrap_or((line, ""));
    let words = if rest.is_empty() {
        path.split(' ').take_while(plain).count()
    } else {
        path.split(' ').count()
    };
    let line = format!("{path} {rest}");
    assert_eq!(read(line.trim(), words), expected, "{line}");
}

#[test]
fn brackets_angles_and_dots_say_optional_required_and_many() {
    check("echo [message...]", "message?*");
    check("search [query] [path]", "query? path?");
    check("run <file>", "file!");
    check("dlv debug [package] [flags]", "package?");
    check("dlv attach > pid [executable] [flags]", "pid! executable?");
    check("dlv core <executable> <core> [flags]", "executable! core!");
    check("dlv trace [package] regexp [flags]", "package? regexp!");
    check("chezmoi add > targets... [flags]", "targets!*");
    check("chezmoi apply [target]... [flags]", "target?*");
    check("chezmoi decrypt [file...] [flags]", "file?*");
    check("restic find [flags] PATTERN...", "PATTERN!*");
    check("restic copy [flags] [snapshotID ...]", "snapshotID?*");
    check("restic forget [flags] [snapshot ID] [...]", "snapshot ID?*");
    check("restic backup [flags] [FILE/DIR] ...", "FILE/DIR?*");
    check(
        "restic diff [flags] snapshot-ID snapshot-ID",
        "snapshot-ID! snapshot-ID_2!",
    );
    check(
        "arduino-cli core search <keywords...> [flags]",
        "keywords!*",
    );
    check(
        "arduino-cli core upgrade [PACKAGER:ARCH] ... [flags]",
        "PACKAGER:ARCH?*",
    );
    check(
        "rclone rcd <path to files to serve>* [flags]",
        "path to files to serve?*",
    );
    check(
        "rclone test makefile <size> [<file>]+ [flags]",
        "size! file?*",
    );
    check(
        "rclone config create > name type [key value]* [flags]",
        "name! type! key value?*",
    );
    check("notary witness [ GUN ] <role> ... [flags]", "GUN? role!*");
    check(
        "notary addhash [ GUN ] <target> <byte size> <hashes> [flags]",
        "GUN? target! byte size! hashes!",
    );
    check("gh release upload <tag> <files>... [flags]", "tag! files!*");
    check(
        "lxc file push <source path>... [<remote>:]<instance>/<path> [flags]",
        "source path!* instance/path!",
    );
}

#[test]
fn bare_capitals_are_required_names() {
    check(
        "docker run [OPTIONS] IMAGE [COMMAND] [ARG...]",
        "IMAGE! COMMAND? ARG?*",
    );
    check(
        "docker exec [OPTIONS] CONTAINER COMMAND [ARG...]",
        "CONTAINER! COMMAND! ARG?*",
    );
    check(
        "docker commit [OPTIONS] CONTAINER [REPOSITORY[:TAG]]",
        "CONTAINER! REPOSITORY?",
    );
    check(
        "docker kill [OPTIONS] CONTAINER [CONTAINER...]",
        "CONTAINER!*",
    );
    check(
        "docker context inspect [OPTIONS] [CONTEXT] [CONTEXT...]",
        "CONTEXT?*",
    );
    check(
        "docker manifest inspect [OPTIONS] [MANIFEST_LIST] MANIFEST",
        "MANIFEST_LIST? MANIFEST!",
    );
    check(
        "docker plugin set PLUGIN KEY=VALUE [KEY=VALUE...]",
        "PLUGIN! KEY=VALUE!*",
    );
    check(
        "docker top CONTAINER [ps OPTIONS]",
        "CONTAINER! ps OPTIONS?*",
    );
    check(
        "docker trust inspect IMAGE[:TAG] [IMAGE[:TAG]...]",
        "IMAGE!*",
    );
    check(
        "docker tag SOURCE_IMAGE[:TAG] TARGET_IMAGE[:TAG]",
        "SOURCE_IMAGE! TARGET_IMAGE!",
    );
    check(
        "podman run [options] IMAGE [COMMAND [ARG...]]",
        "IMAGE! COMMAND? ARG?*",
    );
    check(
        "podman machine ssh [options] [NAME] [COMMAND [ARG ...]]",
        "NAME? COMMAND? ARG?*",
    );
    check(
        "podman container diff [options] CONTAINER [CONTAINER]",
        "CONTAINER! CONTAINER_2?",
    );
    check("podman image scp [options] IMAGE [HOST::]", "IMAGE! HOST?");
    check("crane copy SRC DST [flags]", "SRC! DST!");
    check(
        "kind load docker-image <IMAGE> [IMAGE...] [flags]",
        "IMAGE!*",
    );
    check(
        "hcloud server ssh [FLAGS] SERVER [COMMAND...]",
        "SERVER! COMMAND?*",
    );
    check(
        "kubectl taint NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N [options]",
        "NODE! NAME! KEY=VAL:TAINT_EFFECT!*",
    );
    check(
        "kubectl port-forward TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]",
        "TYPE/NAME! REMOTE_PORT!*",
    );
}

#[test]
fn placeholders_for_flags_and_commands_are_no_arguments() {
    check("gh pr list [flags]", "");
    check("docker [OPTIONS] COMMAND", "");
    check("podman [options] [command]", "");
    check("gh <command> <subcommand> [flags]", "");
    check("kubectl config SUBCOMMAND [options]", "");
    check("etcdctl member <subcommand> [flags]", "");
    check("hcloud server create FLAGS", "");
    check("hcloud certificate list [FlAGS]", "");
    check("hcloud network add-route NETWORK FLAGS", "NETWORK!");
    check(
        "bingo list <flags> [<package or binary>] [flags]",
        "package or binary?",
    );
    check(
        "skopeo copy [command options] SOURCE-IMAGE DESTINATION-IMAGE",
        "SOURCE-IMAGE! DESTINATION-IMAGE!",
    );
    check(
        "rclone backend <command> remote:path [opts] <args> [flags]",
        "command! remote:path! args?*",
    );
    check("wait [command] [args] [--flags]", "args?*");
    check("hyperfine [OPTIONS] <command>...", "command!*");
    check("dpkg [<option>...] <command>", "");
}

#[test]
fn flags_in_the_line_take_their_values_with_them() {
    check("kubectl create -f FILENAME [options]", "");
    check("kubectl apply (-f FILENAME | -k DIRECTORY) [options]", "");
    check(
        "kubectl attach (POD | TYPE/NAME) -c CONTAINER [options]",
        "POD_or_TYPE/NAME!",
    );
    check(
        "kubectl explain TYPE [--recursive=FALSE|TRUE] [-o|--output=plaintext|plaintext-openapiv2] [options]",
        "TYPE!",
    );
    check(
        "kubectl events [(-o|--output=)json|yaml|name] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]",
        "",
    );
    check(
        "kubectl config get-contexts [(-o|--output=)name)] [options]",
        "",
    );
    check(
        "kubectl create service externalname NAME --external-name external.name [--dry-run=server|client|none]",
        "NAME!",
    );
    check(
        "kubectl create rolebinding NAME --clusterrole=NAME|--role=NAME [--user=username] [options]",
        "NAME!",
    );
    check(
        "skopeo sync [command options] --src TRANSPORT --dest TRANSPORT SOURCE DESTINATION",
        "SOURCE! DESTINATION!",
    );
    check(
        "skopeo standalone-sign MANIFEST DOCKER-REFERENCE KEY-FINGERPRINT --output|-o SIGNATURE",
        "MANIFEST! DOCKER-REFERENCE! KEY-FINGERPRINT!",
    );
    check(
        "arduino-cli profile create --profile <PROFILE_NAME> --fqbn <FQBN> [flags] [<SKETCH_PATH>]",
        "SKETCH_PATH?",
    );
    check(
        "oras blob fetch [flags] {--output <file> | --descriptor} <name>@<digest>",
        "name@digest!",
    );
    check(
        "oras manifest index update <index>{:<tag>|@<digest>} [{--add|--merge|--remove} <manifest>] [...]",
        "index!",
    );
}

#[test]
fn alternatives_are_one_argument() {
    check(
        "gh pr view [<number> | <url> | <branch>] [flags]",
        "number_or_url_or_branch?",
    );
    check(
        "gh issue transfer {<number> | <url>} <destination-repo> [flags]",
        "number_or_url! destination-repo!",
    );
    check("gh alias delete {<alias> | --all} [flags]", "alias?");
    check(
        "gh cache delete [<cache-id>| <cache-key> | --all] [flags]",
        "cache-id_or_cache-key?",
    );
    check("gh gist create [<filename>... | -] [flags]", "filename?*");
    check("docker build [OPTIONS] PATH | URL | -", "PATH_or_URL!");
    check(
        "docker cp [OPTIONS] CONTAINER:SRC_PATH DEST_PATH|-",
        "CONTAINER:SRC_PATH! DEST_PATH!",
    );
    check(
        "docker inspect [OPTIONS] NAME|ID [NAME|ID...]",
        "NAME_or_ID!*",
    );
    check(
        "docker swarm join-token [OPTIONS] (worker|manager)",
        "worker_or_manager!",
    );
    check(
        "docker node inspect [OPTIONS] self|NODE [NODE...]",
        "self_or_NODE! NODE?*",
    );
    check(
        "podman generate kube [options] {CONTAINER...|POD...|VOLUME...}",
        "CONTAINER_or_POD_or_VOLUME!*",
    );
    check(
        "podman diff [options] {CONTAINER|IMAGE} [{CONTAINER|IMAGE}]",
        "CONTAINER_or_IMAGE! CONTAINER_or_IMAGE_2?",
    );
    check(
        "restic cat [flags] [pack|blob|snapshot|index|key|masterkey|config|lock] ID",
        "choice? ID!",
    );
    check(
        "kubectl auth can-i VERB [TYPE | TYPE/NAME | NONRESOURCEURL] [options]",
        "VERB! TYPE_or_TYPE/NAME_or_NONRESOURCEURL?",
    );
    check(
        "lxc remote add [<remote>] <IP|FQDN|URL|token> [flags]",
        "remote? IP_or_FQDN_or_URL_or_token!",
    );
}

#[test]
fn parts_of_one_word_are_one_argument() {
    check(
        "lxc launch [<remote>:]<image> [<remote>:][<name>] [flags]",
        "image! name?",
    );
    check(
        "lxc list [<remote>:] [<filter>...] [flags]",
        "remote? filter?*",
    );
    check(
        "lxc file pull [<remote>:]<instance>/<path> [[<remote>:]<instance>/<path>...] <target path>",
        "instance/path!* target path!",
    );
    check(
        "lxc config set [<remote>:][<instance>] <key>=<value>... [flags]",
        "instance? key=value!*",
    );
    check(
        "lxc network peer create [<remote>:]<network> <peer_name> <[target project/]target_network> [key=value...]",
        "network! peer_name! target_network! key=value?*",
    );
    check(
        "oras push [flags] <name>[:<tag>[,<tag>][...]] <file>[:<type>] [...]",
        "name! file!*",
    );
    check(
        "oras manifest index create [flags] <target>[:<tag[,<tag>][...]] <sources>[{<tag>|<digest>}...]",
        "target! sources!*",
    );
    check(
        "gh codespace ports forward <remote-port>:<local-port>... [flags]",
        "remote-port:local-port!*",
    );
    check(
        "rclone copyurl > https://example.com dest:path [flags]",
        "url! dest:path!",
    );
    check("rclone about > remote: [flags]", "remote!");
    check(
        "hcloud load-balancer add-label [FLAGS] LOAD BALANCER LABEL",
        "LOAD BALANCER! LABEL!",
    );
    check(
        "yq eval [expression] [yaml_file1]... [flags]",
        "expression? yaml_file?*",
    );
}

#[test]
fn two_dashes_start_another_programs_words() {
    check(
        "gh repo clone <repository> [<directory>] [-- <gitflags>...]",
        "repository! directory? -- gitflags?*",
    );
    check(
        "kubectl exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...] [options]",
        "POD_or_TYPE/NAME! -- COMMAND! args?*",
    );
    check(
        "kubectl debug (POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ] [options]",
        "POD_or_TYPE/NAME! -- COMMAND? args?*",
    );
    check(
        "kubectl create cronjob NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...] [flags]",
        "NAME! -- COMMAND? args?*",
    );
    check(
        "lxc exec [<remote>:]<instance> [flags] [--] <command line>",
        "instance! -- command line!*",
    );
    check(
        "etcdctl watch [options] [key or prefix] [range_end] [--] [exec-command arg1 arg2 ...] [flags]",
        "key or prefix? range_end? -- exec-command? arg?*",
    );
    check(
        "wait4x http > ADDRESS... [flags] [-- command [args...]]",
        "ADDRESS!* -- command? args?*",
    );
}

#[test]
fn what_cannot_be_read_safely_becomes_one_optional_list() {
    check(
        "kubectl get (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE/NAME ...) [flags]",
        "args?*",
    );
    check(
        "kubectl delete ([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)]) [options]",
        "args?*",
    );
    check(
        "kubectl annotate [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N",
        "args?*",
    );
    check(
        "changie diff N|>,>=,<,<=version|versiona - versionb|start...end [flags]",
        "args?*",
    );
    check(
        "etcdctl put [options] <key> <value> (<value> can also be given from stdin) [flags]",
        "key! value?",
    );
    let unread = positionals(
        "kubectl scale --replicas=COUNT (-f FILENAME | TYPE NAME)",
        2,
    )
    .unread;
    assert_eq!(unread, ["(-f FILENAME | TYPE NAME)"]);
    let deep = format!("x {}a{}", "[".repeat(3000), "]".repeat(3000));
    assert_eq!(read(&deep, 1), "args?*");
}

#[test]
fn the_words_before_the_arguments_are_found_whoever_is_the_host() {
    let cases: [(&str, &str, &[&str], usize); 7] = [
        (
            "docker compose up [OPTIONS] [SERVICE...]",
            "docker-compose",
            &["up"],
            3,
        ),
        ("docker compose [OPTIONS] COMMAND", "docker-compose", &[], 2),
        ("docker compose up [SERVICE...]", "renamed", &["up"], 3),
        ("cobra-cli add [command name]", "cobra-cli", &["add"], 2),
        ("gh pr checkout <number>", "gh", &["co"], 3),
        ("rclone mount remote:path", "rclone", &["mount"], 2),
        ("yq [flags]", "yq", &[], 1),
    ];
    for (line, program, path, expected) in cases {
        assert_eq!(leading_words(line, program, path), expected, "{line}");
    }
}
