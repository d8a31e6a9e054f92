"""How large the lesson page is, and when it is ready in a headless Chromium, from the start of the navigation.

    python -m tests.bench.page

Ready is when the script has drawn everything; shown is the first contentful paint.  Least and median of all rounds.
"""

import argparse
import tempfile
from pathlib import Path
from statistics import median

from tests.bench.timing import machine
from tests.browser import built, chromium

TIMES = """() => ({ready: performance.getEntriesByName('ready')[0].startTime,
    shown: (performance.getEntriesByName('first-contentful-paint')[0] || {}).startTime,
    complete: performance.getEntriesByType('navigation')[0].domComplete})"""


def main() -> None:
    """Load the page several times, each time in a context of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    rounds = parser.parse_args().rounds
    print(machine())
    print(f"size      {len(built().encode()) / 1000:.0f} kB")
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        file = Path(folder) / "lesson.html"
        file.write_text(built(), "utf-8")
        found: dict[str, list[float]] = {"ready": [], "shown": [], "complete": []}
        for _ in range(rounds):
            page = browser.new_page()
            page.goto(file.as_uri())
            page.wait_for_timeout(300)
            for name, value in page.evaluate(TIMES).items():
                found[name] += [value] if value else []
            page.close()
    for name, times in found.items():
        print(f"{name:<9} {min(times):4.0f} ms at least, {median(times):4.0f} ms median of {len(times)}")


if __name__ == "__main__":
    main()
