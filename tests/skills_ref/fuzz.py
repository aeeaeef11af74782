"""Search for inputs on which our binary and the reference differ, by mutating known ones.

    python tests/skills_ref/fuzz.py [--count 2000] [--seed 1] [--report FILE]

Starts from the hand-written edges and, where it exists, the frontmatter of the corpus; changes a few characters or
lines of each; compares verdicts and messages, except the words about broken YAML. Deterministic for a seed. Exits 1 when a difference was found.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]

import binary  # noqa: E402
import corpus_rows  # noqa: E402
import differences  # noqa: E402
import edge_inputs  # noqa: E402
import reference  # noqa: E402

# What YAML gives a meaning to, and what authors write by accident.
PIECES = (
    [":", ": ", " #", "-", "- ", "?", "? ", "[", "]", "{", "}", ",", "&a", "*a", "**", "!", "!!str ", "|", ">", ">-", "|+", "|2", "'", '"']
    + ["%", "@", "`", "\t", "\n", "\n\n", "\n  ", "\n# note\n", "  ", " ", "\\", "\\n", "\\u00e9", "...", "=", "<<", "~", "\u00a0", "\u2028"]
    + ["\u3000", "\ufeff", "é", "字", "😀", "\x07", "\x85", "name: x\n", "license: MIT\n", "metadata:\n  a: b\n", "a:\n    b: c\n", "tags: [x]\n"]
)


def main() -> int:
    """Make inputs, ask both, print what differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    seeds = seed_texts()
    verdicts, messages = [], []
    with tempfile.TemporaryDirectory(prefix="skillyard-fuzz-") as folder:
        paths = [write(Path(folder) / str(number), mutate(rng.choice(seeds), rng)) for number in range(arguments.count)]
        for path, ours in zip(paths, binary.validate_all(paths), strict=True):
            expected = reference.errors(path)
            if isinstance(expected, reference.Crash):
                if ours.crashed or ours.valid:
                    verdicts.append(describe(path, [f"crash: {expected.kind}"], ours))
            elif ours.crashed or ours.valid == bool(expected):
                verdicts.append(describe(path, expected, ours))
            elif differences.without_yaml_text(ours.errors) != differences.without_yaml_text(expected):
                messages.append(describe(path, expected, ours))
    print("\n\n".join(verdicts[:10] + messages[:10]))
    print(f"{arguments.count} inputs of seed {arguments.seed}: {len(verdicts)} verdicts and {len(messages)} messages differ")
    if arguments.report:
        arguments.report.write_text("\n\n".join(["# verdicts", *verdicts, "# messages", *messages]), encoding="utf-8")
    return 1 if verdicts or messages else 0


def seed_texts() -> list[str]:
    """Frontmatter texts to start from, short ones only so that the reference stays quick."""
    texts = [edge.content.decode("utf-8", "replace") for edge in edge_inputs.inputs()]
    if corpus_rows.corpus_file().is_file():
        contents = (line.get("content", "") for line in corpus_rows.read_rows() if line["stratum"] in "AB")
        texts += [f"---{parts[1]}---\n" for content in contents if len(parts := content.split("---", 2)) == 3]
    return [text for text in texts if len(text) < 1500]


def mutate(text: str, rng: random.Random) -> str:
    """Change the text in one to four places after the opening delimiter."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(min(3, len(text)), len(text))
        until = min(len(text), at + rng.choice((0, 0, 0, 1, 2, 8)))
        text = text[:at] + rng.choice(PIECES) * (rng.random() < 0.85) + text[until:]
    return text


def write(parent: Path, text: str) -> Path:
    """One skill folder with this file."""
    folder = parent / edge_inputs.FOLDER
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_bytes(text.encode("utf-8", "replace"))
    return folder


def describe(path: Path, expected: list[str], ours: binary.Finding) -> str:
    """The input and both answers."""
    content = (path / "SKILL.md").read_bytes().decode("utf-8")
    return f"input:     {content!r}\nreference: {expected!r}\nours:      {ours.errors!r}{' (crash)' if ours.crashed else ''}"


if __name__ == "__main__":
    sys.exit(main())
