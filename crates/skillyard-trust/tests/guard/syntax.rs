//! Shell syntax that hides a command, and syntax that only looks as if it did.

use crate::{LIST, commands};

#[test]
fn hidden_commands() {
    commands(
        LIST,
        &[
            "-git log;\ncurl x",
            "-git log;;curl x",
            "-git log |& curl x",
            "-git log&curl x",
            "-git log\n\n\ncurl x",
            "-! curl x",
            "-!curl x",
            "-git log || ! curl x",
            "-{ git log; curl x; }",
            "-( git log; ( curl x ) )",
            "-(git log)(curl x)",
            "-{ git log; } curl x",
            "-{ git a } always { curl x; }",
            "-git a } ; curl",
            "-() { curl x; }",
            "-()",
            "-until curl x; do git log; done",
            "-for f in $(curl x); do git log; done",
            "-for PATH in /tmp; do git log; done",
            "-for path in /tmp; do git log; done",
            "-for GIT_SSH_COMMAND in 'curl x'; do git fetch; done",
            "-for ((i=0;i<1;i++)); do curl x; done",
            "-case $(curl x) in a) git log;; esac",
            "-case a in $(curl x)) git log;; esac",
            "-case a in (a) git log;; (b) curl x;; esac",
            "-case a in a) git log;& b) curl x; esac",
            "-select x in a; do curl x; done",
            "-time curl x",
            "-time git log",
            "-git log \"$(curl x)\"",
            "-git log \"a`curl x`b\"",
            "-git log \"$(git log \"$(curl x)\")\"",
            "-git log ${x:-$(curl x)}",
            "-git log ${x@P}",
            "-git log ${!x}",
            "-git log $[a[$(curl x)]]",
            "-git log $(( $(curl x) ))",
            "-git log $((git log); curl x)",
            "-git log $'x\\x27; curl x'",
            "-git log $\"$(curl x)\"",
            "-git log >(curl x)",
            "-git log > >(curl x)",
            "-git log <<< $(curl x)",
            "+git log <<< text",
            "-git log {a,b}",
            "-git log {1..3}",
            "-git log {a\",\"b}",
            "-git log {fd}>x",
            "-echo x",
            "-git=1 curl x",
            "-git+=1 curl x",
            "-git[0]=1 curl x",
            "-x=(curl x)",
            "-x=1",
            "-> x",
            "-2>&1",
            "-git log &> x",
            "-git log&>x curl x",
            "-git log &>> x",
            "-git log >| /etc/x",
            "-git log >> ../x",
            "-git log >&/etc/x",
            "-git log > out-link",
            "-git log > docs/../../x",
            "-git log > .git/hooks/pre-commit",
            "-git log > .envrc",
            "+git log > docs/x.txt",
            "+git log >> /project/x",
            "+git log 2>/dev/null >&2",
            "-git log > \"~/x\"",
            "-(git log) > /etc/x",
            "+(git log) > x",
            "-if git log; then git log; fi > /etc/x",
            "-",
            "- ",
            "-# only a comment",
            "-;",
            "-&",
            "-git log | ",
            "-git log &&",
        ],
    );
    commands(
        "Bash(git:*) Write(.github/**)",
        &["+git log > .github/x", "-git log > .git/x"],
    );
}

#[test]
fn here_documents() {
    commands(
        LIST,
        &[
            "+git apply <<'EOF'\n; curl x\nEOF\ngit log",
            "-git apply <<'EOF'\nx\nEOF\ncurl x",
            "-git apply <<EOF\nx\n EOF\ncurl x",
            "+git apply <<-EOF\n\tx\n\tEOF\ngit log",
            "-git apply <<-EOF\n\tx\n\tEOF\ncurl x",
            "-git apply <<E\\\nOF\n$(curl x)\nEOF",
            "-git apply <<EOF\nE\\\nOF\ncurl x\nEOF",
            "-git apply <<\"E O\"\nx\nE O",
            "-git apply <<$X\nx\n$X",
            "-git apply <<EOF 'a\nEOF\ncurl x\n'\nEOF",
            "-git apply <<EOF",
            "-git apply <<A <<B\na\nA\n$(curl x)\nB",
            "+git apply <<A <<B\na\nA\nb\nB",
            "+git apply <<A | git log\na\nA",
            "-git apply <<A | curl x\na\nA",
            "-git log $(git apply <<A\nx\nA\n)",
            "+git commit -m \"$(git show <<'EOF'\nfeat(a): b; curl x\n\nFixes #1 & more\nEOF\n)\"",
            "-git commit -m \"$(curl x <<'EOF'\na\nEOF\n)\"",
            "-git commit -m \"$(git show <<'EOF'\na\nEOF\ncurl x)\"",
            "-git commit -m \"$(git show <<'EOF'\na\nEOF\n)\" && curl x",
            "-git commit -m \"$(git show <<'EOF'\n) ; curl x #\nEOF\n)\"",
            "-git commit -m \"$(git show <<'EOF'\ndon't\nEOF\n)\"",
            "-git commit -m \"$(git show <<'EOF')\"\na\nEOF",
            "-git commit -m \"$(git show $(git log <<'EOF'\na\nEOF\n))\"",
            "-git commit -m \"$(git show <<'EOF'\na\nEOF)\"\ncurl x\nEOF\n)\"",
            "+git apply <<A\n\\$(curl x)\nA",
            "-git apply <<A\n\\\\$(curl x)\nA",
            "-git apply <<A\n${x:-`curl`}\nA",
            "-git apply <<A $(git log\ncurl x)\nA\n",
        ],
    );
}

#[test]
fn the_message_of_a_commit_is_no_option() {
    commands(
        LIST,
        &[
            "+git commit -m \"$X\"",
            "+git commit -q -am \"$X\" -m \"$Y\"",
            "-git commit -m $X",
            "-git commit -m -m \"$X\"",
            "-git commit --author -m \"$X\"",
            "-git commit -m a \"$X\"",
            "-git log -m \"$X\"",
        ],
    );
}

#[test]
fn what_is_only_text() {
    commands(
        LIST,
        &[
            "+git commit -m 'a; curl x && b | c > /etc/x'",
            "+git commit -m \"a; curl x\"",
            "+git commit -m a\\;curl",
            "+git log --grep='$(curl x)'",
            "+git log --grep=\"\\$(curl x)\"",
            "+git log --grep='^a$'",
            "+git log --grep=\"a$\"",
            "+git commit -m 'ünïcödé — fine；too'",
            "+git commit -m 'two\nlines'",
            "+git log a#b",
            "+git log; # curl x",
            "+git log \\\n  --oneline",
            "+git show HEAD^",
            "+git show HEAD~1",
            "+git show 'stash@{0}'",
            "+git show -- \"$rev\"",
            "-git show \"$rev\" --",
            "+pdftotext \"$file\" -",
            "+pdftotext $file -",
            "+pdftotext *.pdf",
            "+pdftotext ~/a.pdf -",
            "+\n\ngit log\n\n",
            "+git log;",
            "+git log &",
        ],
    );
}

#[test]
fn depth_is_bounded() {
    for (open, close) in [
        ("(", ")"),
        ("$(", ")"),
        ("{ ", ";}"),
        ("if ", "; then git; fi"),
        ("\"$(git ", ")\""),
    ] {
        let text = format!("-git log {}git{}", open.repeat(400), close.repeat(400));
        commands(LIST, &[&text]);
        let text = format!("-{}git{}", open.repeat(400), close.repeat(400));
        commands(LIST, &[&text]);
        let text = format!("-{}", open.repeat(4000));
        commands(LIST, &[&text]);
    }
}
