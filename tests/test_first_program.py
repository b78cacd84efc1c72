"""README's program, with fewer pairs and epochs: the loss falls, and what is saved translates as before."""

import numpy as np

import npformer as npf


def test_first_program_learns_and_is_used_from_a_folder(tmp_path, command):
    rng = np.random.default_rng(0)
    lines = [" ".join(map(str, rng.integers(10, size=4))) for _ in range(200)]
    pairs = [(line, line[::-1]) for line in lines]

    source = npf.Vocabulary.build(source for source, _ in pairs)
    target = npf.Vocabulary.build(target for _, target in pairs)
    model = npf.Transformer.tiny(len(source), len(target), rng=0)
    loss = npf.LabelSmoothingLoss(eps=0.1)
    adam = npf.Adam(model.parameters(), npf.WarmupSchedule(d_model=64, warmup_steps=40))

    losses = []
    for batch in npf.batches(pairs, source, target, tokens=200, epochs=3, rng=0):
        logits = model(batch.src, batch.tgt_in)  # (B, T, V)
        losses.append(loss(logits, batch.tgt_out))
        model.backward(loss.backward())
        adam.step()
        adam.zero_grad()
    assert np.mean(losses[-3:]) < np.mean(losses[:3]) - 0.5

    translator = npf.Translator(model, source, target)
    translations = translator.translate(["1 2 3 4", "5 6"])
    npf.save(translator, tmp_path / "reverse")
    assert npf.load(tmp_path / "reverse").translate(["1 2 3 4", "5 6"]) == translations
    printed = command("translate", tmp_path / "reverse", "1 2 3 4", "5 6")
    assert (printed.status, printed.out.splitlines()) == (0, translations)
