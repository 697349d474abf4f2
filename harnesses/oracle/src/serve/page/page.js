// What is typed is asked about after a short pause; an answer to an older text is thrown away.
'use strict';

const PAUSE = 120;
const at = (id) => document.getElementById(id);
const [text, marks, kind, leaves, menu] = ['text', 'marks', 'kind', 'leaves', 'examples'].map(at);
let wanted = 'shapes';
let running = null;
let timer = 0;

const START = 'input x : 64 | 28, 28\nparam w : ... -> 10\n\nlet y = w * x\n';

function element(name, properties = {}, ...children) {
  const it = Object.assign(document.createElement(name), properties);
  it.append(...children);
  return it;
}

// The text again, invisible, with marks under what is told.
function underline(told) {
  const source = text.value;
  const places = told.flatMap((note) => note.marks.map(([start, end], i) => ({
    start, end: Math.max(end, start + 1), bad: i === 0 && note.severity === 'error',
  }))).sort((a, b) => a.start - b.start || b.end - a.end);
  marks.textContent = '';
  let done = 0;
  for (const { start, end, bad } of places) {
    if (start < done) continue;
    marks.append(source.slice(done, start), element('mark', { className: bad ? 'error' : '' }, source.slice(start, end)));
    done = end;
  }
  marks.append(source.slice(done) + '\n');
  follow();
}

function follow() {
  marks.scrollTop = text.scrollTop;
  marks.scrollLeft = text.scrollLeft;
}

function note(it) {
  const box = element('div', { className: `note ${it.severity}` });
  const words = element('pre');
  words.innerHTML = it.html; // Made and escaped by Lozenge.
  box.append(words);
  if (it.marks.length > 0) {
    const [start, end] = it.marks[0];
    const show = element('button', { type: 'button', className: 'show' }, 'Show the place');
    show.onclick = () => { text.focus(); text.setSelectionRange(start, end); };
    box.append(show);
  }
  for (const fix of it.fixes) {
    const button = element('button', { type: 'button', className: 'fix' }, `Change it: ${fix.says}`);
    button.onclick = () => { text.value = fix.text; changed(0); };
    box.append(button);
  }
  return box;
}

function choose(panes, id) {
  const pane = panes.find((it) => it.id === id) ?? panes[0];
  at('tabs').querySelectorAll('button').forEach((tab) => {
    const chosen = tab.dataset.id === pane?.id;
    tab.setAttribute('aria-selected', chosen);
    tab.tabIndex = chosen ? 0 : -1;
  });
  at('command').textContent = pane ? `In a terminal: ${pane.command}` : '';
  at('pane').innerHTML = pane ? pane.html : ''; // Made and escaped by Lozenge.
}

function show(answer) {
  const verdict = at('verdict');
  verdict.textContent = '';
  verdict.append(element('span', { className: answer.good ? 'good' : 'bad' }, answer.verdict), `: ${answer.says}`);
  at('told').replaceChildren(...answer.told.map(note));
  const tabs = answer.panes.map((pane) => {
    const tab = element('button', { type: 'button' }, pane.title);
    tab.setAttribute('role', 'tab');
    tab.dataset.id = pane.id;
    tab.onclick = () => { wanted = pane.id; choose(answer.panes, wanted); };
    return tab;
  });
  at('tabs').replaceChildren(...tabs);
  choose(answer.panes, wanted);
  underline(answer.told);
}

// Left and right go through the tabs, as people who do not use a mouse expect.
at('tabs').addEventListener('keydown', (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const tabs = [...at('tabs').querySelectorAll('button')];
  const now = tabs.indexOf(document.activeElement);
  if (!step || now < 0) return;
  const next = tabs[(now + step + tabs.length) % tabs.length];
  next.focus();
  next.click();
});

// The address is the link that carries the text, so places in a pane are shown without it.
at('pane').addEventListener('click', (event) => {
  const to = event.target.closest('a[href^="#"]');
  if (!to) return;
  event.preventDefault();
  document.getElementById(to.getAttribute('href').slice(1))?.scrollIntoView({ block: 'center' });
});

async function answerNow() {
  running?.abort();
  const mine = running = new AbortController();
  const names = leaves.value.split(/[\s,]+/).filter((name) => name);
  const question = { kind: kind.value, text: text.value, leaves: kind.value === 'program' ? [] : names };
  document.body.classList.add('busy');
  try {
    const answer = await ask(question, mine.signal);
    if (running === mine) show(answer);
  } catch (error) {
    if (running === mine) {
      show({ verdict: 'error', good: false, says: `no answer: ${error.message}`, told: [], panes: [] });
    }
  } finally {
    if (running === mine) document.body.classList.remove('busy');
  }
}

// The link carries the text: nothing is stored anywhere else.
function address() {
  const carried = new URLSearchParams({ kind: kind.value, text: text.value });
  if (kind.value === 'constraints' && leaves.value.trim()) carried.set('leaves', leaves.value);
  return `#${carried}`;
}

function changed(pause = PAUSE) {
  at('leaves-label').hidden = kind.value !== 'constraints';
  at('copied').textContent = '';
  underline([]);
  clearTimeout(timer);
  timer = setTimeout(() => {
    history.replaceState(null, '', address());
    answerNow();
  }, pause);
}

function load(it) {
  kind.value = it.kind === 'constraints' ? 'constraints' : 'program';
  text.value = it.text;
  leaves.value = (it.leaves ?? []).join(' ');
  wanted = kind.value === 'program' ? 'shapes' : 'derivation';
  text.scrollTop = 0;
  changed(0);
}

function fromLink() {
  const carried = new URLSearchParams(location.hash.slice(1));
  if (!carried.has('text')) return false;
  load({ kind: carried.get('kind'), text: carried.get('text'), leaves: (carried.get('leaves') ?? '').split(' ') });
  return true;
}

for (const group of new Set(EXAMPLES.map((it) => it.group))) {
  const options = EXAMPLES.map((it, i) => [it, i]).filter(([it]) => it.group === group);
  const entries = options.map(([it, i]) => element('option', { value: i }, it.title));
  menu.append(element('optgroup', { label: group }, ...entries));
}
menu.onchange = () => { if (menu.value !== '') load(EXAMPLES[menu.value]); };
text.addEventListener('input', () => changed());
text.addEventListener('scroll', follow);
leaves.addEventListener('input', () => changed());
kind.onchange = () => changed(0);
at('link').onclick = async () => {
  history.replaceState(null, '', address());
  try {
    await navigator.clipboard.writeText(location.href);
    at('copied').textContent = 'copied';
  } catch {
    at('copied').textContent = 'the address of this page is the link';
  }
};
addEventListener('hashchange', fromLink);
if (!fromLink()) load({ kind: 'program', text: START });
