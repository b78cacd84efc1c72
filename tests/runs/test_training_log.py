import pytest

from npformer import InputError
from npformer.runs.training_log import TrainingLog
from npformer.training import StepRecord


@pytest.fixture
def log():
    log = TrainingLog()
    for step in range(1, 7):
        log.add(
            StepRecord(
                step, (step + 2) // 3, 0.1 + 0.2 / step, 1e-7 * step, 100 + step, step % 3 == 0
            ),
            seconds=step / 3,
        )
    log.rows[2]["held_out_loss"] = 1 / 3
    log.rows[5]["held_out_loss"] = 1e-300
    return log


@pytest.fixture
def file(log, tmp_path):
    (tmp_path / "log.csv").write_text(log.csv())
    return tmp_path / "log.csv"


def test_log_round_trip_is_exact(log, file):
    assert TrainingLog.load(file, until_step=6).rows == log.rows
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))  # as a spreadsheet writes it
    assert TrainingLog.load(file, until_step=6).rows == log.rows


def test_epoch_loss_is_mean_over_tokens(log):
    assert log.training_loss(1) == pytest.approx(
        (101 * 0.3 + 102 * 0.2 + 103 * (0.1 + 0.2 / 3)) / 306
    )


def test_log_file_is_plain_csv(file):
    lines = file.read_text().splitlines()
    assert lines[0] == "step,epoch,loss,learning_rate,tokens,seconds,held_out_loss"
    assert lines[1].startswith("1,1,0.30000000000000004,1e-07,101,0.333,")


@pytest.mark.parametrize("until_step", [0, 1, 4])
def test_rows_after_the_checkpoint_are_dropped(log, file, until_step):
    assert TrainingLog.load(file, until_step=until_step).rows == log.rows[:until_step]


def test_column_returns_steps_and_values(log):
    assert log.column("held_out_loss") == ([3, 6], [1 / 3, 1e-300])
    assert log.column("tokens") == ([1, 2, 3, 4, 5, 6], [101, 102, 103, 104, 105, 106])


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda text: text[: text.index("\n4,")] + "\n", "a row for each update from 1 to 6"),
        (lambda text: text.replace("\n3,", "\n8,"), "a row for each update from 1 to 6"),
        (lambda text: "", "a row for each update from 1 to 6"),
        (lambda text: text.replace("\n3,1,", "\n3,,"), "line 4 is not a row"),
        (lambda text: text.replace("\n3,1,", "\n3,one,"), "line 4 is not a row"),
        (lambda text: text.replace("loss", "lost", 1), "line 2 is not a row"),
        (lambda text: text.replace("\n4,2,", "\n4\r2,"), "line 5 is not a row"),
        (lambda text: text.replace("\n4,2,", '\n4,"2,'), "line 5 is not a row"),
        (
            lambda text: text.replace("\n2,1,", '\n2,"' + 200_000 * "1" + '",'),
            "line 3 is not a row",
        ),
        (lambda text: text[:-14], "line 7 is not a row"),
    ],
)
def test_damaged_log_is_reported(file, damage, expected):
    file.write_bytes(damage(file.read_text()).encode())
    with pytest.raises(InputError, match=expected) as caught:
        TrainingLog.load(file, until_step=6)
    assert str(caught.value).startswith(f"{file} is damaged: ") and "\n" not in str(caught.value)


def test_missing_log_is_named(tmp_path):
    with pytest.raises(InputError, match=r"missing\.csv does not exist"):
        TrainingLog.load(tmp_path / "missing.csv", until_step=1)


def test_log_that_ends_before_the_checkpoint_is_reported_without_filling_the_memory(file):
    with pytest.raises(InputError, match="expected a row for each update from 1 to 1000000000000"):
        TrainingLog.load(file, until_step=10**12)
