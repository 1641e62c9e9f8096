"""Language models of local folders: words, logits, long texts, quantized folders."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import similitude as sim
from shared.language_models import TEXTS, write_bert, write_gpt
from similitude import InvalidInput
from similitude.networks.extraction import LanguageModel

pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("language")
    write_bert(folder / "bert")
    write_gpt(folder / "gpt")
    write_gpt(folder / "large_gpt", size=320, seed=1)
    return folder


def extracted(folder: Path, layer: str, out: Path, **options):
    data = options.pop("data", list(TEXTS))
    model = options.pop("model", None) or LanguageModel(folder)
    store = sim.extract(model, data, layers=[layer], out=out, name=folder.name,
                        **options)  # fmt: skip
    return store.select()[-1]


LAYERS = {"bert": "encoder.layer.1", "gpt": "h.1", "large_gpt": "transformer.h.1"}


def test_words_are_the_same_rows_for_all_tokenizers(folders, tmp_path) -> None:
    reps = [
        extracted(folders / name, layer, tmp_path / name, reducer="words", batch_size=3)
        for name, layer in LAYERS.items()
    ]
    words = [(i, word) for i, text in enumerate(TEXTS) for word in text.split()]
    for rep in reps:
        assert rep.ids.tolist() == reps[0].ids.tolist()
        assert rep.blocks.tolist() == [i for i, _ in words]
        spans = [name.split(":")[1].split("-") for name in rep.ids.tolist()]
        cut = [TEXTS[i][int(a) : int(b)] for (a, b), (i, _) in
               zip(spans, words, strict=True)]  # fmt: skip
        assert cut == [word for _, word in words]
    found = sim.compare(reps, "cka", permutations=0)
    assert len(found.rows) == 3


@pytest.mark.parametrize("name", LAYERS)
def test_a_word_is_the_mean_of_its_tokens(folders, tmp_path, name) -> None:
    """Checked token by token with the tokenizer; special tokens are dropped."""
    model = LanguageModel(folders / name)
    rep = extracted(folders / name, LAYERS[name], tmp_path / "s", model=model,
                    reducer="words")  # fmt: skip
    values, row = rep.load(), 0
    kept = []
    layer = dict(model.module.named_modules())[model.layers()[1][LAYERS[name]]]
    layer.register_forward_hook(lambda module, given, output: kept.append(output))
    model.module.eval()
    for text in TEXTS:
        found = model.tokenizer([text], return_tensors="pt",
                                return_offsets_mapping=True)  # fmt: skip
        offsets = found.pop("offset_mapping")[0].tolist()
        kept.clear()
        with torch.inference_mode():
            model.module(**found)
        tokens = kept[0][0] if isinstance(kept[0], tuple) else kept[0]
        tokens = tokens.reshape(-1, tokens.shape[-1]).numpy()
        start = 0
        for word in text.split():
            start = text.index(word, start)
            inside = [k for k, (a, b) in enumerate(offsets)
                      if a < start + len(word) and b > start and b > a]  # fmt: skip
            expected = tokens[inside].mean(axis=0)
            np.testing.assert_allclose(values[row], expected, atol=1e-5)
            start, row = start + len(word), row + 1
    assert row == rep.n


def test_the_same_tokenizer_twice_is_the_identity(folders) -> None:
    model = LanguageModel(folders / "gpt")
    found = sim.compare_models({"a": model, "b": LanguageModel(folders / "gpt")},
                               list(TEXTS), layers=["h.1"], reducer="words",
                               measures=["procrustes"], progress=None)  # fmt: skip
    assert found.rows[0].score < 1e-6


def test_words_of_two_tokenizers_in_one_pass(folders) -> None:
    models = {name: LanguageModel(folders / name) for name in ("bert", "gpt")}
    layers = {"bert": [r"re:encoder\.layer\.\d"], "gpt": [r"re:h\.\d"]}
    found = sim.compare_models(models, list(TEXTS), layers=layers, reducer="words",
                               untrained=True, progress=None)  # fmt: skip
    assert len(found.rows) == 4
    assert {row.n for row in found.rows} == {sum(len(t.split()) for t in TEXTS)}
    assert all("untrained" in row.baselines for row in found.rows)
    with pytest.raises(InvalidInput, match="do not have the same rows"):
        sim.compare_models(models, list(TEXTS), layers=layers, reducer="positions")


def test_logits_and_hidden_states_in_one_pass(folders, tmp_path) -> None:
    """The layer before the final norm, after it, and the logits."""
    model = LanguageModel(folders / "gpt")
    layers = ["h.1", "ln_f", "lm_head"]
    store = sim.extract(model, list(TEXTS), layers=layers, reducer="last_token",
                        out=tmp_path / "s")  # fmt: skip
    found = {rep.layer: rep.load() for rep in store.select()}
    assert {k: v.shape[1] for k, v in found.items()} == {
        "transformer.h.1": 16, "transformer.ln_f": 16,
        "lm_head": len(model.tokenizer)}  # fmt: skip
    with torch.inference_mode():
        one = model.module(**model.tokenizer([TEXTS[0]], return_tensors="pt"))
    np.testing.assert_allclose(found["lm_head"][0], one.logits[0, -1], atol=1e-5)
    assert np.abs(found["transformer.h.1"] - found["transformer.ln_f"]).max() > 0.01


def test_long_texts_are_an_error_or_cut(folders, tmp_path) -> None:
    texts = ["a red fox", "sea " * 200]
    with pytest.raises(InvalidInput) as error:
        extracted(folders / "gpt", "h.1", tmp_path / "s", data=texts, reducer="words")
    assert "tokens, but gpt takes 64: 'sea sea" in str(error.value)
    assert "truncate=True" in str(error.value)
    model = LanguageModel(folders / "gpt", truncate=True)
    rep = extracted(folders / "gpt", "h.1", tmp_path / "s", data=texts, model=model,
                    reducer="words")  # fmt: skip
    counts = np.unique(rep.blocks, return_counts=True)[1]
    assert counts[0] == 3
    assert 10 < counts[1] <= 64


def test_quantized_folders_are_refused_in_one_sentence(folders, tmp_path) -> None:
    config = json.loads((folders / "gpt" / "config.json").read_text())
    config["quantization_config"] = {"quant_method": "bitsandbytes"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(InvalidInput) as error:
        LanguageModel(tmp_path)
    assert "is quantized (bitsandbytes), which needs a GPU" in str(error.value)
    for text, words in (("{", "is damaged"), ("[]", "is not a configuration")):
        (tmp_path / "config.json").write_text(text)
        with pytest.raises(InvalidInput, match=words):
            LanguageModel(tmp_path)
    with pytest.raises(InvalidInput, match=r"config\.json is missing"):
        LanguageModel(tmp_path / "nothing")
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(InvalidInput, match="the model cannot be loaded"):
        LanguageModel(tmp_path)


def test_untrained_twins_have_other_weights(folders) -> None:
    model = LanguageModel(folders / "gpt")
    twins = [model.fresh(seed).fingerprint() for seed in (1, 1, 2)]
    assert twins[0] == twins[1] != twins[2]
    assert model.fingerprint() not in twins


def test_words_need_texts_and_offsets(folders, tmp_path) -> None:
    model = LanguageModel(folders / "gpt")
    tokens = dict(model.tokenizer(list(TEXTS), padding=True, return_tensors="pt"))
    with pytest.raises(
        InvalidInput, match="words does not fit, because it needs texts"
    ):
        sim.extract(model, tokens, layers=["h.1"], reducer="words", out=tmp_path / "s")
    options = {"padding": True, "return_tensors": "pt", "return_offsets_mapping": True}
    given = {**model.tokenizer(list(TEXTS), **options), "texts": list(TEXTS)}
    store = sim.extract(model.module, [given], layers=["transformer.h.1"],
                        reducer="words", out=tmp_path / "s")  # fmt: skip
    assert store.select()[0].n == sum(len(text.split()) for text in TEXTS)
