"""Amazon reviews: both published layouts, the published subset, and errors."""

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from similitude import InvalidInput
from similitude_lab import study as studies
from similitude_lab.relative.languages._encoders import EncoderOptions, untrained
from similitude_lab.relative.languages._fine_tuned import Run, Tuning
from similitude_lab.relative.languages._reviews import join_title, reviews_task
from similitude_lab.relative.languages._setting import (
    POSTER,
    has_poster_encoders,
)

WORDS = {
    "en": ("awful", "poor", "fine", "good", "superb"),
    "fr": ("affreux", "faible", "correct", "bon", "superbe"),
}
COUNTS = {"train": 500, "validation": 20, "test": 25}


def review(language: str, split: str, i: int) -> dict[str, str]:
    return {
        "review_id": f"{language}_{split}_{i}",
        "stars": str(i % 5 + 1),
        "review_title": f"{WORDS[language][i % 5]}",
        "review_body": f'"{split} {i} {WORDS[language][i % 5]} thing."',
        "language": language,
        "product_category": "book",
    }


def translations(folder: Path, count: int = 60) -> None:
    lines = [
        "\t".join([f"en {WORDS['en'][i % 5]} {i}", "it", "es",
                   f"fr {WORDS['fr'][i % 5]} {i}", "ja"])
        for i in range(count)
    ]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "translations.tsv").write_text("\n".join(lines) + "\n", "utf-8")


def one_csv_per_split(folder: Path, counts: dict[str, int] = COUNTS) -> None:
    """The layout of the copy on Kaggle: all languages in one file, and an index."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, count in counts.items():
        with (folder / f"{split}.csv").open("w", newline="", encoding="utf-8") as file:
            names = ["", *review("en", split, 0)]
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            for language in WORDS:
                for i in range(count):
                    writer.writerow({"": i, **review(language, split, i)})


def one_json_per_language(folder: Path) -> None:
    """The first layout: JSON lines by split and language, one of them compressed."""
    for split, count in COUNTS.items():
        name = "dev" if split == "validation" else split
        (folder / "json" / name).mkdir(parents=True)
        for language in WORDS:
            path = folder / "json" / name / f"dataset_{language}_{name}.json"
            lines = [json.dumps(review(language, split, i)) for i in range(count)]
            text = "\n".join(lines) + "\n"
            if split == "train":
                with gzip.open(f"{path}.gz", "wt", encoding="utf-8") as file:
                    file.write(text)
            else:
                path.write_text(text, "utf-8")


@pytest.mark.parametrize("layout", [one_csv_per_split, one_json_per_language])
def test_both_layouts_give_one_percent_of_the_training_reviews(
    layout, tmp_path: Path
) -> None:
    layout(tmp_path)
    translations(tmp_path / "amazon_reviews_translated")
    task = reviews_task(tmp_path, ("en", "fr"), anchors=40)
    assert task.ordinal
    for language, texts in task.draw(0).items():
        assert len(texts.train) == 5
        assert len(texts.test) == COUNTS["test"]
        assert len(texts.validation) == COUNTS["validation"]
        assert len(texts.anchors) == 40
        assert (
            texts.test[1] == f"{WORDS[language][1]}. test 1 {WORDS[language][1]} thing"
        )
        np.testing.assert_array_equal(texts.test_labels, np.arange(25) % 5)
        for text, label in zip(texts.train, texts.train_labels, strict=True):
            assert text.startswith(WORDS[language][label])
    english, french = (task.draw(0)[language].anchors for language in ("en", "fr"))
    assert [a.split()[-1] for a in english] == [a.split()[-1] for a in french]
    assert task.draw(0)["en"].train == task.draw(1)["en"].train


def test_the_anchors_are_the_published_ones(tmp_path: Path) -> None:
    one_csv_per_split(tmp_path)
    translations(tmp_path, count=1000)
    task = reviews_task(tmp_path, ("en", "fr"), anchors=768)
    numbers = [int(text.split()[-1]) for text in task.draw(0)["fr"].anchors]
    assert numbers[:10] == [776, 507, 895, 922, 33, 483, 85, 750, 354, 523]
    assert len(set(numbers)) == 768


def test_translations_can_have_line_separators_of_unicode(tmp_path: Path) -> None:
    """Texts of customers have them; only the end of a line ends a review."""
    one_csv_per_split(tmp_path)
    translations(tmp_path)
    path = tmp_path / "translations.tsv"
    text = path.read_text("utf-8").replace("en awful", "en awful\u2028\x85\x0b")
    path.write_bytes(text.replace("\n", "\r\n").encode())
    anchors = reviews_task(tmp_path, ("en", "fr"), 60).draw(0)["en"].anchors
    assert len(anchors) == 60
    assert sum("\u2028" in anchor for anchor in anchors) == 12
    path.write_bytes(b"\xff")
    with pytest.raises(InvalidInput, match=r"translations\.tsv is damaged"):
        reviews_task(tmp_path, ("en", "fr"), 60)


def test_a_study_of_reviews_has_the_error_in_stars_beside_the_published_one(
    tmp_path: Path,
) -> None:
    one_csv_per_split(tmp_path / "data", {**COUNTS, "train": 5000})
    translations(tmp_path / "data")
    record = studies.run_study(
        "relative/stitching", scale="smoke", out=tmp_path, data=tmp_path / "data"
    )
    assert record.values["reviews"] == 1
    assert any("Amazon reviews; the label is the number of stars" in n
               for n in record.notes)  # fmt: skip
    with (record.folder / "cells.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    (found,) = (
        row
        for row in rows
        if row["network"] == "transformer"
        and row["transform"] == "robust"
        and (row["decoder"], row["encoder"], row["metric"]) == ("fr", "en", "mae")
    )
    assert found["published_mean"] == "45.19"
    assert float(found["mean"]) >= 0


def encoder_folder(folder: Path, words: list[str], width: int, seed: int) -> None:
    """A small RoBERTa and its tokenizer, in the files of Hugging Face transformers."""
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    names = ["<s>", "<pad>", "</s>", "<unk>", *words, *map(str, range(200))]
    model = tokenizers.models.WordLevel(
        {name: at for at, name in enumerate(names)}, unk_token="<unk>"
    )
    own = tokenizers.Tokenizer(model)
    own.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    own.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=own, bos_token="<s>", eos_token="</s>", unk_token="<unk>",
        pad_token="<pad>",
    ).save_pretrained(folder)  # fmt: skip
    config = transformers.RobertaConfig(
        vocab_size=len(names), hidden_size=width, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=2 * width, max_position_embeddings=40,
    )  # fmt: skip
    torch.manual_seed(seed)
    transformers.RobertaModel(config, add_pooling_layer=False).save_pretrained(folder)


def test_the_transformer_begins_with_the_encoders_of_the_folder(tmp_path: Path) -> None:
    data = tmp_path / "data"
    one_csv_per_split(data, {"train": 8000, "validation": 100, "test": 25})
    translations(data)
    encoder_folder(data / "encoders" / "en", [*WORDS["en"], "thing"], 16, 1)
    with pytest.raises(InvalidInput, match="has no encoder of the language fr; put a"):
        reviews_task(data, ("en", "fr"), 8)
    encoder_folder(data / "encoders" / "fr", [*WORDS["fr"], "thing"], 16, 2)
    texts = reviews_task(data, ("en", "fr"), 8).draw(0)["en"]
    found = untrained("transformer", texts, EncoderOptions(width=16, tokens=12), 0)
    library = pytest.importorskip("transformers")
    model = library.RobertaModel.from_pretrained(data / "encoders" / "en").eval()
    words = "awful thing good"
    ids = torch.tensor([[0, 4, 9, 7, 2]])
    expected = model(ids).last_hidden_state[:, 0]
    row = found.module.eval()(torch.from_numpy(found.inputs([words])))
    torch.testing.assert_close(row, expected)
    with pytest.raises(InvalidInput, match="has 16 dimensions, and this scale needs 8"):
        untrained("transformer", texts, EncoderOptions(width=8, tokens=12), 0)
    options = EncoderOptions(width=16, tokens=12, epochs=(1, 1))
    tuned = Run(
        "transformer", texts, 5, 8, options, Tuning((1, 1), per_class=8), seed=0, draw=0
    )
    base = tuned.before()
    assert any(name.startswith("base.encoder.") for name in base)
    assert tuned.densified(base, 0.5)["weight"].shape == (5, 8)
    record = studies.run_study(
        "relative/stitching", scale="smoke", out=tmp_path, data=data
    )
    assert record.values["poster_encoders"] == 0  # two layers of 16 dimensions
    assert any("from given weights (transformer)" in n for n in record.notes)


def test_encoders_as_on_the_poster_are_recognized(tmp_path: Path) -> None:
    assert not has_poster_encoders(None)
    for language in ("en", "fr"):
        assert not has_poster_encoders(tmp_path)
        folder = tmp_path / "encoders" / language
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps({**POSTER, "vocab_size": 9}))
    assert has_poster_encoders(tmp_path)
    (folder / "config.json").write_text(json.dumps({**POSTER, "hidden_size": 1024}))
    assert not has_poster_encoders(tmp_path)


def test_a_title_that_the_body_repeats_is_dropped() -> None:
    def joined(title: str | None, body: str) -> str:
        return join_title({"review_title": title, "review_body": body})

    assert joined("Great", "It works.") == "Great. It works"
    assert joined('"Great!"', "It works") == "Great! It works"
    assert joined("It works", "it WORKS well.") == "it WORKS well"
    assert joined(None, "It works") == "It works"


def test_missing_and_damaged_files_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no translations\.tsv; put the translated"):
        reviews_task(tmp_path, ("en", "fr"), 8)
    translations(tmp_path)
    with pytest.raises(InvalidInput, match="no reviews of the split train in en"):
        reviews_task(tmp_path, ("en", "fr"), 8)
    one_csv_per_split(tmp_path)
    text = (tmp_path / "test.csv").read_text("utf-8")
    (tmp_path / "test.csv").write_text(text.replace("en_test_3,4", "en_test_3,6"))
    with pytest.raises(InvalidInput, match="stars='6'; give reviews with 1 to 5"):
        reviews_task(tmp_path, ("en", "fr"), 8)
    (tmp_path / "translations.tsv").write_text("only\ttwo\n")
    with pytest.raises(InvalidInput, match="line 1: expected 5 columns"):
        reviews_task(tmp_path, ("en", "fr"), 8)
    (tmp_path / "train.jsonl").write_text("{not json\n")
    translations(tmp_path)
    with pytest.raises(InvalidInput, match=r"train\.jsonl is damaged"):
        reviews_task(tmp_path, ("en", "fr"), 8)
