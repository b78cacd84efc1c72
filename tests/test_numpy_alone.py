"""Training in memory and translating need NumPy alone; completion by Tab knows all public names."""

import subprocess
import sys

import npformer as npf

# the libraries of the other requirements cannot be imported
PROGRAM = """
import sys

for name in "matplotlib PIL tqdm safetensors sacrebleu threadpoolctl pooch".split():
    sys.modules[name] = None

import npformer as npf

pairs = [("1 2 3", "3 2 1"), ("4 5", "5 4")]
source = npf.Vocabulary.build(source for source, _ in pairs)
target = npf.Vocabulary.build(target for _, target in pairs)
model = npf.Transformer.tiny(len(source), len(target), rng=0)
loss = npf.LabelSmoothingLoss(eps=0.1)
adam = npf.Adam(model.parameters(), npf.WarmupSchedule(d_model=64, warmup_steps=20))
for batch in npf.batches(pairs, source, target, tokens=100, epochs=200, rng=0):
    value = loss(model(batch.src, batch.tgt_in), batch.tgt_out)
    model.backward(loss.backward())
    adam.step()
    adam.zero_grad()
print(npf.Translator(model, source, target).translate(["1 2 3", "4 5"]))
"""


def test_training_in_memory_and_translating_need_numpy_alone():
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "['3 2 1', '5 4']\n"


def test_tab_completion_has_every_public_name():
    loaded_later = {"gradcheck", "Adam", "batches", "layers", "training", "visualization"}
    assert {*npf.__all__, *loaded_later} <= {*dir(npf)}
