// Which words of a sentence the model does not know. It reads them as the vocabulary of npformer does.

const WORD = /<unk>|[\p{L}\p{N}\p{M}_]+|[^\p{L}\p{N}\p{M}_\s]/gu;

export class Vocabulary {
  constructor({ tokens, lowercase }) {
    this.tokens = new Set(tokens);
    this.lowercase = lowercase;
  }

  // Return the pieces of a text, each with whether it is a word that is unknown.
  pieces(text) {
    const pieces = [];
    let end = 0;
    for (const match of text.matchAll(WORD)) {
      pieces.push({ text: text.slice(end, match.index), unknown: false });
      pieces.push({ text: match[0], unknown: !this.knows(match[0]) });
      end = match.index + match[0].length;
    }
    pieces.push({ text: text.slice(end), unknown: false });
    return pieces.filter((piece) => piece.text);
  }

  knows(word) {
    const composed = word.normalize("NFC");
    return this.tokens.has(this.lowercase ? composed.toLowerCase().normalize("NFC") : composed);
  }
}
