//! A denied command is found however it is dressed up.

use skillyard_trust::guard::{GuardInput, GuardRequest, GuardVerdict, SearchExclusions, check};

use crate::{Machine, policy};

pub(crate) fn is_denied(tools: &str, tool: &str, input: &str) -> bool {
    let request = GuardRequest {
        tool: tool.into(),
        input: GuardInput::Text(input.into()),
    };
    let decision = check(&request, &[], &[policy("user", tools)], &Machine::new());
    decision.verdict == GuardVerdict::Denied
}

#[test]
fn commands() {
    for command in [
        "rm x",
        "/bin/rm x",
        "r''m x",
        "ls; rm x",
        "ls $(rm x)",
        "ls `rm x`",
        "sudo rm x",
        "sudo -u root /bin/rm x",
        "env A=1 rm x",
        "A=1 rm x",
        "xargs rm",
        "find . -exec rm {} +",
        "sh -c 'rm x'",
        "bash -c \"echo; rm x\"",
        "eval 'rm x'",
        "echo rm | sh",
        "sh <<'E'\nrm x\nE",
        "nohup timeout 5 rm x",
        "$X x",
        "f() { rm x; }; f",
        "alias x=rm; x y",
        "trap 'rm x' EXIT",
        "if true; then rm x; fi",
        "for f in a; do rm $f; done",
        "command rm x",
        "git -c alias.x='!rm y' x",
        "python3 -c 'import os; os.system(\"rm x\")'",
        "echo 'x",
        "cat <<E\n$(rm x)\nE",
        "sh -c 'r\"\"m x'",
        "sh -c \"bash -c 'r\\\"\\\"m x'\"",
        "xargs -I{} sh -c 'r\"\"m {}'",
        "eval 'r\"\"m' x",
        "sudo bash",
        "source x.sh",
        "env -S'rm x'",
        "env -iSrm x",
        "env -S 'r\"\"m x'",
        "env -Ssh",
        "su -c'rm x'",
        "jobs -x rm x",
        "printf -v 'a[$(rm x)]' y",
        "printf -v'a[$(rm x)]' y",
        "printf -v \"$X\" y",
        "test -v 'a[$(rm x)]'",
        "[ -n x -a -R 'a[`rm x`]' ]",
        "wait -p 'a[$(rm x)]' -n",
        "wait -np 'a[$(rm x)]'",
        "wait -np'a[b]'",
    ] {
        assert!(is_denied("Bash(rm:*)", "Bash", command), "{command}");
    }
    for command in [
        "ls",
        "git rm-something",
        "echo rm",
        "rmdir x",
        "git log | head",
        "sh -c 'ls; pwd'",
        "env -i A=1 ls",
        "find . -perm 644",
        "jobs -l",
        "printf '[%s] rm\\n' a",
        "printf -v name '[%s]' rm",
        "printf -- '-v [rm]'",
        "printf -v 'a[0]' x",
        "test -v name && [ -v 'a[1]' ]",
        "[ -n \"$X\" ]",
        "wait -n -p name",
        "wait %1",
    ] {
        assert!(!is_denied("Bash(rm:*)", "Bash", command), "{command}");
    }
}

#[test]
fn programs_that_start_others() {
    for command in [
        "x86_64 curl --version",
        "linux64 /usr/bin/curl x",
        "i386 $X",
        "uname26 env curl",
        "/lib64/ld-linux-x86-64.so.2 /usr/bin/curl --version",
        "choom -n 5 -- curl x",
        "ssh-agent curl x",
        "sg users 'curl x'",
        "dbus-run-session -- curl x",
        "fakeroot curl x",
        "valgrind -q curl x",
        "faketime 1d curl x",
        "tini curl x",
        "gosu nobody curl x",
        "bwrap --dev-bind / / curl x",
        "numactl -N 0 curl x",
        "capsh -- -c 'curl x'",
        "xvfb-run -a curl x",
        "uv run curl x",
        "poetry run /usr/bin/curl x",
        "bundle exec curl x",
        "npm exec -- curl x",
        "npm exec --call='curl x'",
        "direnv exec . curl x",
        "conda run -n base curl x",
        "unknown sh -c 'curl x'",
        "unknown nice curl",
        "echo curl | unknown bash",
        "hyperfine --warmup 1 'curl x'",
        "unknown --runner=curl",
        "unknown 'sh -c \"curl x\"'",
        "rg --pre curl x",
        "man -P curl ls",
        "./echo curl",
        "apt-get -o APT::Update::Pre-Invoke::='curl x' update",
        "yum --setopt=x=/usr/bin/curl install y",
    ] {
        assert!(is_denied("Bash(curl:*)", "Bash", command), "{command}");
    }
    for command in [
        "grep curl README.md",
        "grep -rn 'curl x' . | sort | head",
        "rg curl src",
        "echo curl",
        "echo 'curl x' > notes",
        "printf '%s\\n' curl",
        "ls curl /usr/bin/curl",
        "which curl",
        "man curl",
        "apt-get install curl",
        "apt-get install -y --no-install-recommends curl git",
        "rm -rf build/curl",
        "cat curl/README.md",
        "cargo build --features curl-sys",
        "npm test -- --grep 'uses curl'",
        "pytest tests/curl_test.py -k $NAME",
        "gh pr create --title 'Use curl'",
        "wget https://example.com/curl",
        "uv run pytest .",
        "docker build -t mine .",
        "jq '.a | .b' x.json",
        "/usr/bin/grep curl x",
    ] {
        assert!(!is_denied("Bash(curl:*)", "Bash", command), "{command}");
    }
    assert!(is_denied("Bash(git push:*)", "Bash", "unknown git push"));
    assert!(!is_denied("Bash(git push:*)", "Bash", "unknown git log"));
}

#[test]
fn programs_with_a_version() {
    for (pattern, command) in [
        ("python", "python3 x.py"),
        ("python", "python3.11 x.py"),
        ("python", "/usr/bin/env python3 x.py"),
        ("python", "env -S 'python3.13t -u' x.py"),
        ("python", "timeout 5 /opt/bin/python3.12 x.py"),
        ("python", "uv run python3 x.py"),
        ("python3", "python x.py"),
        ("python3", "python3.11 x.py"),
        ("python3", "python311 x.py"),
        ("node", "node20 x.js"),
        ("node", "nodejs x.js"),
        ("pip", "sudo -u x pip3 install y"),
        ("gcc", "gcc-12 x.c"),
        ("rm", "python3.11 -c 'import os; os.system(\"rm x\")'"),
        ("rm", "perl5.36.0 -e 'system(\"rm x\")'"),
        ("rm", "lua5.4 -e 'os.execute(\"rm x\")'"),
        ("rm", "ksh93 -c 'r\"\"m x'"),
        ("rm", "busybox sh"),
        ("rm", "busybox rm x"),
        ("rm", "nice -n 5 rm x"),
        ("rm", "timeout 5 rm x"),
        ("rm", "sudo -u x rm y"),
    ] {
        let denied = format!("Bash({pattern}:*)");
        assert!(is_denied(&denied, "Bash", command), "{denied}: {command}");
    }
    for (pattern, command) in [
        ("python2", "python3 x.py"),
        ("python", "python3-config --libs"),
        ("base64", "base32 x"),
        ("w3m", "w"),
        ("rm", "python3 x.py"),
        ("rm", "python3 --version"),
        ("rm", "python3.11 -m pytest"),
        ("rm", "node -e 'console.log(1)'"),
        ("rm", "sqlite3 \"$DB\" 'select 1'"),
        ("rm", "psql \"$DATABASE_URL\" -c 'select 1'"),
        ("rm", "node --test"),
        ("rm", "python3 - <<'E'\nprint(1)\nE"),
        ("rm", "make"),
    ] {
        let denied = format!("Bash({pattern}:*)");
        assert!(!is_denied(&denied, "Bash", command), "{denied}: {command}");
    }
    // A list that allows means the program that it names.
    assert!(!crate::allows("Bash(python:*)", "Bash", "python3 x.py"));
}

#[test]
fn parts_of_commands() {
    for command in [
        "git push",
        "git -C x push origin",
        "git --no-pager push",
        "git $X",
        "git log && git push",
    ] {
        assert!(is_denied("Bash(git push:*)", "Bash", command), "{command}");
    }
    assert!(!is_denied("Bash(git push:*)", "Bash", "git pull"));
    assert!(!is_denied("Bash(git push --force)", "Bash", "git push"));
    assert!(is_denied(
        "Bash(git push --force)",
        "Bash",
        "git push origin --force"
    ));
}

#[test]
fn tools_and_files() {
    assert!(is_denied("Bash", "Bash", "ls"));
    assert!(is_denied("Bash", "bash", "ls"));
    assert!(is_denied("Bash()", "Bash", "ls"));
    assert!(is_denied("Bash(x", "Read", "ls"));
    assert!(is_denied("mcp__github", "mcp__GitHub__x", "ls"));
    for path in [".env", "sub/.env", "/project/.env", "./x/../.env"] {
        assert!(is_denied("Read(.env)", "Read", path), "{path}");
        assert!(is_denied("Read(.env)", "Grep", path), "{path}");
    }
    assert!(!is_denied("Read(.env)", "Read", "env"));
    assert!(!is_denied("Read(.env)", "Write", ".env"));
    assert!(is_denied("Write(.env)", "Edit", ".env"));
    assert!(is_denied("Read(/etc/passwd)", "Read", "/etc/passwd"));
    // Through a link, and as the link is called.
    assert!(is_denied("Read(/etc/passwd)", "Read", "docs/link"));
    assert!(is_denied("Read(docs/link)", "Read", "docs/link"));
    assert!(is_denied("Write(*.lock)", "Bash", "git log > a.lock"));
    assert!(is_denied("Write(*.lock)", "Bash", "git log > $X"));
    assert!(!is_denied("Write(*.lock)", "Bash", "git log > a.txt"));
    assert!(is_denied("Write", "Bash", "git log > a.txt"));
    assert!(!is_denied("Write", "Bash", "git log > /dev/null 2>&1"));
    assert!(!is_denied("Write", "Bash", "git log < a.txt"));
    assert!(is_denied("Read", "Bash", "git log < a.txt"));
    assert!(is_denied(
        "WebFetch(domain:evil.org)",
        "WebFetch",
        "https://evil.org"
    ));
    assert!(is_denied(
        "WebFetch(domain:evil.org)",
        "WebFetch",
        "https://a.evil.org"
    ));
    assert!(is_denied(
        "WebFetch(domain:evil.org)",
        "WebFetch",
        "https://x@evil.org"
    ));
    assert!(!is_denied(
        "WebFetch(domain:evil.org)",
        "WebFetch",
        "https://good.org"
    ));
    assert!(is_denied("Skill(commit)", "Skill", "commit"));
}

#[test]
fn files_that_a_shell_opens() {
    let long = format!("echo {} > secret/a", "x".repeat(10_001));
    for command in [
        "cd secret && echo x > a",
        "pushd secret; echo x >> a",
        "(cd secret; echo x > a)",
        "command cd secret; echo x > a",
        "for d in a; do echo x > a; cd secret; done",
        "> secret/a",
        "echo x &> secret/a",
        "echo x 1<> secret/a",
        "echo x > secret/a; [[ a ]]",
        "f() { :; }; echo x > secret/a",
        "sh -c \"echo x > secret/a\"",
        "sh -c 'cd secret; echo x > a'",
        "cd secret && sh -c 'echo x > a'",
        "eval \"echo x > secret/a\"",
        "eval echo x '>' secret/a",
        "eval \"$X\"",
        "trap 'echo x > secret/a' EXIT",
        "alias e='echo x >'; e secret/a",
        ". ./x.sh",
        "echo 'echo x > secret/a' | sh",
        "echo 'echo x > secret/a' | sh -s x",
        "echo 'echo x > secret/a' | sh /dev/stdin",
        "sh <<'E'\necho x > secret/a\nE",
        "timeout 5 sh -c 'echo x > secret/a'",
        "env -C secret sh -c 'echo x > a'",
        "sudo -u root bash -c 'echo x > secret/a'",
        "at now <<< 'echo x > secret/a'",
        "sudo batch <<< 'echo x > secret/a'",
        "socat - 'SYSTEM:echo x > secret/a'",
        "su -c 'echo x > secret/a'",
        "exec -a x sh -c 'echo x > secret/a'",
        "command eval 'echo x > secret/a'",
        "find . -exec sh -c 'echo x > {}' ;",
        "echo secret/a | xargs -I% sh -c 'echo x > %'",
        "$X -c 'echo x > secret/a'",
        &long,
    ] {
        assert!(is_denied("Write(secret/**)", "Bash", command), "{command}");
        assert!(is_denied("Write", "Bash", command), "{command}");
    }
    for command in [
        "echo x > other",
        "cd docs && ls",
        "cd docs && ls > /dev/null 2>&1",
        "cd docs && ls > /tmp/x",
        "cat < secret/a",
        "sh -c 'echo x > other'",
        "sh build.sh \"$X\"",
        "timeout 5 curl \"$X\"",
        "eval 'ls > other'",
        "trap 'rm -f x' EXIT",
        "command -v sh",
        "find . -name x -exec cat {} +",
        "git commit -m \"$X\"",
    ] {
        assert!(!is_denied("Write(secret/**)", "Bash", command), "{command}");
    }
    assert!(is_denied("Read(secret/**)", "Bash", "cd secret && cat < a"));
    assert!(is_denied(
        "Read(secret/**)",
        "Bash",
        "sh -c 'cat < secret/a'"
    ));
    assert!(!is_denied("Read(secret/**)", "Bash", "cd secret && ls > a"));
    assert!(is_denied("Bash(rm:*)", "Bash", "echo rm x | sh -s y"));
    assert!(is_denied("Bash(rm:*)", "Bash", "echo rm x | sh /dev/stdin"));
}

#[test]
fn a_command_of_words_or_in_another_folder() {
    for (input, expected) in [
        (r#"{"command":["sh","-c","echo x > secret/a"]}"#, true),
        (r#"{"command":["ls","secret"]}"#, false),
        (r#"{"command":"echo x > a","cwd":"secret"}"#, true),
        (r#"{"command":"echo x > a"}"#, false),
        (r#"{"text":"echo"}"#, true),
    ] {
        let request = GuardRequest {
            tool: "Bash".into(),
            input: serde_json::from_str(input).unwrap(),
        };
        let policy = [policy("user", "Write(secret/**)")];
        let decision = check(&request, &[], &policy, &Machine::new());
        let is_denied = decision.verdict == GuardVerdict::Denied;
        assert_eq!(is_denied, expected, "{input}: {decision:?}");
    }
}

#[test]
fn a_search_is_told_to_leave_out_what_is_denied() {
    let request = GuardRequest {
        tool: "Grep".into(),
        input: serde_json::from_str(r#"{"pattern":"x"}"#).unwrap(),
    };
    let ask = |tools: &str| check(&request, &[], &[policy("user", tools)], &Machine::new());
    let decision = ask("Read(secret/**)");
    assert_eq!(decision.verdict, GuardVerdict::Allowed);
    assert!(decision.caution.unwrap().contains("left out"));
    assert_eq!(ask("Write(secret/**)").caution, None);
    assert_eq!(ask("Read(*)").verdict, GuardVerdict::Denied);
    let unseen = SearchExclusions::of(&[], &[policy("user", "Read(secret/**), Grep(.env)")]);
    for (path, expected) in [
        ("/project/secret/a", true),
        ("/project/x/.env", true),
        ("/project/docs/a", false),
        ("/project/a\nb", true),
    ] {
        assert_eq!(unseen.has(path, &Machine::new()), expected, "{path}");
    }
}
