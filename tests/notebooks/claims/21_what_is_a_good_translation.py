from helpers.rounded import rounded_translator

# the four translations
sentence = ["I turn off the new radio every day."]
copies = [
    rounded_translator(4, cut=0.7, by_row=False),
    rounded_translator(4, by_row=False),
    rounded_translator(3, cut=0.9),
]
for copy, text in zip(copies, texts, strict=False):
    assert copy.translate(sentence, beam=1) == [text], text
assert matches[0].tolist() == [9, 8, 6, 4]
assert precisions[1, 0] == 1
assert [round(score, 1) for score in scores.values()] == [61.8, 76.7, 59.7, 48.5]

# the translator
n_right = sum(
    output == pair.target for output, pair in zip(bleu_of(translator)[1], held_out, strict=True)
)
assert n_right == 498, n_right
assert translator.translate(["The radio turns off the dog."], beam=1) == [
    "Das Radio schaltet den Hund aus."
]
assert translator.translate(["I love you."], beam=1) == ["Ich liebe du."]
assert translator.translate(["The old cake reads a book."], beam=1) == [
    "Die alten Kuchen liest ein Buch."
]
assert of_rounded[15] > 99 and abs(of_rounded[7] - 89.9) < 0.5, of_rounded
table = {
    "I open your door.": "Ich ich deine Tür auf.",
    "She is hungry.": "Sie ist hungrig ist hungrig.",
    "This doctor works on Fridays.": "Dieser Arzt arbeitet freitags sonntags.",
    "Does your nice sister eat bread?": "Sieht deine nette Schwester Brot?",
    "Your cat is clever.": "Deine Mutter ist klug.",
    "She cannot turn off the small radio.": "Sie kann das kleine Radio nicht einschalten.",
    "She does not want to call my friend.": "Sie will meinen Freund anrufen.",
}
for source, text in table.items():
    assert seven[sources.index(source)] == text, source
assert [round(score, 1) for score in of_three.values()] == [53.7, 70.7, 51.2], of_three

# the damages
assert len(damage.originals) == 258
assert min(bleu_of_damage, key=bleu_of_damage.get) == "order"
assert max(bleu_of_damage, key=bleu_of_damage.get) == "twice"
assert abs(bleu_of_damage["nicht"] - 73) < 1
assert abs(bleu_of_damage["umlaut"] - 71) < 1
assert abs(chrf_of_damage["nicht"] - 85) < 1
assert abs(chrf_of_damage["order"] - 85) < 1
long = [chr(ord("a") + i) for i in range(12)]
damaged = [
    [*long[:6], "X", *long[7:]],
    [*long[:6], *long[7:]],
    [*long[:5], long[6], long[5], *long[7:]],
    [*long[:6], long[5], *long[6:]],
]
counted = []
for words in damaged:
    n_matches, n_grams = count_matches(words, long, 4)
    counted.append(n_grams - n_matches)
assert counted == list(broken), counted

# the questions
for text, score in (("Ich schalte jeden Tag das", 44.9), ("Ich schalte jeden Tag das das", 46.1)):
    assert round(corpus_bleu([text.split()], [reference]), 1) == score
garden = "the girl sees a small dog in the garden .".split()
for place, word in ((4, "little"), (4, "huge"), (3, "no")):
    changed = [*garden[:place], word, *garden[place + 1 :]]
    assert round(corpus_bleu([changed], [garden]), 1) == 65.8
