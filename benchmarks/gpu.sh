#!/usr/bin/env bash
# npformer on an NVIDIA GPU, in a few minutes: the tests that compare NumPy with CuPy, two short trainings on both, and
# the time of a step beside PyTorch's. It needs  pip install -e ".[test,torch,cuda12]"  (or cuda13).
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONPATH=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nvidia-smi --query-gpu=name,driver_version --format=csv
echo "== tests"
pytest -q --numprocesses=1 -m gpu tests/backend

# without dropout, whose random numbers a GPU draws in its own way
for data in reverse phrasebook; do
    for backend in numpy cupy; do
        echo "== one epoch of $data with $backend"
        NPFORMER_BACKEND=$backend python -m npformer train "$data" --epochs 1 --dropout 0 --run "$work/$data-$backend"
    done
    python benchmarks/gpu.py losses "$work/$data-numpy" "$work/$data-cupy"
done

echo "== a training step"
python benchmarks/gpu.py steps
