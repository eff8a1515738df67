"""The mark of what was cut: written once, found again, and not taken from texts that quote it."""

from __future__ import annotations

from hypothesis import given, strategies as st

from karenina_gui.text.truncation import cut_of, mark, shorten, shortened_reason


def test_a_long_text_keeps_its_beginning_and_end_and_tells_both_sizes() -> None:
    assert shorten("short", 10) == "short"
    long = shorten("a" * 150_000 + "b" * 150_000, 200_000)
    assert long == f"{'a' * 100_000}\n[... cut here: 300,000 bytes, of which 200,000 are kept ...]\n{'b' * 100_000}"


@given(st.text(min_size=1), st.integers(2, 40), st.integers(1, 200))
def test_a_cut_is_found_again_with_its_sizes_and_its_place(piece: str, times: int, at_most: int) -> None:
    whole = piece * times
    size = len(whole.encode("utf-8", "replace"))
    kept = shorten(whole, at_most)
    found = cut_of(kept)
    if kept == whole:
        assert found is None
    else:
        assert found is not None
        assert (found.before, found.after) == (size, 2 * max(1, at_most // 2))
        assert kept[found.begin : found.end] == mark(found.before, found.after)


def test_notes_after_an_output_do_not_hide_its_cut() -> None:
    found = cut_of(shorten("x" * 5_400_000, 32_768) + "\n[Exit code 1]")
    assert found is not None and (found.before, found.after) == (5_400_000, 32_768)


def test_a_text_that_quotes_a_mark_was_not_cut() -> None:
    assert cut_of(f"The log says {mark(5_400_000, 32_768)} at its end.") is None
    assert cut_of("x" * 400_000 + mark(5_400_000, 32_768)) is None
    assert cut_of("[... cut here: , bytes, of which , are kept ...]") is None


def test_marks_of_earlier_versions_are_understood() -> None:
    half = "x" * 16_384
    found = cut_of(f"{half}\n[... 5367232 bytes left out here ...]\n{half}")
    assert found is not None and (found.before, found.after) == (5_400_002, 32_770)
    assert cut_of(f"{half}\n[100 characters left out]\n{half}") is not None
    assert cut_of(f"{half}{half}\n[100 characters left out]") is None


def test_the_end_of_a_long_reason_is_seen_to_be_missing() -> None:
    assert shortened_reason("why") == "why"
    assert shortened_reason("y" * 500) == "y" * 500
    assert shortened_reason("y" * 501) == "y" * 499 + "…"
