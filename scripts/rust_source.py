"""Reads Rust files as text for `scripts/size`, `scripts/layers` and `scripts/names`."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
CRATES = sorted(path.parent for path in ROOT.glob("crates/*/Cargo.toml"))

TOKEN = re.compile(
    r"//[^\n]*"
    r"|/\*"
    r'|b?r(?P<hashes>\#*)"'
    r'|b?c?"(?:\\.|[^"\\])*"'
    r"|b?'(?:\\(?:x[0-9a-fA-F]{2}|u\{[^}]*\}|.)|[^'\\\n])'",
    re.DOTALL,
)
COMMENT_EDGE = re.compile(r"/\*|\*/")
TEST_ATTRIBUTE = re.compile(r"#\[cfg\((?:test|all\(test\b[^\]]*\))\)\]")
OUT_OF_LINE_MODULE = re.compile(r"(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;")
ATTRIBUTES = re.compile(r"(?:\s*#\[[^\]]*\])*\s*")


def blanked(text):
    """The text with comments, and the contents of strings, replaced by spaces; lines stay where they are."""
    out = []
    position = 0
    while match := TOKEN.search(text, position):
        start, end = match.span()
        out.append(text[position:start])
        token = match.group()
        if token == "/*":
            depth = 1
            while depth and (edge := COMMENT_EDGE.search(text, end)):
                depth += 1 if edge.group() == "/*" else -1
                end = edge.end()
            if depth:
                end = len(text)
            token = text[start:end]
            keep = ""
        elif token.startswith("//"):
            keep = ""
        elif match.group("hashes") is not None:
            closing = '"' + match.group("hashes")
            found = text.find(closing, end)
            end = len(text) if found < 0 else found + len(closing)
            token = text[start:end]
            keep = '"'
        else:
            keep = token[0]
        # A line inside a string is code; a line inside a comment is not.
        fill = "s" if keep else " "
        blank = "".join(each if each == "\n" else fill for each in token)
        out.append(keep + blank[len(keep) :] if keep else blank)
        position = end
    out.append(text[position:])
    return "".join(out)


def item_end(text, start):
    """Where the item that begins at `start` ends: after its block, or after its semicolon."""
    depth = 0
    for index in range(start, len(text)):
        char = text[index]
        if char in "{([":
            depth += 1
        elif char in "})]":
            depth -= 1
            if depth == 0 and char == "}":
                return index + 1
        elif char == ";" and depth == 0:
            return index + 1
    return len(text)


def split_tests(text):
    """Blanked code without its test items, the test items, and the names of out-of-line test modules."""
    code, tests, modules = [], [], []
    position = 0
    while match := TEST_ATTRIBUTE.search(text, position):
        item = ATTRIBUTES.match(text, match.end()).end()
        end = item_end(text, item)
        if declared := OUT_OF_LINE_MODULE.match(text, item):
            modules.append(declared.group(1))
        code.append(text[position : match.start()])
        tests.append(text[match.start() : end])
        position = end
    code.append(text[position:])
    return "".join(code), "".join(tests), modules


def lines(text):
    return sum(1 for line in text.splitlines() if line.strip())


class SourceFile:
    def __init__(self, path, crate, raw, code, tests):
        self.path = path
        self.crate = crate
        self.raw = raw
        self.code = code
        self.tests = tests

    @property
    def module(self):
        """The top-level module it belongs to; nothing for the root of the crate."""
        first = self.path.relative_to(self.crate / "src").parts[0]
        name = first.removesuffix(".rs")
        return None if name in ("lib", "main") else name


def children_folder(path):
    return path.parent if path.name in ("lib.rs", "main.rs", "mod.rs") else path.with_suffix("")


def source_files(crate):
    """Every file of `src/` but those that are compiled for tests only; these are counted as tests."""
    files = {}
    only_tests = set()
    for path in sorted((crate / "src").rglob("*.rs")):
        raw = path.read_text(encoding="utf-8")
        code, tests, modules = split_tests(blanked(raw))
        files[path] = SourceFile(path, crate, raw, code, tests)
        for name in modules:
            only_tests.add(children_folder(path) / name)
    result = []
    for path, file in files.items():
        plain = path.with_suffix("")
        if any(plain == each or each in path.parents for each in only_tests):
            file.tests, file.code = file.code + file.tests, ""
        result.append(file)
    return result
