/** Keys for everything. Keys do nothing while a person types or a dialog is open. */
import { h } from './view.js';
import { open } from './dialogs.js';

export const PLACES = {
  o: ['/', 'Overview'],
  r: ['/records', 'Operations'],
  d: ['/dead', 'Dead letters'],
  c: ['/channels', 'Channels'],
  m: ['/modes', 'Modes'],
  s: ['/server', 'Server'],
  a: ['/audit', 'Audit'],
  t: ['/retries', 'Retries'],
  p: ['/policies', 'Policies'],
  k: ['/doctor', 'Doctor'],
};

let waitingForPlace = 0;

function typing(target) {
  return target.isContentEditable || (['INPUT', 'TEXTAREA', 'SELECT'].includes(target.nodeName) && !['checkbox', 'radio'].includes(target.type));
}

const isVisible = element => element.checkVisibility?.() ?? element.offsetParent !== null;

/** Moves the focus by so many rows. A row may be inside another one. */
function move(step) {
  const rows = [...document.querySelectorAll('#main [data-row]')].filter(isVisible);
  if (rows.length === 0) {
    return;
  }
  const at = rows.findLastIndex(row => row.contains(document.activeElement));
  const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))];
  const visible = selector => [...next.querySelectorAll(selector)].find(isVisible);
  const target = visible('summary') ?? visible('a[href]') ?? visible('button, input') ?? next;
  target.focus();
  next.scrollIntoView({ block: 'nearest' });
}

export function help() {
  const row = (keys, does) => h('tr', null, h('td', null, keys.map(key => h('kbd', null, key))), h('td', null, does));
  return open('Keys', close => h('div', null,
      h('table', { class: 'keys' }, h('tbody', null,
          row(['/'], 'go to the filter'),
          row(['j'], 'next row'),
          row(['k'], 'row before'),
          row(['Enter'], 'open the row'),
          row(['Esc'], 'leave a field, close a dialog'),
          row(['n'], 'next page of a list'),
          row(['.'], 'read again now'),
          row(['u'], 'times in UTC or local'),
          row(['l'], 'light or dark'),
          row(['?'], 'this help'),
          Object.entries(PLACES).map(([key, [, title]]) => row(['g', key], title)))),
      h('div', { class: 'buttons' }, h('button', { type: 'button', class: 'primary', autofocus: true, on: { click: () => close(null) } }, 'Close'))));
}

/** @param actions what the shell does for single keys: refresh, utc, theme */
export function listenToKeys(actions) {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) {
      return;
    }
    if (typing(event.target)) {
      if (event.key === 'Escape') {
        event.target.blur();
      }
      return;
    }
    if (!document.querySelector('.side')) {
      return;
    }
    if (Date.now() < waitingForPlace) {
      waitingForPlace = 0;
      const place = PLACES[event.key];
      if (place) {
        event.preventDefault();
        location.hash = place[0];
      }
      return;
    }
    const does = {
      '/': () => document.querySelector('#main [data-filter]')?.focus(),
      j: () => move(1),
      k: () => move(-1),
      g: () => { waitingForPlace = Date.now() + 1500; },
      n: () => document.querySelector('#main a[rel=next]')?.click(),
      '?': help,
      '.': actions.refresh,
      u: actions.utc,
      l: actions.theme,
    }[event.key];
    if (does) {
      event.preventDefault();
      does();
    }
  });
}
