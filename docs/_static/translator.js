// The translator that ships with npformer, in the browser: its forward pass and greedy decoding.
//
// Classes and parameters have the names that they have in npformer. One position is computed at a
// time: a vector is a Float64Array, and a sequence is an array of vectors. The folder is that of a
// run: config.json, weights.safetensors and two vocabularies.

const [PAD, UNK, , EOS] = [0, 1, 2, 3];
const WORD = /<unk>|[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]/gu;
const MAX_EXTRA_TOKENS = 50; // of a translation, beyond the number of its source's tokens

export class Translator {
  static async load(folder) {
    const read = async (name) => {
      const response = await fetch(`${folder}/${name}`);
      if (!response.ok) throw new Error(`${name}: ${response.status}`);
      return response;
    };
    const [config, source, target, weights] = await Promise.all([
      read("config.json").then((response) => response.json()),
      read("source_vocabulary.json").then((response) => response.json()),
      read("target_vocabulary.json").then((response) => response.json()),
      read("weights.safetensors").then((response) => response.arrayBuffer()),
    ]);
    const model = new Transformer(config.model, parametersOf(weights));
    return new Translator(model, new Vocabulary(source), new Vocabulary(target));
  }

  constructor(model, source, target) {
    this.model = model;
    this.source = source;
    this.target = target;
  }

  // Return the text of a translation, the words that were read and written, and how much each
  // written word attends to each read one: attention[layer][head][written][read].
  translate(sentence) {
    const read = this.source.words(sentence);
    read.push({ text: "<eos>", id: EOS, isKnown: true });
    const src = read.map(({ id }) => id);
    const decoder = this.model.startDecoder(this.model.encode(src));
    const limit = Math.min(src.length + MAX_EXTRA_TOKENS, this.model.config.max_len - 1);

    const ids = [];
    const crossWeights = []; // (T, layers, heads, S)
    let token = this.model.config.start_id;
    while (token !== EOS && ids.length < limit) {
      const { logits, weights } = this.model.step(decoder, token);
      logits[PAD] = -Infinity;
      token = indexOfLargest(logits);
      ids.push(token);
      crossWeights.push(weights);
    }

    const { n_decoder_layers: nLayers, n_heads: nHeads } = this.model.config;
    const attention = range(nLayers).map((layer) => {
      return range(nHeads).map((head) => crossWeights.map((weights) => weights[layer][head]));
    });
    const written = ids.map((id) => this.target.tokens[id]);
    return { text: this.target.decode(ids), read, written, attention };
  }
}

// Words and punctuation marks, each with its id.
export class Vocabulary {
  constructor({ tokens, lowercase }) {
    this.tokens = tokens;
    this.lowercase = lowercase;
    this.ids = new Map(tokens.map((token, id) => [token, id]));
  }

  // Return the words of a text as they were typed, each with its id.
  words(text) {
    const typed = text.trim().normalize("NFC");
    const folded = this.lowercase ? typed.toLowerCase().normalize("NFC") : typed;
    const words = folded.match(WORD) ?? [];
    let shown = typed.match(WORD) ?? [];
    if (shown.length !== words.length) shown = words; // "İ" has two characters in lower case
    return words.map((word, i) => {
      return { text: shown[i], id: this.ids.get(word) ?? UNK, isKnown: this.ids.has(word) };
    });
  }

  decode(ids) {
    const words = ids.filter((id) => id === UNK || id > EOS).map((id) => this.tokens[id]);
    return words.join(" ").replace(/ ([.,;:!?%)\]}])/g, "$1").replace(/([([{]) /g, "$1");
  }
}

// Figure 1 of the paper, with a LayerNorm after each residual connection.
class Transformer {
  constructor(config, parameters) {
    this.config = config;
    this.encoder = Object.values(parameters.encoder.layers);
    this.decoder = Object.values(parameters.decoder.layers);
    // one table is shared by both embeddings and the generator
    this.table = parameters.encoder.input_embedding.embedding.table;
  }

  // Return the memory: a vector for each source token.
  encode(src) {
    let xs = src.map((id, position) => this.embed(id, position));
    for (const { self_attention, feed_forward } of this.encoder) {
      const projected = project(self_attention.sublayer, xs);
      xs = xs.map((x) => {
        const attended = this.attend(self_attention.sublayer, x, projected).y;
        return this.feedForward(feed_forward, this.addNorm(self_attention, x, attended));
      });
    }
    return xs;
  }

  // Return what decoding keeps from step to step: keys and values of each layer.
  startDecoder(memory) {
    const layers = this.decoder.map(({ cross_attention }) => {
      return { past: { keys: [], values: [] }, memory: project(cross_attention.sublayer, memory) };
    });
    return { position: 0, layers };
  }

  // Read the next token; return the logits of the one after it, and the weights with which each
  // layer and head looked at the memory.
  step(state, token) {
    let x = this.embed(token, state.position);
    const weights = [];
    this.decoder.forEach(({ self_attention, cross_attention, feed_forward }, i) => {
      const { past, memory } = state.layers[i];
      // the past ends with this token, so no mask is needed
      const { keys, values } = project(self_attention.sublayer, [x]);
      past.keys.push(...keys);
      past.values.push(...values);
      x = this.addNorm(self_attention, x, this.attend(self_attention.sublayer, x, past).y);

      const crossed = this.attend(cross_attention.sublayer, x, memory);
      weights.push(crossed.weights);
      x = this.addNorm(cross_attention, x, crossed.y);
      x = this.feedForward(feed_forward, x);
    });
    state.position += 1;
    return { logits: this.generate(x), weights };
  }

  // table[id] * sqrt(d_model) + PE[position]
  embed(id, position) {
    const { d_model: size } = this.config;
    return Float64Array.from({ length: size }, (_, i) => {
      const angle = position / 10000 ** ((i - (i % 2)) / size);
      const wave = i % 2 ? Math.cos(angle) : Math.sin(angle);
      return this.table[id * size + i] * Math.sqrt(size) + wave;
    });
  }

  // softmax(q K^T / sqrt(d_k)) V for the query of each head, and the weights of each head
  attend({ w_query, w_output }, x, { keys, values }) {
    const query = linear(w_query, x);
    const size = query.length / this.config.n_heads;
    const heads = new Float64Array(query.length);
    const weights = range(this.config.n_heads).map((head) => {
      const start = head * size;
      const end = start + size;
      const q = query.subarray(start, end);
      const scores = keys.map((key) => dot(q, key.subarray(start, end)) / Math.sqrt(size));
      const weightsOfHead = softmax(scores);
      values.forEach((value, j) => {
        for (let i = start; i < end; i++) heads[i] += weightsOfHead[j] * value[i];
      });
      return weightsOfHead;
    });
    return { y: linear(w_output, heads), weights };
  }

  // max(0, x W_1 + b_1) W_2 + b_2, in its Add & Norm
  feedForward(layer, x) {
    const { linear_1, linear_2 } = layer.sublayer;
    const hidden = linear(linear_1, x).map((value) => Math.max(0, value));
    return this.addNorm(layer, x, linear(linear_2, hidden));
  }

  // LayerNorm(x + y)
  addNorm({ norm: { gain, bias } }, x, y) {
    const total = x.map((value, i) => value + y[i]);
    const mean = sum(total) / total.length;
    const centered = total.map((value) => value - mean);
    const variance = dot(centered, centered) / total.length;
    const rstd = 1 / Math.sqrt(variance + this.config.layer_norm_eps);
    return centered.map((value, i) => value * rstd * gain[i] + bias[i]);
  }

  // x table^T
  generate(x) {
    const rows = range(this.table.length / x.length);
    return rows.map((id) => dot(x, this.table.subarray(id * x.length, (id + 1) * x.length)));
  }
}

// The keys and values of some vectors, for all heads side by side.
function project({ w_key, w_value }, xs) {
  return { keys: xs.map((x) => linear(w_key, x)), values: xs.map((x) => linear(w_value, x)) };
}

// x W + b
function linear({ weight, bias }, x) {
  const y = Float64Array.from(bias);
  for (let row = 0; row < x.length; row++) {
    for (let i = 0; i < y.length; i++) y[i] += x[row] * weight[row * y.length + i];
  }
  return y;
}

function softmax(scores) {
  const peak = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - peak));
  const total = sum(exponentials);
  return exponentials.map((value) => value / total);
}

const range = (n) => Array.from({ length: n }, (_, i) => i);
const sum = (values) => values.reduce((total, value) => total + value, 0);
const indexOfLargest = (values) => values.indexOf(Math.max(...values));

function dot(a, b) {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += a[i] * b[i];
  return total;
}

// Return the parameters of a safetensors file, nested as their names: encoder.layers[0] ...
// Eight bytes tell how long the JSON is that says where each array is in the rest.
function parametersOf(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  delete header.__metadata__;
  const parameters = {};
  for (const [name, { data_offsets }] of Object.entries(header)) {
    const [start, end] = data_offsets;
    const path = name.split(".");
    const last = path.pop();
    let module = parameters;
    for (const part of path) module = module[part] ??= {};
    module[last] = new Float32Array(buffer, 8 + length + start, (end - start) / 4);
  }
  return parameters;
}
