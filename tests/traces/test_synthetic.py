"""The six synthetic corpora: published facts, calibrated shapes, determinism."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.corpora import assert_same_corpus

from unison.checks.corpora import check_synthetic
from unison.errors import UnisonError
from unison.paths import CALIBRATION
from unison.traces.calibration import load_calibration
from unison.traces.corpus import Corpus
from unison.traces.library import load_corpus
from unison.traces.schema import write_corpus
from unison.traces.synthetic import CORPORA, base_schedule, synthesize

GAIA = [name for name in CORPORA if name.startswith("gaia")]
SWE = [name for name in CORPORA if name.startswith("swe")]
SEEDS = [0, 1, 2]


made = cache(synthesize)


def sizes(seed: int) -> dict[str, int]:
    return {name: made(name, seed).n_sessions for name in CORPORA}


def later_gaps(corpus: Corpus) -> np.ndarray:
    return corpus.gap_ns[corpus.turn > 0]


def median_gap_ns(name: str, seed: int) -> float:
    return float(np.median(later_gaps(made(name, seed))))


PUBLISHED = {
    "1,415 sessions in all": lambda seed: sum(sizes(seed).values()) == 1415,
    "33,596 turns in all": lambda seed: sum(made(n, seed).n_turns for n in CORPORA) == 33_596,
    "the smallest is gaia-gemma4 with 128 sessions": lambda seed: (
        min(sizes(seed).items(), key=lambda item: item[1]) == ("gaia-gemma4", 128)
    ),
    "the largest has 496 sessions": lambda seed: max(sizes(seed).values()) == 496,
    "gaia-qwen3: median gap 3.7 s": lambda seed: median_gap_ns("gaia-qwen3", seed) == 3_700_000_000,
    "gaia-devstral: median gap 4.4 s": lambda seed: median_gap_ns("gaia-devstral", seed) == 4_400_000_000,
    "gaia-gemma4: median gap 7.2 s": lambda seed: median_gap_ns("gaia-gemma4", seed) == 7_200_000_000,
    "never more than 64 live": lambda seed: all(
        base_schedule(made(n, seed), seed=seed).max_live <= 64 for n in CORPORA
    ),
    "no gap below 1 ms": lambda seed: all(later_gaps(made(n, seed)).min() >= 1_000_000 for n in CORPORA),
    # 1,937 published events cannot be met: a turn has two.
    "gaia-gemma4: within one of 1,937 events": lambda seed: (
        abs(base_schedule(made("gaia-gemma4", seed), seed=seed).events.size - 1937) <= 1
    ),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fact", PUBLISHED)
def test_published_fact(fact, seed):
    assert PUBLISHED[fact](seed)


@pytest.mark.parametrize("name", CORPORA)
def test_task_sets_are_not_exceeded(name):
    assert made(name).n_sessions <= (165 if name in GAIA else 500)


@pytest.mark.parametrize("name", GAIA)
def test_gaia_gaps_run_from_milliseconds_to_minutes(name):
    gaps = later_gaps(made(name)) / 1e9
    assert np.log(gaps).std() >= 2.0
    assert np.quantile(gaps, 0.05) < 0.1
    assert np.quantile(gaps, 0.99) > 60


@pytest.mark.parametrize("name", GAIA)
def test_one_millisecond_is_only_a_clamp(name):
    # A planted minimum would show as an atom; the clamp may touch a few reads.
    assert (later_gaps(made(name)) == 1_000_000).mean() < 0.005


@pytest.mark.parametrize("name", SWE)
def test_swe_gaps_are_a_nominal_wait_with_small_jitter_whatever_the_tool(name):
    corpus = made(name)
    later = corpus.turn > 0
    log_gap, tool = np.log(corpus.gap_ns[later]), corpus.tool[later]
    # Standard errors at 5,441 gaps and more: 1 % of the spread, 0.34 % of the median.
    assert log_gap.std() == pytest.approx(0.25, rel=0.05)
    nominal = {"qwen3": 3.7e9, "devstral": 4.4e9, "gemma4": 7.2e9}[name.split("-")[1]]
    assert np.exp(np.median(log_gap)) == pytest.approx(nominal, rel=0.02)
    means = np.array([log_gap[tool == code].mean() for code in np.unique(tool)])
    between = ((means[np.searchsorted(np.unique(tool), tool)] - log_gap.mean()) ** 2).mean()
    assert between / log_gap.var() < 0.02


@pytest.mark.parametrize("name", CORPORA)
def test_prompts_grow_by_the_last_output_and_a_result_or_shrink_as_often_as_measured(name):
    corpus = made(name)
    later = np.flatnonzero(corpus.turn > 0)
    growth = corpus.prompt_tokens[later] - corpus.prompt_tokens[later - 1]
    grew = growth == corpus.new_prompt_tokens[later]
    assert (growth[grew] >= corpus.output_tokens[later - 1][grew]).all()
    share = 1 - grew.mean()
    # Binomial around the measured share: five standard errors.
    measured = load_calibration().number("common.shrink.share")
    assert abs(share - measured) < 5 * np.sqrt(measured / later.size)
    assert (corpus.prompt_tokens[later] < corpus.prompt_tokens[later - 1])[~grew].mean() > 0.9


@pytest.mark.parametrize("name", CORPORA)
def test_service_goes_with_output_as_measured(name):
    corpus = made(name)
    ranks = [np.argsort(np.argsort(column)) for column in (corpus.service_ns, corpus.output_tokens)]
    # Ties in the measured quantiles move the rank correlation by a few hundredths.
    assert np.corrcoef(*ranks)[0, 1] == pytest.approx(0.852, abs=0.06)


@pytest.mark.parametrize("name", CORPORA)
def test_times_are_whole_microseconds_and_everything_is_marked_as_made(name):
    corpus = made(name)
    for column in (corpus.gap_ns, corpus.service_ns, corpus.arrival_ns):
        assert (column % 1000 == 0).all()
    assert corpus.service_ns.min() >= 1_000_000
    assert corpus.tokens_estimated.all()
    assert corpus.timing_estimated.all()
    assert (corpus.completed == 1).all()
    assert [corpus.tools[code] for code in corpus.tool[corpus.turn == 0]] == [""] * corpus.n_sessions
    assert (corpus.tool[corpus.turn > 0] > 0).all()


def test_logged_arrivals_add_up_gaps_and_services():
    corpus = made("gaia-gemma4")
    later = np.flatnonzero(corpus.turn > 0)
    ended = corpus.arrival_ns[later - 1] + corpus.service_ns[later - 1]
    np.testing.assert_array_equal(corpus.arrival_ns[later], ended + corpus.gap_ns[later])
    assert (corpus.arrival_ns[corpus.turn == 0] == 0).all()


@pytest.mark.parametrize("name", CORPORA)
def test_every_byte_of_seed_0_is_as_committed(name):
    check_synthetic(name)


def test_another_seed_gives_another_draw():
    first, second = synthesize("gaia-gemma4", 0), synthesize("gaia-gemma4", 1)
    assert first.gap_ns.tolist() != second.gap_ns.tolist()
    assert first.turns_per_session.tolist() != second.turns_per_session.tolist()


def test_numbers_come_from_the_calibration():
    calibration = load_calibration()
    slower = replace(calibration["models.qwen3.median_gap_us"], value=5_000_000)
    changed = replace(
        calibration, quantities={**calibration.quantities, "models.qwen3.median_gap_us": slower}
    )
    assert np.median(later_gaps(synthesize("gaia-qwen3", calibration=changed))) == 5_000_000_000


def test_a_missing_calibration_number_is_told(tmp_path):
    for path in CALIBRATION.glob("*.toml"):
        if path.stem != "models":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    with pytest.raises(UnisonError, match=r"models\.qwen3\.median_gap_us is missing"):
        synthesize("swe-qwen3", calibration=load_calibration(tmp_path))


def test_a_name_or_a_file_is_loaded(tmp_path):
    corpus = synthesize("gaia-gemma4")
    assert_same_corpus(load_corpus("gaia-gemma4"), corpus)
    write_corpus(corpus, tmp_path / "c.parquet")
    assert_same_corpus(load_corpus(tmp_path / "c.parquet"), corpus)
    assert_same_corpus(load_corpus(str(tmp_path / "c.parquet")), corpus)


def test_two_writes_of_one_synthetic_corpus_are_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_corpus(synthesize("gaia-gemma4"), tmp_path / f"{name}.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_an_unknown_name_is_refused_with_the_six_names_and_the_way_to_a_file():
    with pytest.raises(UnisonError) as error:
        load_corpus("gaia-gemma")
    assert "did you mean 'gaia-gemma4'?" in str(error.value)
    assert all(name in str(error.value) for name in CORPORA)
    assert "FILE.parquet" in str(error.value)
    with pytest.raises(UnisonError, match="unknown corpus 'swe'"):
        synthesize("swe")


def test_a_missing_file_is_told_as_a_file(tmp_path):
    with pytest.raises(UnisonError, match="no such file"):
        load_corpus(tmp_path / "none.parquet")


def test_load_divides_starts_under_a_bound_that_grows_with_it():
    corpus = synthesize("swe-qwen3")
    light, heavy = base_schedule(corpus, load=1.0), base_schedule(corpus, load=4.0)
    assert light.concurrency == 24.0
    assert heavy.arrival_ns.max() < light.arrival_ns.max()
    assert light.max_live <= 64 < heavy.max_live <= 256


def test_an_imported_corpus_is_not_bound_to_64():
    synthetic = synthesize("gaia-gemma4")
    # At load 0.02 the bound is one session.
    assert base_schedule(synthetic, load=0.02).max_live == 1
    assert base_schedule(replace(synthetic, name="imported"), load=0.02).max_live > 1
