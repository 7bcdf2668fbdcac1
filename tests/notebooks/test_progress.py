"""Progress on stderr: lines in a log, a bar on a terminal."""

import io

from unison.notebooks.progress import Progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def run(stream: io.StringIO) -> float:
    now = [0.0]
    with Progress(stream, {"01_a": 60.0, "02_b": 30.0}, lambda: now[0]) as progress:
        progress.begin("01_a", "not made yet")
        now[0] = 45.0
        progress.tick()
        now[0] = 90.0
        minutes = progress.end("01_a")
        progress.tick()
    return minutes


def test_a_log_gets_one_line_a_step_and_no_bar() -> None:
    stream = io.StringIO()
    assert run(stream) == 1.5
    assert stream.getvalue().splitlines() == [
        "[1/2] 01_a: running, about 1.0 min (not made yet)",
        "01_a: done in 1.5 min (expected 1.0)",
    ]


def test_a_terminal_gets_a_bar_that_counts_expected_time() -> None:
    stream = Terminal()
    run(stream)
    assert "01_a: done in 1.5 min (expected 1.0)\n" in stream.getvalue()
    assert " 50 %" in stream.getvalue()  # 45 of 90 expected seconds
    assert " 67 %" in stream.getvalue()  # 60 of 90, however long the first took


def test_nothing_to_run_shows_nothing(capsys) -> None:
    stream = Terminal()
    with Progress(stream, {}) as progress:
        progress.tick()
    assert stream.getvalue() == ""
    assert capsys.readouterr() == ("", "")
