"""Rows of tokens and pixels share an id only if they are the same stimulus."""

import itertools

import numpy as np
import pytest
import torch
from torch import nn

import similitude as sim
from networks.extraction.small_models import Conv, Tokens, inputs, token_batch
from similitude import InvalidInput

TEXTS = ["a doctor admired a piece", "the sea", "red fox", "a red red fox"]


def tokens(split, number, *, side: str = "right") -> dict[str, np.ndarray]:
    """Token ids and mask of TEXTS: `split` makes pieces, `number` numbers them."""
    rows = [[number(piece) for piece in split(text)] for text in TEXTS]
    length = max(map(len, rows))
    pad = [[0] * (length - len(row)) for row in rows]
    left = side == "left"
    ids = [p + r if left else r + p for r, p in zip(rows, pad, strict=True)]
    mask = [
        [0] * len(p) + [1] * len(r) if left else [1] * len(r) + [0] * len(p)
        for r, p in zip(rows, pad, strict=True)
    ]
    return {"input_ids": np.array(ids), "attention_mask": np.array(mask)}


def by_length(piece: str) -> int:
    return 1 + len(piece)


def by_letters(piece: str) -> int:
    return 1 + sum(map(ord, piece)) % 19


def halves(text: str) -> list[str]:
    """As many pieces as there are words, at other places."""
    count = len(text.split())
    ends = [round(len(text) * i / count) for i in range(count + 1)]
    return [text[a:b] for a, b in itertools.pairwise(ends)]


def rep_of(data, tmp_path, name):
    store = sim.extract(Tokens(), data, layers=["mix"], reducer="positions",
                        out=tmp_path / name, name=name, batch_size=3)  # fmt: skip
    return store.select()[0]


WAYS = {
    "words": (str.split, by_letters),
    "other numbers": (str.split, by_length),
    "other pieces, as many": (halves, by_letters),
    "letters": (list, by_letters),
    "one piece more": (lambda text: ["", *text.split()], by_letters),
}


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(WAYS, 2)))
@pytest.mark.parametrize("join", ["exact", "common"])
def test_tokens_of_two_tokenizers_are_refused(tmp_path, one, other, join) -> None:
    """Even if both give equally many tokens; the error does not suggest a join."""
    reps = [rep_of(tokens(*WAYS[way]), tmp_path, f"m{i}")
            for i, way in enumerate((one, other))]  # fmt: skip
    assert not set(reps[0].ids.tolist()) & set(reps[1].ids.tolist())
    with pytest.raises(InvalidInput) as error:
        sim.compare(reps, "cka", join_ids=join)
    text = str(error.value)
    assert "m0/mix and m1/mix" in text
    assert "different tokenizers" in text
    assert "join_ids" not in text
    assert "mean_tokens" in text


def test_the_same_tokens_share_ids_for_any_padding_and_batch(tmp_path) -> None:
    reps = [
        rep_of(tokens(*WAYS["words"], side=side), tmp_path, side)
        for side in ("left", "right")
    ]
    few = tokens(*WAYS["words"])
    few = {key: value[:2] for key, value in few.items()}
    part = rep_of(few, tmp_path, "few")
    assert reps[0].ids.tolist() == reps[1].ids.tolist()
    assert part.ids.tolist() == reps[0].ids[: part.n].tolist()
    assert reps[0].blocks.tolist() == [0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 3]


def test_a_named_tokenizer_separates_equal_numbers(tmp_path) -> None:
    """Numbers by first appearance are equal, even if the pieces are not."""

    data = tokens(str.split, by_length)
    named = [{**data, "token_key": "one"}]
    ids = {
        name: rep_of(batches, tmp_path, name).ids.tolist()
        for name, batches in (("plain", [data]), ("named", named))
    }
    assert not set(ids["plain"]) & set(ids["named"])


def test_pixels_of_two_resolutions_are_refused(tmp_path) -> None:
    """The first 16 of 64 pixels are not the 16 pixels of a smaller map."""
    reps = []
    for name, size in (("large", 8), ("small", 4)):
        data, options = inputs(7, 3, size, size), {"out": tmp_path / name, "name": name}
        store = sim.extract(
            Conv(), data, layers=["conv"], reducer="positions", **options
        )
        reps.append(store.select()[0])
    assert reps[1].ids[:2].tolist() == ["0:0/4x4", "0:1/4x4"]
    for join in ("exact", "common"):
        with pytest.raises(InvalidInput, match="positions of different grids") as error:
            sim.compare(reps, "cka", join_ids=join)
        assert "join_ids" not in str(error.value)


def test_frames_with_a_mask_have_the_number_of_frames(tmp_path) -> None:
    """Numbers that are not token ids, such as audio, have no tokenizer."""
    mask = np.array([[1, 1, 0], [1, 1, 1]])
    store = sim.extract(nn.Sequential(nn.Linear(4, 2)), inputs(2, 3, 4), layers=["0"],
                        reducer="positions", mask=mask, out=tmp_path / "s")  # fmt: skip
    assert store.select()[0].ids.tolist() == ["0:0/2", "0:1/2"] + [
        f"1:{i}/3" for i in range(3)
    ]


def test_tokens_against_pooled_texts_say_why(tmp_path) -> None:
    data = tokens(*WAYS["words"])
    pooled = sim.extract(Tokens(), data, layers=["mix"], reducer="mean_tokens",
                         out=tmp_path / "p", name="p").select()[0]  # fmt: skip
    with pytest.raises(InvalidInput, match="one row per token") as error:
        sim.compare([rep_of(data, tmp_path, "t"), pooled], "cka")
    assert "join_ids" not in str(error.value)


def test_stored_tokens_are_not_extracted_again(tmp_path) -> None:
    calls = []
    model = Tokens()
    model.mix.register_forward_hook(lambda *args: calls.append(1))
    torch.manual_seed(0)
    options = {"layers": ["mix"], "reducer": "positions", "out": tmp_path / "s"}
    sim.extract(model, token_batch(), **options)
    stored = sim.store.open_store(tmp_path / "s").ids()
    calls.clear()
    sim.extract(model, token_batch(), **options)
    assert len(calls) == 2 + 3 + 1  # small passes, and the first batch
    assert sim.store.open_store(tmp_path / "s").ids() == stored
