"""Ceilings that may only go down: `scripts/ceilings.json`."""

import json
import pathlib
import sys

FILE = pathlib.Path(__file__).resolve().parent / "ceilings.json"


def hold(measures):
    """Ends with an error if a measure is above its ceiling; `--update` lowers the ceilings to the measures."""
    ceilings = json.loads(FILE.read_text(encoding="utf-8"))
    above = [(name, value) for name, value in measures.items() if value > ceilings[name]]
    for name, value in above:
        print(f"error: {name}: {value} is above the ceiling of {ceilings[name]}", file=sys.stderr)
    if above:
        print("hint: remove code, or move it to where it belongs; a ceiling is never raised", file=sys.stderr)
        sys.exit(1)
    if "--update" in sys.argv[1:]:
        ceilings.update(measures)
        FILE.write_text(json.dumps(ceilings, indent=2) + "\n", encoding="utf-8")
