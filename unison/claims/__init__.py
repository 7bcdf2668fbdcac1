"""The claims ledger: what the papers say, what the produced tables say, and the verdict.

::

    tables = Tables.of(paths.FIGURES)
    results = evaluate(load_ledger(), tables, due=due_products(), record=read_record(tables))

data/claims.toml holds each claim with the rule it is held to and the way to compute our number from the
tables (`unison.claims.measure`); none of our numbers is written down in it.

======================  ==========================================================================
rule                    verdict
======================  ==========================================================================
exact                   ``reproduced`` if ours is the paper's within the tolerance, or if what is
                        expected of it holds where the ledger says that; else ``differs``
gate                    ``reproduced`` if what is expected of ours holds, else ``differs``
direction               ``differs`` if what is expected does not hold; else ``reproduced`` if ours is
                        the paper's within the tolerance, or ``direction only``
hardware                as direction, on our own synthesis
inconsistent            ``inconsistent in the source``, shown by arithmetic on the printed numbers
======================  ==========================================================================

A claim whose tables are not there is ``not run``, with the reason, whatever its rule.
"""

from unison.claims.evaluate import Result, Verdict, due_products, evaluate
from unison.claims.ledger import Claim, Ledger, Rule, claim_of, load_ledger, paper_claim, read_ledger
from unison.claims.record import read_record
from unison.claims.tables import Tables

__all__ = [
    "Claim",
    "Ledger",
    "Result",
    "Rule",
    "Tables",
    "Verdict",
    "claim_of",
    "due_products",
    "evaluate",
    "load_ledger",
    "paper_claim",
    "read_ledger",
    "read_record",
]
