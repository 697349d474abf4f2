// Questions go to WebAssembly in a worker, which is ended when it takes too long.
'use strict';

// Milliseconds for an answer.
let patience = 5000;
let worker = null;
let before = Promise.resolve();

// A worker that has loaded what it needs. How long that takes says nothing about a question.
function ready() {
  worker ??= new Promise((resolve, reject) => {
    const it = new Worker('worker.js');
    it.onerror = () => reject(new Error('the worker does not start'));
    it.onmessage = ({ data }) => (data.ready ? resolve(it) : reject(new Error(data.fault)));
  });
  worker.catch(() => { worker = null; });
  return worker;
}

async function answered(question) {
  const it = await ready();
  return new Promise((resolve) => {
    const ended = (verdict, says) => {
      clearTimeout(timer);
      it.terminate();
      worker = null;
      resolve({ verdict, good: false, says, told: [], panes: [] });
    };
    const timer = setTimeout(() => ended('limit', `there was no answer within ${patience} ms`), patience);
    it.onerror = () => ended('internal', 'the worker has ended');
    it.onmessage = ({ data }) => {
      if (!data.answer) return ended('internal', data.fault);
      clearTimeout(timer);
      return resolve(data.answer);
    };
    it.postMessage(question);
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
