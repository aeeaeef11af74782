//! Folders of skills on file systems of their own, and disks that are full or may not be written to.
//!
//! Each test mounts in a namespace of its own, so that nothing of it reaches the machine.

use std::process::Output;

use crate::project::{everything, project};
use crate::servers::repository::skill;
use crate::{TestContext, output, text};

/// What a script does that may mount, with the binary as `skillyard`; nothing where nobody may.
fn mounting(context: &TestContext, script: &str) -> Option<Output> {
    let arguments = ["--map-root-user", "--mount", "sh", "-euc"];
    mounting_as(context, &arguments, "mount -t tmpfs none /mnt", script)
}

/// The same, in a namespace of this kind and where a probe succeeds.
#[allow(clippy::print_stderr, reason = "a test that is left out says so")]
fn mounting_as(
    context: &TestContext,
    arguments: &[&str],
    probe: &str,
    script: &str,
) -> Option<Output> {
    let mut command = context.command("unshare");
    let probed = command.args(arguments).arg(probe).output();
    if !probed.is_ok_and(|output| output.status.success()) {
        eprintln!("left out: `{probe}` is not possible here");
        return None;
    }
    let functions = "skillyard() { command \"$SKILLYARD\" \"$@\"; }
        fails() { if \"$@\"; then exit 3; fi; }\n";
    let mut command = context.command("unshare");
    command.args(arguments).arg(format!("{functions}{script}"));
    command.env("SKILLYARD", env!("CARGO_BIN_EXE_skillyard"));
    Some(output(&mut command))
}

#[track_caller]
fn succeeds(output: &Output) {
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
}

#[test]
fn skills_go_to_another_file_system() {
    for mount in ["mount --bind other", "mount -t tmpfs none"] {
        let context = project();
        context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
        context.write("other/keep", "");
        let script = format!(
            "mkdir -p .agents/skills
            {mount} .agents/skills
            skillyard install ./lib/pdf
            sed s/one/two/ lib/pdf/SKILL.md > new && mv new lib/pdf/SKILL.md
            skillyard update --yes
            grep two .agents/skills/pdf/SKILL.md
            skillyard sync --frozen --check
            skillyard remove pdf
            ls -A .agents .agents/skills"
        );
        let Some(output) = mounting(&context, &script) else {
            return;
        };
        succeeds(&output);
        let left = text(&output.stdout);
        assert!(!left.contains(".skillyard"), "{left}");
        assert_eq!(everything(&context.root().join("other")), ["keep"]);
    }
}

#[test]
fn a_place_that_cannot_be_left_blocks_nothing_else() {
    let context = project();
    context.write("lib/csv/SKILL.md", skill("csv", "one"));
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    let script = "mkdir -p .agents/skills/pdf other
        mount --bind other .agents/skills/pdf
        fails skillyard install ./lib --all --force
        fails test -e .agents/skills/csv
        fails test -e skills.lock
        skillyard sync
        skillyard install ./lib/csv
        skillyard list";
    let Some(output) = mounting(&context, script) else {
        return;
    };
    succeeds(&output);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
    assert_eq!(
        everything(&context.in_home(".skillyard/journal")),
        Vec::<String>::new()
    );
}

#[test]
fn what_waits_for_its_place_is_no_skill() {
    let context = project();
    context.write(
        ".agents/skills/.skillyard-7-7-0/pdf/SKILL.md",
        skill("pdf", "one"),
    );
    let list = context.json(&["list", "--all", "--json", "--config", TRUSTED]);
    let names = list["skills"].as_array().unwrap().iter();
    assert_eq!(names.filter(|each| each["name"] == "pdf").count(), 0);
}

const TRUSTED: &str = "discovery.trust_projects=always";

#[test]
fn sessions_are_read_where_nothing_can_be_written() {
    let context = project();
    context.done(&["chat", "--sessions"]);
    let script = "mount --bind -o ro \"$HOME\" \"$HOME\"
        mount -o remount,bind,ro \"$HOME\"
        skillyard chat --sessions";
    let Some(output) = mounting(&context, script) else {
        return;
    };
    succeeds(&output);
}

#[test]
fn skills_are_sound_where_no_executable_bits_are_kept() {
    // Only root may mount this; who it is in a namespace of users is not enough.
    let arguments = ["--mount", "sh", "-euc"];
    let probe = "PATH=$PATH:/usr/sbin:/sbin
        mkdir probe && truncate -s 4M probe.img && mkntfs -Fq probe.img
        ntfs-3g probe.img probe && umount probe";
    for option in ["fmask=0", "fmask=0111"] {
        let context = project();
        context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
        context.write("lib/pdf/scripts/plain.py", "print(1)\n");
        context.write("lib/pdf/scripts/run.sh", "#!/bin/sh\n");
        context.write("disk/not-mounted", "");
        let script = format!(
            "PATH=$PATH:/usr/sbin:/sbin
            chmod +x lib/pdf/scripts/run.sh
            truncate -s 16M disk.img
            mkntfs -Fq disk.img
            ntfs-3g -o {option} disk.img disk
            disk=$PWD/disk
            trap 'cd /; umount \"$disk\"' EXIT
            mkdir disk/p
            cd disk/p
            touch skills.toml
            skillyard install ../../lib/pdf
            skillyard sync --frozen --check
            skillyard sync
            skillyard update --yes
            skillyard prompt --config {TRUSTED} | grep pdf
            mkdir .agents/skills/pdf/scripts/__pycache__
            echo x > .agents/skills/pdf/scripts/__pycache__/plain.cpython-312.pyc
            skillyard prompt --config {TRUSTED} | grep pdf
            skillyard sync
            fails test -e .agents/skills/pdf/scripts/__pycache__
            echo mine >> .agents/skills/pdf/SKILL.md
            fails skillyard sync
            fails skillyard remove pdf
            skillyard sync --force
            skillyard sync --frozen --check
            skillyard remove pdf
            fails test -e .agents/skills/pdf"
        );
        let Some(output) = mounting_as(&context, &arguments, probe, &script) else {
            return;
        };
        succeeds(&output);
        let told = text(&output.stderr);
        assert!(told.contains("installed: SKILL.md\n"), "{told}");
    }
}

#[test]
fn an_export_is_there_whole_or_not_at_all() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    for name in ["a", "b", "c"] {
        context.write(&format!("lib/pdf/{name}.txt"), "x".repeat(30_000));
    }
    context.done(&["install", "./lib/pdf"]);
    let script = format!(
        "mkdir out
        mount -t tmpfs -o size=64k none out
        export=\"export pdf --agent codex --output out --config {TRUSTED}\"
        fails skillyard $export
        find out -type f
        mount -o remount,size=1m out
        skillyard $export
        diff -r lib/pdf out/.agents/skills/pdf
        ls -A out/.agents/skills"
    );
    let Some(output) = mounting(&context, &script) else {
        return;
    };
    succeeds(&output);
    assert_eq!(text(&output.stdout).lines().last(), Some("pdf"));
    let told = text(&output.stderr);
    assert!(
        told.contains("cannot write `out/.agents/skills/pdf`"),
        "{told}"
    );
    assert_eq!(text(&output.stdout).matches("txt").count(), 0, "{told}");
}
