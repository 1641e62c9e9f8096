"""The questions of "Which measure?" lead to every measure."""

import re

import pytest

from documentation.extensions import extension
from similitude import MEASURES

which = extension("which_measure")
MOST = 8  # measures that remain after all questions


def narrowest_answers(name: str) -> dict[str, str]:
    """For each question, the answer of this measure that leaves the fewest others."""
    words = which.words(MEASURES[name])
    answers: dict[str, str] = {}
    for question in which.QUESTIONS:
        fitting = [
            str(v) for v, _ in question.answers if str(v) in words[question.name]
        ]
        if fitting:
            left = {
                v: len(which.matching(answers | {question.name: v})) for v in fitting
            }
            answers[question.name] = min(fitting, key=lambda v: left[v])
    return answers


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_every_measure_can_be_reached(name: str) -> None:
    found = which.matching(narrowest_answers(name))
    assert name in found
    assert len(found) <= MOST


def test_every_answer_leads_to_a_measure() -> None:
    for question in which.QUESTIONS:
        for value, text in question.answers:
            assert which.matching({question.name: str(value)}), text


def test_a_wrong_answer_hides_a_measure() -> None:
    assert "cka" in which.matching({"ignores": "rotation"})
    assert "cka" not in which.matching({"ignores": "linear"})
    assert "mean_cca" in which.matching({"ignores": "linear"})
    assert "cka" not in which.matching({"kind": "metric"})


def test_the_table_has_all_measures_and_their_words() -> None:
    page = which.html()
    rows = re.findall(r'<tr id="which-(\w+)" ([^>]*)>', page)
    families = [MEASURES[name].family for name, _ in rows]
    order = list(which.FAMILIES)
    assert set(order) == {measure.family for measure in MEASURES.values()}
    assert [
        (order.index(f), name) for f, (name, _) in zip(families, rows, strict=True)
    ] == sorted(
        (order.index(measure.family), name) for name, measure in MEASURES.items()
    )
    for name, data in rows:
        shown = dict(re.findall(r'data-(\w+)="([^"]*)"', data))
        words = which.words(MEASURES[name])
        assert {key: set(value.split()) for key, value in shown.items()} == words
    assert "\n\n" not in page  # a blank line ends HTML in Markdown
    assert '<form id="which-questions" class="which-measure" hidden>' in page


def test_the_table_has_no_jargon() -> None:
    page = re.sub(
        r"<code>.*?</code>|<option.*?</option>|data-\w+=\"[^\"]*\"", "", which.html()
    )
    cells = re.findall(r"<td>(.*?)</td>", page)
    assert len(cells) == 8 * len(MEASURES)
    for word in ("inf]", "[0", "model equivalence", "isotropic", "x:", "y:"):
        assert not [cell for cell in cells if word in re.sub(r"<.*?>", "", cell)], word
    years = [cell for cell in cells[2::8] if cell]
    assert len(years) > 0.8 * len(MEASURES)
    assert all(1900 < int(year) < 2100 for year in years)
