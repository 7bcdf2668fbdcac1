"""Headless Chromium for tests of pages: it reaches no network, and tells what a page asked for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

_THINNED = """
const many = "tbody tr:nth-child(n + 7), .member:nth-of-type(n + 5), details.source:nth-of-type(n + 4)";
document.querySelectorAll(many).forEach((one) => one.remove());
document.querySelectorAll("details").forEach((one) => { one.open = true; });
"""
_AXE_RUN = """
const [options, done] = arguments;
const where = (rule) => rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ");
axe.run(options).then((result) => done(result.violations.map((rule) => `${rule.id}: ${where(rule)}`)));
"""


def start_browser(profile: Path) -> Browser:
    """Chromium with a profile of its own; the test is skipped with the reason where there is none."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if not chromium or not chromedriver:
        pytest.skip("no Chromium with its driver: `make browser` as root on Debian installs them")
    return Browser(chromium, chromedriver, profile)


class Browser:
    """Headless Chromium that is asked for pages by file, width and colour scheme."""

    ARGUMENTS = (
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND",
    )  # fmt: skip

    def __init__(self, chromium: str, chromedriver: str, profile: Path) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        for argument in (*self.ARGUMENTS, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.binary_location = chromium
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(chromedriver))
        self.driver.set_page_load_timeout(30)
        self.driver.set_script_timeout(60)
        self._axe = (resources.files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")

    def open(self, page: Path, *, width: int = 1280, scheme: str = "light", has_script: bool = True) -> None:
        """Load a page anew; what earlier ones logged is forgotten."""
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not has_script})
        self.view(width, scheme)
        self.driver.get("about:blank")
        self.driver.get_log("performance")
        self.driver.get_log("browser")
        self.driver.get(page.as_uri())

    def view(self, width: int, scheme: str) -> None:
        """Look at the page that is open in another width or colour scheme."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def run(self, script: str, *arguments: object) -> Any:
        """The value that a script returns."""
        return self.driver.execute_script(script, *arguments)

    def requests(self) -> list[str]:
        """Addresses asked for since the page was opened, that of the page itself first."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [address for address in sent if not address.startswith("data:")]

    def console(self) -> list[str]:
        """What the console shows since the page was opened."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def violations(self, *, only: Sequence[str] = ()) -> list[str]:
        """What axe-core finds on the page with its folded parts opened, of many like parts the first few.

        `only` names the rules to hold it to; all by default.
        """
        self.run(_THINNED)
        self.driver.execute_script(self._axe)
        return list(self.driver.execute_async_script(_AXE_RUN, {"runOnly": list(only)} if only else {}))
