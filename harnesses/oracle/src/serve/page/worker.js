// Answers questions with WebAssembly: bytes in, bytes out.
'use strict';

const loaded = fetch('lozenge.wasm')
  .then((response) => response.arrayBuffer())
  .then((bytes) => WebAssembly.instantiate(bytes, {}))
  .then(({ instance }) => instance.exports);

onmessage = async ({ data }) => {
  try {
    const lozenge = await loaded;
    const bytes = new TextEncoder().encode(JSON.stringify(data));
    const at = lozenge.question(bytes.length);
    if (at === 0) throw new Error('the text is too long');
    new Uint8Array(lozenge.memory.buffer, at, bytes.length).set(bytes);
    const length = lozenge.answer();
    const answer = new Uint8Array(lozenge.memory.buffer, lozenge.answer_at(), length);
    postMessage({ answer: JSON.parse(new TextDecoder().decode(answer)) });
  } catch (error) {
    postMessage({ fault: `${error}. This is a fault of Lozenge, or the text is nested too deeply for a page` });
  }
};
