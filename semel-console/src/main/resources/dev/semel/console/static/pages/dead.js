/** Dead letters by cause; a preview before anything moves; jobs that replay many. */
import { h } from '../view.js';
import { get, isRejected, post } from '../api.js';
import { ask, tell } from '../dialogs.js';
import { count, number } from '../format.js';
import { button, CATEGORIES, chip, empty, field, filterBox, formFields, href, input, link, pager, select, state, table } from '../widgets.js';
import { columns } from './records.js';
import { job, readJob } from './jobs.js';

const FILTERS = ['tenant', 'operation', 'category', 'exception'];
const NAMES = { tenant: 'tenant', operation: 'operation', category: 'category', exception: 'exception' };

const chosen = query => Object.fromEntries(FILTERS.filter(name => query[name]).map(name => [name, query[name]]));
const isFiltered = query => FILTERS.some(name => query[name]);

function previewed(preview) {
  return h('div', null,
      h('p', null, preview.count === 0 ? 'No dead letter matches.' : h('strong', null, `${count(preview.count, 'dead letter')} will be replayed.`)),
      preview.unknown > 0 && h('p', null, `${count(preview.unknown, 'message')} with an unknown outcome also match${preview.unknown === 1 ? 'es' : ''}. They stay as they are unless you include them below: then their effects may happen twice.`),
      preview.groups.length > 0 && h('ul', { class: 'groups' }, preview.groups.slice(0, 8).map(group =>
          h('li', null, h('b', null, number(group.count)), ` ${group.operation}, ${group.category}: ${group.reason}`))),
      preview.groups.length > 8 && h('p', { class: 'dim' }, `and ${count(preview.groups.length - 8, 'more cause')}`));
}

/** Shows what would move, then starts the job and goes to its progress. */
async function replayAll(which, context) {
  let preview;
  try {
    preview = await get('/dead/preview', which);
  } catch (failure) {
    tell(failure.message, true);
    return;
  }
  const answer = await ask({
    title: isFiltered(which) ? 'Replay all that match' : 'Replay all dead letters',
    explain: previewed(preview),
    verb: 'Start the replay',
    fields: [
      field('Most replays a second', input('rate', '50', { type: 'number', min: 0, max: 1_000_000 }), '0 for no limit. A rate protects the other side.'),
      preview.unknown > 0 && h('label', { class: 'check' }, h('input', { type: 'checkbox', name: 'unknown' }), ` Include ${count(preview.unknown, 'message')} with an unknown outcome`),
    ],
    act: ({ reason, rate, unknown }) => post('/dead/replays', {
      reason,
      ...which,
      ...(isFiltered(which) ? {} : { all: true }),
      rate: Number(rate) || 0,
      unknown: unknown === 'on',
    }),
  });
  if (answer) {
    tell(`Replay of ${count(answer.matched, 'message')} started.`);
    context.go(href('/dead', { job: answer.job }));
  }
}

/** One after the other, each with its own event in the audit. */
async function actOnSome(name, title, context) {
  const ids = [...context.state.selected];
  const answer = await ask({
    title: `${title} ${count(ids.length, 'record')}`,
    explain: name === 'replay' ? 'Each runs again. A record with an unknown outcome may take effect twice: look at the other side first.'
        : 'Each is closed and not tried again. Lanes continue.',
    verb: title,
    act: async ({ reason }) => {
      let done = 0;
      const refused = [];
      const left = ids.filter(id => context.state.selected.has(id));
      for (const [at, id] of left.entries()) {
        try {
          await post(`/records/${id}/${name}`, { reason });
          done++;
          context.state.selected.delete(id);
        } catch (failure) {
          if (failure.status !== 409) {
            const unknown = isRejected(failure) ? 0 : 1;
            const untried = left.length - at - unknown;
            failure.outcome = done + unknown === 0 ? null : `${[[done, 'done'], [refused.length, 'refused'], [unknown, 'not known'], [untried, 'not tried']]
                .filter(([number]) => number > 0).map(each => each.join(' ')).join(', ')}.`;
            context.refresh();
            throw failure;
          }
          refused.push(failure.message);
        }
      }
      return { sentence: `${title}: ${number(done)} done${refused.length ? `, ${number(refused.length)} refused: ${refused[0]}` : '.'}` };
    },
  });
  if (answer) {
    tell(answer.sentence);
    context.refresh();
  }
}

function groupTable(groups, context) {
  return table('Causes', [
    { title: 'Count', cell: group => h('b', null, number(group.count)), class: 'figure' },
    { title: 'State', cell: group => state(group.state), class: 'plain tight' },
    { title: 'Operation', cell: group => group.operation, class: 'plain tight' },
    {
      title: 'Cause', class: 'plain wide', cell: group => [
        h('span', { class: 'category' }, group.category), ' ',
        link('/dead', { ...chosen(context.query), operation: group.operation, category: group.category, exception: group.exception }, group.reason),
        group.exception && h('div', { class: 'dim small mono' }, group.exception)],
    },
    context.may('operator') && {
      title: '', name: 'Replay', class: 'tight', cell: group => group.state === 'FAILED_TERMINAL'
        ? button('Replay…', () => replayAll({ ...chosen(context.query), operation: group.operation, category: group.category, ...(group.exception ? { exception: group.exception } : {}) }, context), { kind: 'small', name: `Replay all of ${group.operation}, ${group.category}` })
        : link(`/records/${group.sample}`, {}, 'Decide'),
    },
  ].filter(Boolean), groups, { key: group => [group.operation, group.state, group.category, group.exception, group.reason].join('|') });
}

/**
 * What is ticked, on this page of the list and on others. Another filter begins anew, and what is gone from a page is no longer ticked:
 * an action is never about records that nobody sees.
 */
function selection(data, page) {
  const filter = JSON.stringify(data.filter);
  if (page.filter !== filter) {
    Object.assign(page, { filter, selected: new Set(), listed: new Map() });
  }
  const ids = data.letters.records.map(each => each.id);
  page.listed.get(data.cursor)?.filter(id => !ids.includes(id)).forEach(id => page.selected.delete(id));
  page.listed.set(data.cursor, ids);
  return page.selected;
}

function letters(data, context) {
  const { query, state: page } = context;
  const selected = selection(data, page);
  const all = data.letters.records;
  const operator = context.may('operator');
  const every = all.length > 0 && all.every(each => selected.has(each.id));
  const toggle = (id, on) => {
    on ? selected.add(id) : selected.delete(id);
    context.render();
  };
  const boxes = {
    title: h('input', { type: 'checkbox', 'aria-label': 'Select all of this page', checked: every, on: { change: event => { all.forEach(each => (event.target.checked ? selected.add(each.id) : selected.delete(each.id))); context.render(); } } }),
    class: 'tight box',
    cell: each => h('input', { type: 'checkbox', 'aria-label': `Select ${each.operation} ${each.id.slice(0, 12)}`, checked: selected.has(each.id), on: { change: event => toggle(each.id, event.target.checked) } }),
  };
  const main = columns(context, all);
  return [
    h('div', { class: 'head' },
        h('h2', null, 'Messages that match'),
        operator && h('div', { class: 'actions', role: 'group', 'aria-label': 'Actions' },
            button(`Replay selected${selected.size ? ` (${selected.size})` : ''}`, () => actOnSome('replay', 'Replay', context), { disabled: selected.size ? null : 'Select some first' }),
            button(`Discard selected${selected.size ? ` (${selected.size})` : ''}`, () => actOnSome('discard', 'Discard', context), { disabled: selected.size ? null : 'Select some first' }),
            button('Replay all that match…', () => replayAll(chosen(query), context), { kind: 'primary' }))),
    all.length > 0
        ? table('Dead letters', operator ? [boxes, ...main] : main, all, { key: each => each.id, rowClass: each => (selected.has(each.id) ? 'selected' : null) })
        : empty(data.letters.next ? 'None of those that were read matches; there are more to read.' : 'Nothing that matches is left.', link('/dead', {}, 'Back to all causes')),
    pager('/dead', query, data.letters.next),
  ];
}

function filters(context) {
  const { query } = context;
  const submit = event => {
    event.preventDefault();
    context.go(href('/dead', formFields(event.currentTarget)));
  };
  const without = name => {
    const { [name]: ignored, ...rest } = chosen(query);
    return href('/dead', rest);
  };
  return [
    filterBox(
        h('form', { class: 'filters', role: 'search', 'aria-label': 'Filter dead letters', on: { submit } },
            field('Operation', input('operation', query.operation, { 'data-filter': true })),
            context.everywhere && field('Tenant', input('tenant', query.tenant)),
            field('Category', select('category', query.category, [['', 'any'], ...CATEGORIES.map(each => [each, each])])),
            field('Exception', input('exception', query.exception, { placeholder: 'ConnectException' })),
            h('button', { type: 'submit', class: 'primary' }, 'Apply'))),
    isFiltered(query) && h('p', { class: 'chips', 'aria-label': 'Active filters' },
        Object.entries(NAMES).filter(([name]) => query[name]).map(([name, title]) => chip(title, query[name], without(name))),
        link('/dead', {}, 'Remove all')),
  ];
}

export const dead = {
  title: 'Dead letters',
  every: data => (data.job && !data.job.over ? 1_000 : 10_000),
  load: async ({ query }, signal) => {
    const [groups, letters, progress] = await Promise.all([
      get('/dead/groups', chosen(query), signal),
      isFiltered(query) ? get('/dead', { ...chosen(query), cursor: query.cursor, limit: 50 }, signal) : null,
      query.job ? readJob(query.job, signal) : null,
    ]);
    return {
      groups: groups.groups, complete: groups.complete, letters, job: progress, filter: chosen(query), cursor: query.cursor,
    };
  },
  view: (data, context) => {
    const total = data.groups.reduce((sum, group) => sum + group.count, 0);
    return [
      h('div', { class: 'title' },
          h('h1', null, 'Dead letters'),
          total > 0 && h('span', { class: 'dim' }, `${data.complete ? '' : 'the newest '}${count(total, 'message')}, ${count(data.groups.length, 'cause')}${data.complete ? '' : '; there are more messages'}`)),
      data.job && job(data.job, context),
      filters(context),
      data.groups.length > 0 ? groupTable(data.groups, context)
          : !data.complete ? empty('None of the newest messages matches; there are more than can be looked at.')
          : empty(isFiltered(context.query) ? 'No dead letter matches these filters.' : 'No dead letters, and nothing with an unknown outcome.',
              isFiltered(context.query) ? link('/dead', {}, 'Remove all filters') : 'A message comes here when its attempts are used up, or when nobody knows whether it took effect.'),
      data.letters && letters(data, context),
    ];
  },
};
