"""Gap and service from the instants of a log."""

from __future__ import annotations


def gap_and_service(
    arrival: int | None, end: int | None, previous_end: int | None
) -> tuple[int | None, int | None]:
    """Gap before a turn and its service [ns], None where an instant is unknown.

    gap = arrival - previous end (negative where the log's clock or lines overlap; the corpus clamps and
    counts it) and service = end - arrival. Where input was logged before the previous reply had ended, the
    request can only have been sent at that end, so the service counts from there.

    Parameters
    ----------
    arrival, end : int or None
        When the request was sent and when its reply ended [ns].
    previous_end : int or None
        When the previous reply ended [ns]; None at the first turn.
    """
    gap = service = None
    if arrival is not None and previous_end is not None:
        gap = arrival - previous_end
    if arrival is not None and end is not None:
        overlaps = previous_end is not None and arrival < previous_end <= end
        service = end - (previous_end if overlaps and previous_end is not None else arrival)
    return gap, service
