"""The pages of claims: one per paper, and the counts of all on the front."""

import importlib.resources
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from similitude.errors import InvalidInput

from ..study import STUDIES, StudyRecord, read_records
from ..study._markdown import study_sections
from ._catalog import PAPERS, Paper, all_claims, read_paper
from ._judge import OUTCOMES, Tables, Verdict, judge, together

COLUMNS = ("id", "claim", "published", "own", "outcome", "controls", "where to look")


def judge_all(results: str | Path) -> dict[str, Verdict]:
    """The verdict on each claim, by its id."""
    tables, found = Tables(results), {}
    for paper, name, record in all_claims():
        if "follows" not in record:
            found[name] = judge(record, tables, paper.printed)
    for _, name, record in all_claims():
        if "follows" in record:
            outcomes = [found[other].outcome for other in record["follows"]]
            text = ", ".join(f"{o}: {found[o].outcome}" for o in record["follows"])
            found[name] = Verdict(together(outcomes), reason=text)
    return found


def claim_pages(results: str | Path, root: str | Path) -> dict[str, str]:
    """Markdown by name of the file: the front, and a page per paper."""
    verdicts = judge_all(results)
    results, root = Path(results), Path(root)
    records: dict[str, list[StudyRecord]] = {}
    for record in read_records(results):
        folder = record.study.split("/", maxsplit=1)[0]
        name = folder if folder in PAPERS else "ours"
        records.setdefault(name, []).append(record)
    pages = {"reproductions.md": "\n".join(_front(verdicts)) + "\n"}
    for name, paper in ((name, read_paper(name)) for name in PAPERS):
        lines = [f"# {paper.title}", "", *_table(paper, verdicts, results, root)]
        lines += study_sections(records.get(name, []), root)
        pages[f"reproductions_{name}.md"] = "\n".join(lines) + "\n"
    return pages


def _front(verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    yield _head()
    yield f"| paper | claims | {' | '.join(OUTCOMES)} |"
    yield "|---" * (len(OUTCOMES) + 2) + "|"
    for name in PAPERS:
        paper = read_paper(name)
        counts = Counter(verdicts[claim].outcome for claim in paper.claims)
        numbers = " | ".join(str(counts[outcome]) for outcome in OUTCOMES)
        link = f"[{paper.title}](reproductions_{name}.md)"
        yield f"| {link} | {len(paper.claims)} | {numbers} |"
    judged = sum(
        any(not share.planted for share in leaf.shares)
        for verdict in verdicts.values()
        for leaf in _leaves(verdict)
    )
    chance = round(judged * 0.05)
    yield ""
    yield (
        f"{judged} statements were judged with a control. At 5 %, about {chance} of "
        f"that many hold by chance."
    )


def _head() -> str:
    text = importlib.resources.files(__package__).joinpath("head.md")
    return text.read_text(encoding="utf-8")


def _leaves(verdict: Verdict) -> list[Verdict]:
    """The statements of a claim: its parts, or itself."""
    return [leaf for part in verdict.parts for leaf in _leaves(part)] or [verdict]


def _table(
    paper: Paper, verdicts: Mapping[str, Verdict], results: Path, root: Path
) -> Iterator[str]:
    yield f"| {' | '.join(COLUMNS)} |"
    yield "|---" * len(COLUMNS) + "|"
    for name, record in paper.claims.items():
        verdict = verdicts[name]
        cells = [
            name,
            f"{record['says']} ({record['where']})",
            _published(record, paper),
            own_text(verdict) or "–",
            outcome_text(record, verdict),
            "; ".join(share_texts(verdict)) or "–",
            ", ".join(_links(record, results, root)) or "–",
        ]
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _parts(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(record.get("parts", [record]))


def _published(record: Mapping[str, Any], paper: Paper) -> str:
    if "published" in record:
        return str(record["published"])
    given = [record, *record.get("parts", ())]
    places = [one["printed"] for one in given if "printed" in one]
    printed = [f"{k} {v}".strip() for p in places for k, v in paper.printed[p].items()]
    return ", ".join(printed) or "–"


def own_text(verdict: Verdict) -> str:
    """The numbers with their limits."""
    return "; ".join(cell.text() for leaf in _leaves(verdict) for cell in leaf.cells)


def outcome_text(record: Mapping[str, Any], verdict: Verdict) -> str:
    """The outcome, those of parts that differ, and the reason."""
    leaves = _leaves(verdict)
    text: str = f"**{verdict.outcome}**"
    if len({leaf.outcome for leaf in leaves}) > 1:
        text += f" ({', '.join(f'{_leaf(v)}: {v.outcome}' for v in leaves)})"
    reasons = dict.fromkeys(v.reason for v in (verdict, *leaves) if v.reason)
    words = [*reasons, *([record["note"]] if "note" in record else [])]
    if "later" in record:
        words.append("the criterion is later than the result")
    return "; ".join([text, *words])


def _leaf(verdict: Verdict) -> str:
    return verdict.name or ", ".join(cell.name for cell in verdict.cells) or "all"


def share_texts(verdict: Verdict) -> list[str]:
    """The share of each control, or whether the statement fails in it."""
    texts = (
        f"{leaf.name} {share.text()}".strip()
        for leaf in _leaves(verdict)
        for share in leaf.shares
    )
    return list(dict.fromkeys(texts))


def _links(record: Mapping[str, Any], results: Path, root: Path) -> Iterator[str]:
    if "untestable" in record:
        yield f"`{record['untestable']}`"
    for table in dict.fromkeys(p["table"] for p in _parts(record) if "table" in p):
        if (results / table).exists():
            yield f"[{table}]({_relative(results / table, root)})"
        else:
            yield f"`similitude study run {table.rsplit('/', 2)[0]}`"
    for test in record.get("test", ()):
        path = find_test(test, results)
        yield f"[{test.split('::')[1]}]({_relative(path, root)})"
    if "figure" in record:
        yield f"[figure]({_relative(results / record['figure'], root)})"
    if (study := study_of(record)) in STUDIES:
        yield f"[{study}]({_relative(_source(study), root)})"


def _relative(path: Path, root: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()


def study_of(record: Mapping[str, Any]) -> str:
    """The study that makes the first table of a claim; empty without one."""
    paths = [p["table"] for p in _parts(record) if "table" in p] or [
        record.get("figure", "")
    ]
    return "/".join(Path(paths[0]).parts[:2])


def _source(study: str) -> Path:
    return Path(__file__).parents[1] / f"{STUDIES[study].replace('.', '/')}.py"


def find_test(test: str, results: str | Path) -> Path:
    """The file of a test FILE::NAME, wherever it is in the folders of tests."""
    stem, name = test.split("::")
    lab = Path(results).resolve().parent
    folders = (lab / "tests", lab.parent / "tests")
    pattern = re.compile(rf"^\s*def {name}\(", re.MULTILINE)
    found = [
        path
        for folder in folders
        for path in sorted(folder.rglob(f"{stem}.py"))
        if pattern.search(path.read_text(encoding="utf-8"))
    ]
    if len(found) != 1:
        raise InvalidInput(f"{len(found)} tests are {test}; the catalog names one.")
    return found[0]
