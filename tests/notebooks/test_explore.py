"""The explorer in JupyterLab: run all, move a slider, and the pictures change, readable in any theme."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.browser import Browser, start_browser

from unison import paths

pytest.importorskip("jupyterlab", reason="JupyterLab is not installed")

TOKEN = "explore"
READABLE = 4.5
"""Least contrast of words (WCAG 2.2, 1.4.3)."""

THIS_MACHINE = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
NOTEBOOK = "00_explore.ipynb"
SLIDER = "instant"
RUN_ALL = """
const done = arguments[0];
window.jupyterapp.commands.execute("notebook:run-all-cells").then(() => done(""), (e) => done(String(e)));
"""
PICTURES = "return [...document.querySelectorAll('.widget-html svg[role=img]')].map((one) => one.outerHTML);"
OUTSIDE = """
const isOutside = (own, box) => own.left < box.left - 1 || own.right > box.right + 1
  || own.top < box.top - 1 || own.bottom > box.bottom + 1;
return [...document.querySelectorAll(".widget-html svg[role=img]")].flatMap((svg) =>
  [...svg.querySelectorAll("text, path")]
    .filter((one) => isOutside(one.getBoundingClientRect(), svg.getBoundingClientRect()))
    .map((one) => one.textContent || one.getAttribute("d").slice(0, 60)));
"""
CONTRAST = """
const theme = arguments[0], done = arguments[1];
const light = (colour) => {
  const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (one) => {
  const own = getComputedStyle(one).backgroundColor;
  return own.startsWith("rgba") && own.endsWith(", 0)") ? behind(one.parentElement) : own;
};
window.jupyterapp.commands.execute("apputils:change-theme", {theme}).then(() => setTimeout(() => {
  const word = document.querySelector(".widget-html svg[role=img] text");
  const both = [light(getComputedStyle(word).fill), light(behind(word))];
  done((Math.max(...both) + 0.05) / (Math.min(...both) + 0.05));
}, 500));
"""
PANELS = 4
"""Who sat where and who would go next, under each of two policies."""

READY = """
const app = window.jupyterapp;
const panel = app && app.shell.currentWidget;
const kernel = panel && panel.sessionContext && panel.sessionContext.session
  && panel.sessionContext.session.kernel;
return Boolean(kernel && kernel.status === "idle");
"""
TRACEBACKS = "return document.querySelectorAll('[data-mime-type=\"application/vnd.jupyter.stderr\"]').length;"


def wait_for(what: str, seen: Callable[[], object], seconds: float = 45) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < deadline, f"waited {seconds:g} s for {what}"
        time.sleep(0.25)


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(address: str) -> bool:
    """Whether a server answers there."""
    try:
        with urllib.request.urlopen(address, timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """JupyterLab's address of a copy of the notebook."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    shutil.copy(paths.NOTEBOOKS / NOTEBOOK, folder)
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    own = {name: str(tmp_path / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")}
    options = [f"--port={port}", f"--IdentityProvider.token={TOKEN}", "--no-browser", "--allow-root",
               "--ServerApp.port_retries=0", "--LabApp.expose_app_in_browser=True",
               f"--ServerApp.root_dir={folder}"]  # fmt: skip
    with (tmp_path / "lab.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            env=os.environ | own | {"PYTHONPATH": str(paths.ROOT)},
            stdout=log,
            stderr=log,
        )
        try:
            wait_for("JupyterLab", lambda: answers(f"{base}/api?token={TOKEN}"))
            yield f"{base}/lab/tree/{NOTEBOOK}?token={TOKEN}"
        finally:
            server.terminate()
            server.wait(timeout=20)


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    """Chromium that reaches this machine alone; skipped with the reason where there is none."""
    monkeypatch.setattr(Browser, "ARGUMENTS", (*Browser.ARGUMENTS, THIS_MACHINE))
    started = start_browser(tmp_path / "profile")
    yield started
    started.driver.quit()


@pytest.mark.slow
def test_a_moved_slider_changes_the_pictures_in_jupyterlab(browser: Browser, lab: str) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    browser.view(1400, "light")
    browser.driver.get(lab)
    wait_for("a kernel", lambda: browser.run(READY))
    browser.driver.set_script_timeout(120)
    assert browser.driver.execute_async_script(RUN_ALL) == ""
    wait_for("the pictures", lambda: len(browser.run(PICTURES)) == PANELS)
    before = browser.run(PICTURES)
    sliders = browser.driver.find_elements(By.CSS_SELECTOR, ".widget-slider")
    moved = next(one for one in sliders if SLIDER in one.text)
    handle = moved.find_element(By.CSS_SELECTOR, ".noUi-handle")
    browser.run("arguments[0].scrollIntoView({block: 'center'});", handle)
    for _ in range(3):
        handle.send_keys(Keys.ARROW_RIGHT)
    wait_for(
        "other pictures", lambda: all(a != b for a, b in zip(before, browser.run(PICTURES), strict=True))
    )
    shown = browser.driver.find_element(By.TAG_NAME, "body").text
    assert "Traceback" not in shown
    assert browser.run(TRACEBACKS) == 0
    assert browser.run(OUTSIDE) == []
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        assert browser.driver.execute_async_script(CONTRAST, theme) > READABLE, theme
