"""The page "Which measure?": questions that filter a table of all measures.

Both are made from the claims of the measures. Without JavaScript the page shows the
whole table; `_static/which_measure.js` shows the questions and hides rows.
"""

from dataclasses import dataclass
from functools import cache
from html import escape

import family_pages

from similitude.cli._measures._claims_text import interval, invariances
from similitude.measures import MEASURES, Measure, summary
from similitude.transformations import Group, closure

MARK = "<!-- table of measures -->"


@dataclass(frozen=True)
class Question:
    """A question about a property; the values of answers are words of table rows."""

    name: str
    text: str
    answers: tuple[tuple[str, str], ...]  # value and text


_CHANGES = (
    (Group.PERMUTATION, "the order of units"),
    (Group.ROTATION, "rotations and reflections"),
    (Group.LINEAR, "every invertible linear map"),
    (Group.COLUMN_SCALE, "the scale of each unit"),
    (Group.ISOTROPIC_SCALE, "one scale for all units"),
    (Group.ROW_SCALE, "one scale per stimulus"),
    (Group.TRANSLATION, "a shift of all rows"),
)

QUESTIONS = (
    Question(
        "domain",
        "Which data do you have?",
        (
            ("points", "activations: one row per stimulus"),
            ("outputs", "predictions of classifiers"),
            ("softmax", "softmax models: embeddings and unembeddings"),
        ),
    ),
    Question(
        "rows",
        "Are the rows of both sides the same stimuli?",
        (("same", "yes, in the same order"), ("different", "no")),
    ),
    Question("ignores", "Which change must not affect the score?", _CHANGES),
    Question("sees", "Which change must affect the score?", _CHANGES),
    Question(
        "family",
        "What should be compared?",
        tuple((name, family_pages.title(name)) for name in family_pages.families()),
    ),
    Question(
        "kind",
        "Which kind of score?",
        (
            ("similarity", "similarity: high is similar"),
            ("dissimilarity", "distance or divergence: 0 is the same"),
            ("metric", "a metric: with the triangle inequality"),
        ),
    ),
    Question(
        "needs",
        "What else do you need?",
        (
            ("gradients", "gradients, for a loss"),
            ("interval", "a confidence interval"),
            ("cheap", "low cost, for many pairs"),
            ("symmetric", "the same score in both directions"),
            ("sizes", "scores of different numbers of rows on one scale"),
        ),
    ),
)


@cache
def words(measure: Measure) -> dict[str, set[str]]:
    """The answers that a measure matches, by question."""
    claims = measure.claims()
    ignored = closure(claims.invariant_x) & closure(claims.invariant_y)
    seen = set(Group) - (closure(claims.invariant_x) | closure(claims.invariant_y))
    if measure.domain == "outputs":  # predictions have no units
        ignored, seen = frozenset(), set()
    distance = claims.kind != "similarity"
    has = {
        "gradients": claims.differentiable,
        "interval": claims.interval is not None,
        "cheap": measure.cost == "cheap",
        "symmetric": claims.symmetric,
        "sizes": not claims.grows_with_n,
    }
    return {
        "domain": {measure.domain},
        "rows": {"same"} if claims.paired else {"same", "different"},
        "ignores": {str(group) for group in ignored},
        "sees": {str(group) for group in seen},
        "family": {measure.family},
        "kind": {
            "dissimilarity" if distance else "similarity",
            *(["metric"] if claims.triangle else []),
        },
        "needs": {name for name, value in has.items() if value},
    }


def matching(answers: dict[str, str]) -> list[str]:
    """Names of the measures that match all answers."""
    return [
        name
        for name, measure in MEASURES.items()
        if all(value in words(measure)[key] for key, value in answers.items())
    ]


def html() -> str:
    """The questions and the table; no blank lines, which would end the HTML block."""
    head = "".join(f"<th>{title}</th>" for title in _cells(MEASURES["cka"]))
    rows = [_row(MEASURES[name]) for name in sorted(MEASURES)]
    return "\n".join(
        [
            '<form id="which-questions" class="which-measure" hidden>',
            *map(_question, QUESTIONS),
            '<p><output id="which-count" aria-live="polite"></output> '
            '<button type="reset" class="which-reset">Clear answers</button></p>',
            "</form>",
            '<div class="pst-scrollable-table-container">',
            '<table class="table" id="which-table">',
            f"<thead><tr>{head}</tr></thead>",
            "<tbody>",
            *rows,
            "</tbody></table></div>",
        ]
    )


def _question(question: Question) -> str:
    options = "".join(
        f'<option value="{escape(str(value))}">{escape(text)}</option>'
        for value, text in question.answers
    )
    return (
        f"<label>{escape(question.text)} "
        f'<select name="{question.name}"><option value="">any</option>{options}'
        "</select></label>"
    )


def _row(measure: Measure) -> str:
    data = " ".join(
        f'data-{name}="{" ".join(sorted(found))}"'
        for name, found in words(measure).items()
    )
    cells = "".join(f"<td>{cell}</td>" for cell in _cells(measure).values())
    return f'<tr id="which-{measure.name}" {data}>{cells}</tr>'


def _cells(measure: Measure) -> dict[str, str]:
    claims = measure.claims()
    link = f"families/{measure.family}.html#{measure.name.replace('_', '-')}"
    return {
        "measure": f'<a href="{link}"><code>{measure.name}</code></a>',
        "definition": escape(summary(measure)),
        "score": f"{claims.kind}, {interval(*claims.range)}",
        "unchanged by": escape(invariances(measure).strip("()").replace("_", " ")),
        "gradients": "yes" if claims.differentiable else "no",
        "interval": "yes" if claims.interval else "no",
        "cost": measure.cost,
    }
