//! Ordinary programs work: what they need is there.

use std::fs;

use skillyard_sandbox::{Live, RunEnd, SandboxError};

use crate::lab::{BOTH, Lab, output, sandbox};

#[test]
fn arguments_environment_and_folder_arrive() {
    let lab = Lab::new();
    for backend in BOTH {
        let command = lab.command(
            "/bin/sh",
            &[
                "-c",
                "pwd; echo $GREETING; printf '<%s>' \"$@\"",
                "sh",
                "a b",
                "",
                "ä\n",
                "$HOME;`x`",
            ],
        );
        let outcome = lab.run(backend, &lab.profile(), &command);
        let expected = format!("{}\nhello\n<a b><><ä\n><$HOME;`x`>", lab.work().display());
        assert_eq!(output(&outcome), expected);
    }
}

#[test]
fn an_argument_arrives_whole_or_not_at_all() {
    let lab = Lab::new();
    for backend in BOTH {
        let command = lab.command("/bin/sh", &["-c", "echo deleted\0 only if asked"]);
        let ran = sandbox(backend).run(&lab.profile(), &command, Live::default());
        assert!(matches!(ran, Err(SandboxError::Start { .. })), "{ran:?}");
    }
}

#[test]
fn scripts_of_the_shell_have_their_tools() {
    let lab = Lab::new();
    let script = "set -eu
printf '%s\\n' c a b | sort | tr a-c A-C | paste -sd, -
yes | head -n 2 | wc -l
seq 3 | awk '{ sum += $1 } END { print sum }'
echo one two | sed 's/one/1/' | cut -d' ' -f1
date -u -d @0 +%Y
mktemp >/dev/null && echo temporary
echo to-stderr > /dev/stderr
echo x > /dev/null && head -c 4 /dev/urandom | wc -c";
    for backend in BOTH {
        let outcome = lab.shell(backend, &lab.profile(), script);
        assert_eq!(
            output(&outcome),
            "A,B,C\n2\n6\n1\n1970\ntemporary\n4\n",
            "{backend}: {}",
            outcome.stderr.text()
        );
        assert_eq!(outcome.stderr.text(), "to-stderr\n");
    }
}

#[test]
fn python_has_its_standard_library() {
    let lab = Lab::new();
    let script = "
import csv, hashlib, io, json, os, pathlib, re, sqlite3, subprocess, sys, tempfile, threading, unicodedata, urllib.parse, xml.etree.ElementTree as tree, zipfile
rows = list(csv.DictReader(io.StringIO('a,b\\n1,2\\n')))
with tempfile.TemporaryDirectory() as folder:
    archive = pathlib.Path(folder, 'x.zip')
    with zipfile.ZipFile(archive, 'w') as file: file.writestr('a', 'text')
    size = archive.stat().st_size
base = sqlite3.connect(':memory:').execute('select 1 + 1').fetchone()[0]
done = []
thread = threading.Thread(target=done.append, args=(1,)); thread.start(); thread.join()
child = subprocess.run([sys.executable, '-c', 'print(6 * 7)'], capture_output=True, text=True).stdout.strip()
pathlib.Path('out.json').write_text(json.dumps(rows))
print(rows[0]['b'], size > 0, base, done, child, tree.fromstring('<a><b/></a>')[0].tag, hashlib.sha256(b'').hexdigest()[:8])";
    for backend in BOTH {
        let outcome = lab.python(backend, &lab.profile(), script);
        assert_eq!(
            output(&outcome),
            "2 True 2 [1] 42 b e3b0c442\n",
            "{backend}: {}",
            outcome.stderr.text()
        );
        assert_eq!(
            fs::read_to_string(lab.work().join("out.json")).unwrap(),
            r#"[{"a": "1", "b": "2"}]"#
        );
    }
}

#[test]
fn files_can_be_copied_with_their_modes_and_times() {
    let lab = Lab::new();
    let script = "
import pathlib, shutil
shutil.copy('input.txt', 'copied.txt'); shutil.copy2('input.txt', 'copied2.txt'); shutil.copytree('.', 'tree', ignore=shutil.ignore_patterns('*.sock', 'tree'))
pathlib.Path('copied.txt').touch()
print(pathlib.Path('tree/copied2.txt').read_text(), end='')
shutil.rmtree('tree')";
    for backend in BOTH {
        let outcome = lab.python(backend, &lab.profile(), script);
        assert_eq!(
            output(&outcome),
            "input\n",
            "{backend}: {}",
            outcome.stderr.text()
        );
        let outcome = lab.shell(
            backend,
            &lab.profile(),
            "cp -p input.txt copy && touch copy && install -m 755 input.txt made && rm copy made",
        );
        assert_eq!(
            outcome.end,
            RunEnd::Exited(0),
            "{backend}: {}",
            outcome.stderr.text()
        );
    }
}

#[test]
fn live_output_is_what_is_kept() {
    let lab = Lab::new();
    for backend in BOTH {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let live = Live {
            stdout: Some(&mut out),
            stderr: Some(&mut err),
            ..Live::default()
        };
        let command = lab.command("/bin/sh", &["-c", "echo one; echo two >&2; echo three"]);
        let outcome = sandbox(backend)
            .run(&lab.profile(), &command, live)
            .unwrap();
        assert_eq!((out, err), (outcome.stdout.head, outcome.stderr.head));
        assert_eq!(outcome.end, RunEnd::Exited(0));
    }
}

#[test]
fn a_file_with_a_shebang_runs_by_itself() {
    let lab = Lab::new();
    for backend in BOTH {
        let script = lab.own().join("scripts/run.sh");
        let outcome = lab.run(
            backend,
            &lab.profile(),
            &lab.command(script.to_str().unwrap(), &["a", "b"]),
        );
        assert_eq!(output(&outcome), "a b\n", "{outcome:?}");
    }
}
