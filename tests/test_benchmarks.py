"""The opponents of tests/benchmarks/train_step.py compute what npformer does, and compile once."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')

BENCHMARKS = Path(__file__).parent / "benchmarks"
MINUTE = {"d_ff": 24, "n_heads": 2, "n_layers": 1, "vocab_size": 20, "sentences": 5, "shortest": 3, "longest": 7}
COMPILED = pytest.param("torch.compile", marks=pytest.mark.long)


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module
    for module in [*sys.modules.values()]:
        if Path(getattr(module, "__file__", None) or "/").parent == BENCHMARKS:
            del sys.modules[module.__name__]


@pytest.fixture
def size(benchmarks):
    return benchmarks("sizes").Size(16, **MINUTE)


def need(benchmarks, name):
    more = benchmarks("contestants").MORE
    if name in more and (missing := more[name].missing()):
        pytest.skip(missing)


@pytest.mark.parametrize("name", ["torch, same work", "jax", COMPILED, "bfloat16", "halves"])
def test_an_opponent_has_the_same_losses_and_gradients(benchmarks, size, name):
    need(benchmarks, name)
    losses, gradients = benchmarks("measure").in_fresh_process(benchmarks("agreement").differences, size, name)
    exact = name != "bfloat16"
    assert losses < (1e-5 if exact else 1e-2)
    assert gradients < (1e-4 if exact else 1e-1)
    assert exact or gradients > 1e-4  # another arithmetic


STEPS = """
import os, sys
from contestants import MORE
from sizes import Size

contestant, size = MORE[sys.argv[1]], Size(16, **eval(sys.argv[2]))
[batch, *others] = size.batches()
for dropout in (0.0, 0.5):
    made = contestant(size, dropout)
    losses = [made.step(*batch) for _ in range(8)]
    print(max(losses) - min(losses) > 0.03, made.compilations)
print(hasattr(os, "sched_setaffinity") and len(os.sched_getaffinity(0)))
"""


@pytest.mark.parametrize("name", ["jax", COMPILED])
def test_an_opponent_drops_out_and_compiles_once(benchmarks, name):
    need(benchmarks, name)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(BENCHMARKS), *sys.path])}
    command = [sys.executable, "-c", STEPS, name, repr(MINUTE)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *steps, cores = done.stdout.splitlines()
    assert steps == ["False 1", "True 1"]
    if name == "jax":  # which would take them all
        assert cores in ("1", "False")


def test_without_jax_a_line_says_what_to_install(benchmarks, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", {"torch": "there"}.get)
    with pytest.raises(SystemExit, match=r"^JAX is missing: run  pip install"):
        start(benchmarks, monkeypatch, "--with", "jax")


def test_without_a_compiler_a_line_says_so(benchmarks, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(SystemExit, match=r"^torch\.compile needs a C\+\+ compiler, and there is no no-such-compiler"):
        start(benchmarks, monkeypatch, "--with", "torch.compile")


def start(benchmarks, monkeypatch, *arguments):
    """Run train_step.py here, for as long as it needs to refuse."""
    for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "BLIS"):
        monkeypatch.setenv(f"{library}_NUM_THREADS", "1")  # to be put back
    monkeypatch.setattr(sys, "argv", ["train_step.py", *arguments])
    benchmarks("train_step").main()


def test_a_call_inside_another_is_not_counted_twice(benchmarks, monkeypatch):
    profile_step = benchmarks("profile_step")
    monkeypatch.setattr(profile_step.time, "perf_counter", iter(range(0, 100, 10)).__next__)
    watch = profile_step.Stopwatch()
    inner = watch.timed(lambda x, *, add: x + add, "inner", "forward")
    outer = watch.timed(lambda x: inner(x, add=1) + inner(x, add=2), "outer", "backward")
    assert outer(5) == 13  # at 0; inner from 10 to 20, and from 30 to 40; at 50
    assert watch.seconds == {("inner", "forward"): 20, ("outer", "backward"): 30}


def test_a_profile_has_a_time_for_every_layer_both_ways(benchmarks, size):
    seconds = benchmarks("profile_step").profile(size, 0.1, steps=2)
    layers = {"Linear", "LayerNorm", "SelfAttention", "CrossAttention", "ScaledDotProductAttention", "Generator"}
    assert {(layer, way) for layer in layers for way in ("forward", "backward")} < seconds.keys()
    assert {("Adam", "backward"), ("Rest", "forward")} < seconds.keys()
    assert min(seconds.values()) > 0


def test_products_of_padding_are_told_apart(benchmarks, size):
    assert 0.5 * size.flops() < size.flops_without_padding() < size.flops()
    full = benchmarks("sizes").Size(16, **{**MINUTE, "shortest": MINUTE["longest"]})
    assert full.flops_without_padding() == full.flops()


def test_the_flops_of_one_layer_by_hand(benchmarks):
    """Of 1 sentence of 1 token, all real; each weight counts 2, three times."""
    size = benchmarks("sizes").Size(4, d_ff=8, n_heads=1, n_layers=1, vocab_size=10, sentences=1, shortest=1, longest=1)
    encoder, decoder, generator = 4 * 16 + 2 * 4 + 2 * 32, 2 * (4 * 16 + 2 * 4) + 2 * 32, 40
    assert size.flops() == 6 * (encoder + decoder + generator)


@pytest.mark.parametrize(
    ("cpuinfo", "expected"),
    [
        (
            "cpu family\t: 6\nmodel\t\t: 207\nmodel name\t: Xeon\nflags\t\t: avx2 avx512f\n\nmodel\t: 1\n",
            "Xeon (family 6, model 207), AVX2, AVX-512, no AMX",
        ),
        (
            "cpu family\t: 25\nmodel\t\t: 1\nmodel name\t: EPYC\nflags\t\t: avx2 amx_tile\n",
            "EPYC (family 25, model 1), AVX2, no AVX-512, AMX",
        ),
        ("model name\t: Neoverse\nFeatures\t: asimd\n", "Neoverse"),
    ],
)
def test_the_processor_is_known_by_more_than_its_name(benchmarks, monkeypatch, tmp_path, cpuinfo, expected):
    processor = benchmarks("processor")
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "cpuinfo")
    processor.CPUINFO.write_text(cpuinfo)
    assert processor.processor() == expected
    assert processor.processor() in benchmarks("measure").machine(2)


def test_the_legend_names_the_opponents_asked_for(benchmarks, monkeypatch):
    report = benchmarks("report")
    monkeypatch.setattr(report, "has", {"AMX": True}.get)
    assert "fast where the processor has AMX, as here." in report.legend(["bfloat16"])
    assert "XLA" not in report.legend(["bfloat16"])
    assert "XLA" in report.legend(["jax"])
