"""What the series has made is what its stamp, and a second run, say."""

from __future__ import annotations

from unison.checks.failed import CheckFailed
from unison.notebooks.layout import Layout
from unison.notebooks.stamps import Stamp
from unison.notebooks.verify import compare


def check_stamp(stamp: Stamp) -> None:
    """A finished notebook is up to date.

    Raises
    ------
    CheckFailed
        Saying why it is not.
    """
    why = stamp.stale_because()
    if why:
        raise CheckFailed(f"{stamp.path.stem} has to be run again: {why}")


def check_products(committed: Layout, fresh: Layout) -> None:
    """Two layouts hold the same products, byte for byte.

    Raises
    ------
    CheckFailed
        Naming the first difference.
    """
    found = compare(committed, fresh)
    if found:
        raise CheckFailed(f"{found[0].kind}: {found[0].name} ({len(found)} in all)")
