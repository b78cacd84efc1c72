"""The benchmarks compare the same function on the same batches."""

import importlib
import subprocess
import sys
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("torch", reason='PyTorch is missing: pip install -e ".[torch]"')

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SMALL = dict(d_ff=24, n_heads=2, n_layers=1, vocab_size=20, sentences=5, shortest=3, longest=7)


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module
    for module in [*sys.modules.values()]:
        if Path(getattr(module, "__file__", None) or "/").parent == BENCHMARKS:
            del sys.modules[module.__name__]


@pytest.fixture
def size(benchmarks):
    return benchmarks("sizes").Size(16, **SMALL)


def test_npformer_and_torch_losses_and_gradients_agree(benchmarks, size):
    losses, gradients = benchmarks("measure").in_fresh_process(
        benchmarks("agreement").differences, size
    )
    assert losses < 1e-5
    assert gradients < 1e-4


def test_batches_are_sorted_by_length_unless_padded(benchmarks):
    sorted_, padded = (
        benchmarks("sizes").Size(16, **SMALL | {"sentences": 40}, padded=padded)
        for padded in (0, 1)
    )
    assert sorted_.padding() < 0.1 < padded.padding()
    for src, tgt_in, tgt_out in [*sorted_.batches(), *padded.batches()]:
        assert tgt_in.shape == tgt_out.shape and len(src) == len(tgt_in)
        assert (tgt_in[:, 1:] == tgt_out[:, :-1]).sum() >= (tgt_in[:, 1:] > 0).sum()


def test_nested_calls_are_not_counted_twice(benchmarks, monkeypatch):
    profile_step = benchmarks("profile_step")
    monkeypatch.setattr(profile_step.time, "perf_counter", iter(range(0, 100, 10)).__next__)
    watch = profile_step.Stopwatch()
    inner = watch.timed(lambda x, *, add: x + add, "inner", "forward")
    outer = watch.timed(lambda x: inner(x, add=1) + inner(x, add=2), "outer", "backward")
    assert outer(5) == 13  # at 0; inner from 10 to 20, and from 30 to 40; at 50
    assert watch.seconds == {("inner", "forward"): 20, ("outer", "backward"): 30}


def test_profile_has_forward_and_backward_times_per_layer(benchmarks, size):
    seconds = benchmarks("profile_step").profile(size, 0.1, steps=2)
    layers = {
        "Linear",
        "LayerNorm",
        "SelfAttention",
        "CrossAttention",
        "ScaledDotProductAttention",
        "Generator",
    }
    assert {(layer, way) for layer in layers for way in ("forward", "backward")} < seconds.keys()
    assert {("Adam", "backward"), ("Rest", "forward")} < seconds.keys()
    assert min(seconds.values()) > 0


def test_pytorchs_operators_have_the_kinds_of_npformers_classes(benchmarks, size):
    """Each kind takes time in both, so no operator has another name than expected."""
    profile_step = benchmarks("profile_step")
    seconds = profile_step.in_fresh_process(profile_step.profile_torch, size, 0.1, 2)
    assert min(profile_step.by_kind(seconds).values()) > 0
    classes = {name: value for (name, _), value in profile_step.profile(size, 0.1, steps=2).items()}
    assert min(profile_step.by_kind(classes).values()) > 0


def test_flops_of_one_layer_equal_hand_calculation(benchmarks):
    """Of 1 sentence of 1 token, all real; each weight counts 2, three times."""
    sizes = dict(d_ff=8, n_heads=1, n_layers=1, vocab_size=10, sentences=1, shortest=1, longest=1)
    size = benchmarks("sizes").Size(4, **sizes)
    encoder, decoder, generator = 4 * 16 + 2 * 4 + 2 * 32, 2 * (4 * 16 + 2 * 4) + 2 * 32, 40
    assert size.flops_of(1, 1, 1) == 6 * (encoder + decoder + generator)


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
def test_processor_description(benchmarks, monkeypatch, tmp_path, cpuinfo, expected):
    processor = benchmarks("processor")
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "cpuinfo")
    processor.CPUINFO.write_text(cpuinfo)
    assert processor.processor() == expected
    assert processor.processor() in benchmarks("measure").machine(2)


@pytest.mark.filterwarnings("ignore:.*So texts are ids:UserWarning")
def test_gpt2_tokens_are_those_of_transformers(benchmarks, tmp_path):
    pytest.importorskip("transformers", reason='needs pip install -e ".[benchmarks]"')
    gpt2_tokens = benchmarks("gpt2_tokens")
    gpt2_tokens.write_model("tiny", tmp_path)
    found = []
    for name in gpt2_tokens.CONTESTANTS:
        gpt2_tokens.prepare(name, tmp_path)
        tokens, first, others = gpt2_tokens.turn(name, [50, 0, 17], 6)
        assert len(tokens) == 6 and first > 0 and others > 0
        found.append(tokens)
    assert found[0] == found[1]


def written(engine):
    """Return the ids that an engine writes, by beam."""
    return {beam: engine.ids(engine.translate(beam)) for beam in engine.beams}


@pytest.mark.parametrize("name", ["NNTransformer", "Marian", "CTranslate2"])
def test_every_engine_translates_as_npformer_does(benchmarks, name, tmp_path):
    library = {"NNTransformer": "torch", "Marian": "transformers", "CTranslate2": "ctranslate2"}
    if find_spec(library[name]) is None:
        pytest.skip('needs pip install -e ".[benchmarks]"')
    engines, turns = benchmarks("translate_engines"), benchmarks("translate_turns")
    size = engines.task_size(3, benchmarks("sizes").Size(16, **SMALL))
    task = engines.Task(size, threads=1, ctranslate2=str(tmp_path))
    if name == "CTranslate2":
        turns.in_fresh_process(turns.save_ctranslate2, size, task.ctranslate2)
        options = {"mkl": False, "batch": 3}
        theirs = turns.Contestant(name, engines.CTranslate2, task, **options).ids
    else:  # this process has torch already
        theirs = written(getattr(engines, name)(task))
    ours = written(engines.NPFormer(task))
    assert ours[1] == theirs[1]
    for beam in theirs:
        assert [len(ids) for ids in ours[beam]] == [engines.NEW_TOKENS] * 3


def test_steps_on_a_device_are_timed_beside_torch(benchmarks, size, capsys):
    gpu = benchmarks("gpu")
    gpu.STEPS, gpu.TURNS = 1, 1
    gpu.compare_steps([size], "cpu")
    row = capsys.readouterr().out.splitlines()[-1]
    cells = [cell.strip().removesuffix(" ms") for cell in row.strip("|").split("|")]
    assert cells[0] == "16" and all(float(cell) > 0 for cell in cells[1:])


@pytest.mark.parametrize(
    ("other", "status"),
    [("1.0,2.02", None), ("1.0,2.2", "differ by more"), ("1.0,nan", "differ by more")],
)
def test_losses_of_two_devices_are_compared(benchmarks, tmp_path, other, status):
    for name, values in {"one": "1.0,2.0", "other": other}.items():
        (tmp_path / name).mkdir()
        text = "step,loss\n"
        for value in values.split(","):
            text += f"1,{value}\n"
        (tmp_path / name / "log.csv").write_text(text)
    gpu = benchmarks("gpu")
    if status is None:
        gpu.compare_losses(tmp_path / "one", tmp_path / "other")
    else:
        with pytest.raises(SystemExit, match=status):
            gpu.compare_losses(tmp_path / "one", tmp_path / "other")


def test_scores_are_read_from_what_evaluate_prints(benchmarks):
    output = (
        "sentences     1000, 2 left out (no source, or too long)\n"
        "BLEU          40.80   on text   nrefs:1|case:mixed\n"
        "BLEU          41.28   on Moses tokens (de), lower case   nrefs:1\n"
        "loss          1.5892  nats per token, perplexity 4.900\n"
        "bits          none: 12 of 500 tokens (2.4%) are unknown, read as <unk>\n"
        "equal length  99.9% of the answers are as long as their source\n"
    )
    expected = {
        "BLEU on text": 40.8,
        "BLEU on Moses tokens (de), lower case": 41.28,
        "loss": 1.5892,
        "equal length": 99.9,
    }
    assert benchmarks("results").scores_of(output, expected) == expected


def test_results_are_those_of_the_commands_that_are_shown(benchmarks):
    results = benchmarks("results")
    assert results.EXPERIMENTS["multi30k_de_en"].commands("multi30k_de_en", 1) == (
        "npformer train multi30k --direction de-en --seed 1 --run runs/multi30k_de_en-1",
        "npformer evaluate runs/multi30k_de_en-1 --beam 5 --alpha 1.4",
    )


def test_missing_seeds_are_run_and_their_table_is_written(benchmarks, monkeypatch, tmp_path):
    results = benchmarks("results")
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results.json")
    made = []

    def run(name, seed, *, shared):
        made.append((name, seed))
        scores = {"accuracy": 80.0 + seed}
        origin = {
            "minutes": None if shared else 1.5,
            "processor": "P",
            "date": "2000-01-01",
            "version": "1",
        }
        return {"experiment": name, "seed": seed, "scores": scores, **origin}

    monkeypatch.setattr(results, "run", run)
    monkeypatch.setattr(sys, "argv", ["results.py", "run", "trec"])
    results.main()
    results.main()
    assert made == [("trec", 0), ("trec", 1), ("trec", 2)]
    [row] = results.full_table(results.read_results()).splitlines()[2:]
    assert row.endswith(
        "| accuracy, % | 80.0, 81.0, 82.0 | 81 ± 1 | 1.5, 1.5, 1.5 | P, 2000-01-01, 1 |"
    )
    table = results.short_table(results.read_results())
    assert "accuracy, %: 81 ± 1 (mean of seeds 0, 1, 2)" in table
    assert "`npformer train trec --seed S --run runs/trec-S`" in table

    monkeypatch.setattr(sys, "argv", ["results.py", "run", "mistakes", "--shared"])
    results.main()
    assert "| -, -, - | P, 2000-01-01, 1 |" in results.full_table(results.read_results())

    page = tmp_path / "page.md"
    page.write_text(f"before\n{results.BEGIN}\nold\n{results.END}\nafter")
    assert results.with_table(page, "new") == page.read_text().replace("old", "new")


def test_pages_have_the_tables_of_the_results(benchmarks):
    results = benchmarks("results")
    for page, text in results.pages(results.read_results()).items():
        assert page.read_text(encoding="utf-8") == text, "run  python benchmarks/results.py tables"


def test_minutes_of_a_result_are_those_of_all_sittings_of_its_run(benchmarks, tmp_path):
    rows = "step,epoch,seconds\n1,1,30.0\n2,1,150.25\n"
    (tmp_path / "log.csv").write_text(rows)
    assert benchmarks("results").minutes_of(tmp_path) == 2.5


def test_growth_of_cost_has_an_exponent_per_contestant(benchmarks, monkeypatch, size, tmp_path):
    growth = benchmarks("growth")
    monkeypatch.setattr(growth, "CONTESTANTS", {"npformer, tiled": ("tiled", "o-")})
    sizes = {n: replace(size, shortest=n, longest=n) for n in (4, 6, 8)}
    costs = {"length": growth.measure(sizes, turns=1, seconds_of_turn=0)}
    [row] = growth.markdown(costs).splitlines()[2:]
    assert row.startswith("| length | 8 | tiled | ^")
    growth.draw(costs, tmp_path / "growth.svg")
    assert "<svg" in (tmp_path / "growth.svg").read_text()


def test_peers_have_a_time_and_a_processor_time(benchmarks, monkeypatch, size):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    peers = benchmarks("peers")
    names = ["npformer", "npformer, 1 worker"]
    costs = peers.measure(size, names, turns=1, seconds=0.2)
    two, one = peers.rows(16, costs)
    assert two.startswith("| 16 | npformer, two workers | ")
    assert one.startswith("| 16 | npformer, one worker | ")
    ratios = []
    for row in (two, one):
        _, _, time, multiple, processor_time, of_processor = row.strip("| ").split(" | ")
        assert float(time.removesuffix(" ms")) > 0 and float(processor_time.removesuffix(" ms")) > 0
        ratios.append((float(multiple), float(of_processor)))
    assert ratios[0] == (1, 1) and min(ratios[1]) > 0


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system has no /proc")
def test_processor_time_counts_children_that_live(benchmarks):
    measure = benchmarks("measure")

    def of_children():
        return measure.processor_time() - time.process_time()

    before = of_children()
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as child:
        end = time.monotonic() + 60
        while of_children() < before + 0.3 and time.monotonic() < end:
            time.sleep(0.05)
        counted = of_children() - before
        child.kill()
    assert counted >= 0.3


def test_peers_have_to_lower_their_loss(benchmarks, monkeypatch, size, capsys):
    peers = benchmarks("peers")
    peers.check_training("npformer, 1 worker", size)
    assert "npformer, one worker: loss " in capsys.readouterr().err
    monkeypatch.setattr(peers, "in_fresh_process", lambda *_: [3.0, 3.0])
    with pytest.raises(SystemExit, match="npformer, one worker does not lower its loss"):
        peers.check_training("npformer, 1 worker", size)


def test_peers_refuses_a_folder_without_the_program(tmp_path):
    command = [sys.executable, BENCHMARKS / "peers.py", "--numpy-transformer", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True)
    [line] = done.stderr.splitlines()
    assert done.returncode == 2
    assert line.startswith(f"{tmp_path} is not a clone of AkiRusProd/numpy-transformer")


def test_peers_refuses_another_version_and_a_missing_numba(benchmarks, monkeypatch, tmp_path):
    contestants_peer = benchmarks("contestants_peer")
    encoder = tmp_path / "transformer" / "modules" / "encoder.py"
    encoder.parent.mkdir(parents=True)
    encoder.write_text("class Encoder: ...")
    commit = contestants_peer.COMMIT
    assert contestants_peer.problem_of(tmp_path).endswith(
        f"computes in float64: check out {commit}"
    )
    assert commit in (BENCHMARKS.parent / "docs" / "explanation" / "speed.md").read_text()

    encoder.write_text("class Encoder: data_type = None")
    monkeypatch.setattr(contestants_peer.importlib.util, "find_spec", lambda name: None)
    assert "run  pip install numba" in contestants_peer.problem_of(tmp_path)
