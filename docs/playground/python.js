// Python, which is loaded at the first request, and loaded anew after it was stopped.

export class Stopped extends Error {}

export class Python {
  // `addresses`: of Pyodide, of npformer and of the session; `say(text)`: shows how far the loading is.
  constructor(addresses, say) {
    this.addresses = addresses;
    this.say = say;
    this.worker = null;
    this.ready = null; // a promise, as soon as the loading began
    this.waiting = new Map();
    this.last = 0;
  }

  load() {
    this.ready ??= this.start();
    return this.ready;
  }

  // Return what a method of the session returns. Throws an Error with one line where it fails.
  async ask(method, ...values) {
    await this.load();
    return this.send({ request: JSON.stringify([method, values]) });
  }

  stop() {
    this.worker?.terminate();
    this.worker = null;
    this.ready = null;
    for (const { reject } of this.waiting.values()) reject(new Stopped());
    this.waiting.clear();
  }

  async start() {
    this.worker = new Worker(new URL("worker.js", import.meta.url));
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.hear({ id: this.last, answer: JSON.stringify({ error: event.message || "Python cannot be loaded" }) });
    try {
      await this.send({ settings: this.addresses });
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  send(message) {
    this.last += 1;
    this.worker.postMessage({ id: this.last, ...message });
    return new Promise((resolve, reject) => this.waiting.set(this.last, { resolve, reject }));
  }

  hear({ id, answer, progress }) {
    if (progress) {
      this.say(progress);
      return;
    }
    const { resolve, reject } = this.waiting.get(id) ?? {};
    this.waiting.delete(id);
    const { error, ...found } = JSON.parse(answer);
    if (error) reject?.(new Error(error));
    else resolve?.(found);
  }
}
