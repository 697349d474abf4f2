// Questions go to the server that the page came from.
'use strict';

async function ask(question, signal) {
  const response = await fetch('try', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(question),
    signal,
  });
  return response.json();
}
