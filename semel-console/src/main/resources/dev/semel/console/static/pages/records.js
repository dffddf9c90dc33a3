/** Operations: records by filters that combine and live in the address. */
import { h } from '../view.js';
import { get } from '../api.js';
import { ago, CATEGORIES, chip, empty, field, filterBox, formFields, href, input, link, pager, recordLink, select, state, STATES, table } from '../widgets.js';

const NAMES = {
  tenant: 'tenant',
  operation: 'operation',
  state: 'state',
  category: 'category',
  min_attempts: 'attempts at least',
  overdue_for: 'overdue for',
  lane: 'lane',
  correlation_id: 'correlation id',
  key: 'key',
  id: 'id begins with',
};

const chosenStates = query => (query.state ? query.state.split(',') : []);

function toggled(query, name) {
  const chosen = chosenStates(query);
  const states = chosen.includes(name) ? chosen.filter(each => each !== name) : [...chosen, name];
  const { cursor, ...rest } = query;
  return href('/records', { ...rest, state: states.join(',') });
}

function stateFilter(query) {
  const chosen = chosenStates(query);
  const { cursor, state: ignored, ...rest } = query;
  return h('div', { class: 'toggles', role: 'group', 'aria-label': 'States' },
      h('a', { href: href('/records', rest), class: 'toggle', 'aria-current': chosen.length === 0 ? 'true' : null }, 'All'),
      Object.entries(STATES).map(([name, { word, says }]) =>
          h('a', { href: toggled(query, name), class: 'toggle', title: says, 'aria-current': chosen.includes(name) ? 'true' : null },
              h('i', { class: `dot state-${name.toLowerCase()}` }), word)));
}

function form(query, context) {
  const more = ['lane', 'correlation_id', 'min_attempts', 'overdue_for'].some(name => query[name]);
  const submit = event => {
    event.preventDefault();
    const fields = formFields(event.currentTarget);
    context.go(href('/records', { ...fields, state: query.state }));
  };
  return h('form', { class: 'filters', role: 'search', 'aria-label': 'Filter operations', on: { submit } },
      field('Operation', input('operation', query.operation, { 'data-filter': true, placeholder: 'mail' })),
      context.everywhere && field('Tenant', input('tenant', query.tenant, { placeholder: 'acme' })),
      field('Key', input('key', query.key, { title: 'The exact key; needs operation and tenant' })),
      field('Id begins with', input('id', query.id, { pattern: '[0-9a-fA-F]*', title: 'Hexadecimal digits', class: 'mono' })),
      field('Category', select('category', query.category, [['', 'any'], ...CATEGORIES.map(each => [each, each])])),
      h('details', { class: 'more', open: more },
          h('summary', null, 'More filters'),
          h('div', { class: 'filters' },
              field('Lane', input('lane', query.lane)),
              field('Correlation id', input('correlation_id', query.correlation_id, { title: context.everywhere ? 'Needs a tenant' : null })),
              field('Attempts, at least', input('min_attempts', query.min_attempts, { type: 'number', min: 0 })),
              field('Overdue for', input('overdue_for', query.overdue_for, { placeholder: '1h', pattern: '[0-9]+(ms|s|m|h|d)', title: 'Such as 15m, 1h or 2d' })))),
      h('button', { type: 'submit', class: 'primary' }, 'Apply'));
}

function chips(query) {
  const active = Object.entries(NAMES).filter(([name]) => query[name]);
  if (active.length === 0) {
    return null;
  }
  const without = name => {
    const { cursor, [name]: ignored, ...rest } = query;
    return href('/records', rest);
  };
  const shown = (name, value) => name === 'state' ? value.split(',').map(each => STATES[each]?.word ?? each).join(' or ') : value;
  return h('p', { class: 'chips', 'aria-label': 'Active filters' },
      active.map(([name, title]) => chip(title, shown(name, query[name]), without(name))),
      link('/records', {}, 'Remove all'));
}

/** What the next moment of a record is, in words. */
export function next(record) {
  if (!record.at) {
    return h('span', { class: 'dim' }, '–');
  }
  const words = { IN_PROGRESS: 'lease ends ', FAILED_RETRYABLE: 'due ', QUEUED: 'due ', UNKNOWN: '' };
  return record.state in words
      ? [h('span', { class: 'dim' }, words[record.state]), ago(record.at)]
      : h('span', { class: 'dim' }, 'removed ', ago(record.at));
}

export function cause(record) {
  const { failure } = record;
  return failure
      ? [h('span', { class: 'category' }, failure.category), ' ', h('span', { class: 'reason' }, failure.reason)]
      : h('span', { class: 'dim' }, '–');
}

export function columns(context, rows) {
  return [
    { title: 'State', cell: each => state(each.state), class: 'plain tight' },
    { title: 'Record', cell: each => recordLink(each.id), class: 'plain tight' },
    { title: 'Operation', class: 'plain', cell: each => [each.operation, each.step_of && h('span', { class: 'dim' }, ' (step)')] },
    context.everywhere && { title: 'Tenant', class: 'plain', cell: each => each.tenant },
    { title: 'Attempts', cell: each => each.attempt, class: 'figure' },
    { title: 'Next', cell: next, class: 'plain tight' },
    rows.some(each => each.line?.lane) && { title: 'Lane', cell: each => each.line?.lane ?? h('span', { class: 'dim' }, '–') },
    { title: 'Cause', cell: cause, class: 'plain wide' },
  ].filter(Boolean);
}

export const records = {
  title: 'Operations',
  every: (data, { query }) => query.cursor ? 0 : 10_000,
  load: ({ query }, signal) => get('/records', { ...query, limit: 50 }, signal),
  view: (data, context) => {
    const { query } = context;
    const filtered = Object.keys(NAMES).some(name => query[name]);
    return [
      h('h1', null, 'Operations'),
      stateFilter(query),
      filterBox(form(query, context)),
      chips(query),
      data.records.length > 0
          ? table('Records', columns(context, data.records), data.records, { key: each => each.id })
          : empty(
              data.next ? 'None of the records that were read matches; there are more to read.'
                  : filtered ? 'No record matches these filters.' : 'The ledger has no records yet.',
              filtered ? [link('/records', {}, 'Remove all filters'), ' or change one of them.']
                  : 'Run an operation, or send a webhook to a source: it appears here at once.'),
      pager('/records', query, data.next),
    ];
  },
};
