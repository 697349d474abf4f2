// Questions go to WebAssembly in a worker, which is ended when it takes too long.
'use strict';

const PATIENCE = 5000;
let worker = null;
let before = Promise.resolve();

function answered(question) {
  worker ??= new Worker('worker.js');
  return new Promise((resolve) => {
    const ended = (verdict, says) => {
      worker.terminate();
      worker = null;
      resolve({ verdict, good: false, says, told: [], panes: [] });
    };
    const timer = setTimeout(() => ended('limit', `there was no answer within ${PATIENCE} ms`), PATIENCE);
    worker.onerror = () => {
      clearTimeout(timer);
      ended('internal', 'the worker has ended');
    };
    worker.onmessage = (event) => {
      clearTimeout(timer);
      if (event.data.answer) resolve(event.data.answer);
      else ended('internal', event.data.fault);
    };
    worker.postMessage(question);
  });
}

// One at a time; a question that nobody waits for any more is not asked.
function ask(question, signal) {
  const next = before.then(() => {
    signal.throwIfAborted();
    return answered(question);
  });
  before = next.catch(() => {});
  return next;
}
