"""Progress of a series on stderr: a bar with an estimate on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

from tqdm import tqdm

_MOST_OF_IT = 0.97


@dataclass
class Progress:
    """Shows how far a series is; the bar counts expected seconds, so that its estimate means something.

    Attributes
    ----------
    stream : TextIO
        Usually ``sys.stderr``.
    expected_s : dict of str to float
        Expected run time of every notebook to be run [s].
    clock : callable
        Seconds that grow steadily.
    """

    stream: TextIO
    expected_s: dict[str, float]
    clock: Callable[[], float] = time.monotonic
    _begun: dict[str, float] = field(default_factory=dict)
    _done: dict[str, float] = field(default_factory=dict)
    _bar: tqdm | None = None

    def __enter__(self) -> Progress:
        """Show the bar if there is a terminal and something to wait for."""
        if self.stream.isatty() and self.expected_s:
            self._bar = tqdm(
                total=round(sum(self.expected_s.values())),
                file=self.stream,
                unit="s",
                bar_format="{desc} |{bar}| {percentage:3.0f} % [{elapsed} < {remaining}]",
                leave=False,
                dynamic_ncols=True,
            )
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()

    def say(self, line: str) -> None:
        """A line above the bar."""
        if self._bar is not None:
            self._bar.clear()
        self.stream.write(line + "\n")
        self.stream.flush()

    def begin(self, name: str, why: str) -> None:
        """A notebook starts."""
        self._begun[name] = self.clock()
        place = f"[{len(self._begun)}/{len(self.expected_s)}]"
        self.say(f"{place} {name}: running, about {self.expected_s[name] / 60:.1f} min ({why})")

    def tick(self) -> None:
        """Move the bar by the time that has passed."""
        if self._bar is None:
            return
        now = self.clock()
        at_work = [name for name in self._begun if name not in self._done]
        passed = sum(self.expected_s[name] for name in self._done)
        passed += sum(min(now - self._begun[name], _MOST_OF_IT * self.expected_s[name]) for name in at_work)
        self._bar.set_description_str(", ".join(at_work), refresh=False)
        self._bar.n = min(round(passed), self._bar.total)
        self._bar.refresh()

    def end(self, name: str) -> float:
        """A notebook has ended; returns its minutes."""
        minutes = (self.clock() - self._begun[name]) / 60
        self._done[name] = minutes
        self.say(f"{name}: done in {minutes:.1f} min (expected {self.expected_s[name] / 60:.1f})")
        return minutes
