# a language with a rule
assert len(reverse.held_out) == 500
assert {len(row.split()) for row in sources} == set(range(4, 11))
assert losses[0] > np.log(V) + 0.5
assert abs(np.mean(losses[25:45]) - frequent) < 0.08, np.mean(losses[25:45])
assert floor < np.mean(losses[-20:]) < floor + 0.03
assert share > 0.95, share

# the map
assert looked.written == ["9", "5", "1", "4", "1", "3", "<eos>"]
assert weights[:6].argmax(-1).tolist() == [5, 4, 3, 2, 1, 0]

# rows of twelve
lengths = [len(output.split()) for output in outputs_of_longer]
assert sum(n in (10, 11) for n in lengths) >= 180, lengths
reversed_rows = [row[::-1] for row in longer]
assert own_training.share_right(outputs_of_longer, reversed_rows) == 0

# German
examples = german.trainer.batches.examples
assert len(examples) == 20_000
source = german.vocabularies["source"].encode("I turn off the new radio every day.")
assert tuple(source) not in {tuple(example[0]) for example in examples}
assert german.model.n_parameters == 286_272
assert abs(own_training.floor_of(german) - 0.995) < 0.001
assert german_losses[49] < guesses[1] and german_losses[199] < guesses[2]
# rounding differs between processors, and with it the samples
assert "Radio" not in samples[50] and "Radio" not in samples[100]
assert samples[400].startswith("Ich schalte ") and samples[400].endswith(" aus.")

# question 2
of_epoch = german_losses[384:394]
assert abs(np.mean(of_epoch) - 1.39) < 0.05, np.mean(of_epoch)
_, [held_out_loss] = german.log.column("held_out_loss")
assert abs(held_out_loss - 0.40) < 0.05, held_out_loss
