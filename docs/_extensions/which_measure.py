"""The page "Which measure?": questions that filter a table of all measures.

Both are made from the claims of the measures. Without JavaScript the page shows the
whole table; `_static/which_measure.js` shows the questions and hides rows.
"""

import math
from dataclasses import dataclass
from functools import cache
from html import escape

import family_pages
import references

from similitude.measures import MEASURES, Measure, summary
from similitude.transformations import MODEL_EQUIVALENCE, Group, closure

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

# Families as questions, from the most to the least often asked.
FAMILIES = {
    "kernel_alignment": "Which stimuli are similar to which, on both sides?",
    "neighbors": "Do the same stimuli have the same nearest neighbors?",
    "shape": "How far apart are the points after the best rotation?",
    "cca": "Which directions do both sides share, up to linear maps?",
    "regression": "How well does one side predict the other linearly?",
    "rdm": "Do distances between stimuli agree, as in neuroscience?",
    "topological": "Do clusters and loops appear at the same scales?",
    "matching": "Do single units correspond to single units?",
    "coordinates": "Are the values the same, unit by unit?",
    "spectral": "Do both sides use the same subspaces or spectra?",
    "statistics": "Do they agree in one number, such as the dimension?",
    "outputs": "Do classifiers make the same predictions?",
    "softmax": "Are softmax models the same, with their last layers?",
}

# Names of groups of transformations, in words.
_PLAIN = {
    Group.TRANSLATION: "shift",
    Group.CONSTANT_SHIFT: "one number added to all values",
    Group.ISOTROPIC_SCALE: "scale",
    Group.COLUMN_SCALE: "scale of each unit",
    Group.ROW_SCALE: "scale of each stimulus",
    Group.PERMUTATION: "order of units",
    Group.SIGNED_PERMUTATION: "order and signs of units",
    Group.ROTATION: "rotation",
    Group.LINEAR: "invertible linear maps",
}
_KINDS = {"similarity": "high is similar", "distance": "0 is the same"}

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
        tuple(FAMILIES.items()),
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
    titles = list(_cells(MEASURES["cka"]))
    head = "".join(f"<th>{title}</th>" for title in titles)
    bodies = []
    for family, question in FAMILIES.items():
        link = f'<a href="families/{family}.html">{family_pages.title(family)}</a>'
        bodies += [
            '<tbody><tr class="which-family">'
            f'<th colspan="{len(titles)}">{escape(question)} <span>{link}</span></th>'
            "</tr>",
            *(_row(m) for _, m in sorted(MEASURES.items()) if m.family == family),
            "</tbody>",
        ]
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
            *bodies,
            "</table></div>",
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
        "measure": f'<a href="{link}"><code>{_breakable(measure.name)}</code></a>',
        "definition": escape(summary(measure)),
        "since": _year(measure),
        "score": f"{_KINDS.get(claims.kind, _KINDS['distance'])}; "
        f"{_range(*claims.range)}",
        "unchanged by": _unchanged(measure),
        "gradients": "yes" if claims.differentiable else "no",
        "interval": "yes" if claims.interval else "no",
        "cost": measure.cost,
    }


def _breakable(name: str) -> str:
    """A name that may be broken after its underscores."""
    return escape(name).replace("_", "_<wbr>")


def _year(measure: Measure) -> str:
    """The year of the oldest reference."""
    known = references.entries()
    years = [references.fields(known[key]).get("year", "") for key in measure.refs]
    return min(filter(None, years), default="")


def _range(low: float, high: float) -> str:
    """An interval in words."""
    if math.isinf(low) or math.isinf(high) or high > 100:
        return "any number" if low < 0 else f"{low:g} or more"
    return f"{low:g} to {'π/2' if high == math.pi / 2 else f'{high:.3g}'}"


def _unchanged(measure: Measure) -> str:
    """Invariances in words; both sides, if they differ."""
    claims = measure.claims()
    if measure.domain == "outputs":
        return "any change that keeps the predictions"
    x, y = map(_in_words, (claims.invariant_x, claims.invariant_y))
    return x if x == y else f"first side: {x}; second side: {y}"


def _in_words(groups: frozenset[Group]) -> str:
    if groups == MODEL_EQUIVALENCE:
        return "changes that leave all probabilities the same"
    return ", ".join(_PLAIN[group] for group in Group if group in groups) or "nothing"
