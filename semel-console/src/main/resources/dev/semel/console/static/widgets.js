/** Parts that pages have in common. */
import { h } from './view.js';
import { bothTimes, brief, relative, time } from './format.js';

/** The states in words, in the order of the lists. */
export const STATES = {
  UNKNOWN: { word: 'Unknown', says: 'may or may not have taken effect' },
  FAILED_TERMINAL: { word: 'Dead', says: 'failed, and is not retried by itself' },
  IN_PROGRESS: { word: 'Running', says: 'a node runs it' },
  FAILED_RETRYABLE: { word: 'Retrying', says: 'failed, and is tried again when due' },
  QUEUED: { word: 'Queued', says: 'accepted, not started' },
  SHADOWED: { word: 'Shadowed', says: 'decided in SHADOW, not acted on' },
  DISCARDED: { word: 'Discarded', says: 'closed by a person' },
  COMPLETED: { word: 'Done', says: 'done; its result is stored' },
};

export const CATEGORIES = ['network', 'timeout', 'rate_limited', 'upstream_error', 'auth', 'validation', 'mapping', 'conflict',
  'not_found', 'business_rule', 'disabled', 'render', 'invalid_output', 'lease_lost', 'bug', 'unknown'];

export function state(name) {
  const known = STATES[name] ?? { word: name, says: name };
  return h('span', { class: `label state-${name.toLowerCase()}`, title: `${name}: ${known.says}` }, known.word);
}

export function mode(name) {
  const words = { LIVE: 'Live', SHADOW: 'Shadow', HALTED: 'Halted' };
  return h('span', { class: `label mode-${name.toLowerCase()}`, title: name }, words[name] ?? name);
}

export function label(kind, ...text) {
  return h('span', { class: `label ${kind}` }, ...text);
}

/** A time as it is, with both zones in the title. */
export function when(value) {
  return value ? h('time', { datetime: value, title: bothTimes(value) }, time(value)) : h('span', { class: 'dim' }, 'never');
}

/** A time as its distance, with both zones in the title. */
export function ago(value) {
  return value ? h('time', { datetime: value, title: bothTimes(value) }, relative(value)) : h('span', { class: 'dim' }, 'never');
}

/** A link to another page of the console. */
export function link(path, fields, ...children) {
  return h('a', { href: href(path, fields) }, ...children);
}

export function href(path, fields = {}) {
  const text = new URLSearchParams(
      Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== '')).toString();
  return `#${path}${text ? `?${text}` : ''}`;
}

export function recordLink(id, text = brief(id)) {
  return h('a', { class: 'mono', href: href(`/records/${id}`), title: id }, text);
}

/** A table that becomes cards on a phone. Columns: {name, title, cell, class}. Rows are found again by their key. */
export function table(caption, columns, rows, { key, rowClass } = {}) {
  return h('div', { class: 'tablebox', tabindex: '-1' },
      h('table', { class: 'cards' },
          h('caption', { class: 'hidden' }, caption),
          h('thead', null, h('tr', null, columns.map(column =>
              h('th', { scope: 'col', class: column.class }, column.title || h('span', { class: 'hidden' }, column.name ?? 'Action'))))),
          h('tbody', null, rows.map((row, index) =>
              h('tr', { key: key ? key(row) : index, 'data-row': true, tabindex: '-1', class: rowClass?.(row) }, columns.map(column =>
                  h('td', { class: column.class, 'data-title': typeof column.title === 'string' && column.title ? column.title : null }, h('div', null, column.cell(row, index)))))))));
}

export function section(title, ...children) {
  return h('section', { class: 'card' }, h('h2', null, title), ...children);
}

/** What to do when there is nothing to see. */
export function empty(sentence, ...next) {
  return h('div', { class: 'empty' }, h('p', null, sentence), next.length > 0 && h('p', { class: 'dim' }, ...next));
}

/** A failed request, in words. */
export function problem(failure, title = 'That did not work') {
  return h('div', { class: 'notice bad', role: 'alert' },
      h('p', null, h('strong', null, title), ' ', failure.message),
      failure.faults?.length > 0 && h('ul', null, failure.faults.map(each => h('li', null, each))),
      failure.correlation && h('p', { class: 'dim small' }, 'Correlation id for the log: ', copyable(failure.correlation)));
}

/** Text with a button that copies it. */
export function copyable(text, shown = text) {
  return h('span', { class: 'copyable' }, h('code', { title: text }, shown), copyButton(text));
}

export function copyButton(text, name = 'Copy') {
  return h('button', {
    type: 'button',
    class: 'quiet small',
    'aria-label': `${name} to the clipboard`,
    on: {
      click: async event => {
        const button = event.currentTarget;
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = 'Copied';
        } catch {
          button.textContent = 'Select it and press Ctrl+C';
        }
        setTimeout(() => { button.textContent = name; }, 1500);
      },
    },
  }, name);
}

export function button(text, click, { kind = '', disabled = null, name = null } = {}) {
  return h('button', {
    type: 'button',
    class: kind,
    'aria-label': name,
    disabled: disabled !== null,
    title: disabled,
    on: { click },
  }, text);
}

/** A chip of an active filter, with a link that removes it. */
export function chip(name, value, without) {
  return h('span', { class: 'chip' },
      h('span', { class: 'dim' }, `${name} `), value,
      h('a', { href: without, class: 'remove', 'aria-label': `Remove the filter ${name} ${value}` }, '×'));
}

export function field(title, input, hint = null) {
  return h('label', { class: 'field' }, h('span', { class: 'name' }, title), input, hint && h('span', { class: 'hint' }, hint));
}

export function input(name, value, props = {}) {
  return h('input', { name, value: value ?? '', autocomplete: 'off', spellcheck: 'false', ...props });
}

export function select(name, value, options, props = {}) {
  return h('select', { name, ...props }, options.map(([code, text]) =>
      h('option', { value: code, selected: code === (value ?? '') }, text)));
}

/** Links of which one is chosen. */
export function segments(name, options, chosen) {
  return h('nav', { class: 'segments', 'aria-label': name }, options.map(([text, address, code]) =>
      h('a', { href: address, 'aria-current': code === chosen ? 'true' : null }, text)));
}

/** The fields of a form, without what is empty. */
export function formFields(form) {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]).filter(([, value]) => value));
}

/** Filters that fold away on a phone. */
export function filterBox(form) {
  return h('details', { class: 'filterbox', open: !matchMedia('(max-width: 760px)').matches }, h('summary', null, 'Filters'), form);
}

/** Names and values, one below the other. */
export function facts(pairs) {
  return h('dl', { class: 'facts' }, pairs.filter(pair => pair && pair[1] !== undefined && pair[1] !== null).map(([name, value]) =>
      h('div', null, h('dt', null, name), h('dd', null, value))));
}

/** Pages of a list: there is no count, only the next page. */
export function pager(route, query, next) {
  if (!query.cursor && !next) {
    return null;
  }
  const { cursor, ...first } = query;
  return h('nav', { class: 'pager', 'aria-label': 'Pages' },
      cursor ? link(route, first, '« First page') : h('span', { class: 'dim' }, 'First page'),
      next ? h('a', { href: href(route, { ...query, cursor: next }), rel: 'next' }, 'Next page »') : h('span', { class: 'dim' }, 'End of the list'));
}
