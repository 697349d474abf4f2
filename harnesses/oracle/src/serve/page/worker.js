// Answers questions with WebAssembly: bytes in, bytes out.
'use strict';

let lozenge = null;

fetch('lozenge.wasm')
  .then((response) => response.arrayBuffer())
  .then((bytes) => WebAssembly.instantiate(bytes, {}))
  .then(({ instance }) => {
    lozenge = instance.exports;
    postMessage({ ready: true });
  })
  .catch((error) => postMessage({ fault: `lozenge.wasm cannot be loaded: ${error}` }));

function answer(question) {
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const at = lozenge.question(bytes.length);
  if (at === 0) throw new Error('the text is too long');
  new Uint8Array(lozenge.memory.buffer, at, bytes.length).set(bytes);
  const length = lozenge.answer();
  const said = new Uint8Array(lozenge.memory.buffer, lozenge.answer_at(), length);
  return JSON.parse(new TextDecoder().decode(said));
}

onmessage = ({ data }) => {
  try {
    postMessage({ answer: answer(data) });
  } catch (error) {
    postMessage({ fault: `${error}. This is a fault of Lozenge, or the text is nested too deeply for a page` });
  }
};
