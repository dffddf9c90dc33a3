/** How retries went, where they are many, and what to change. */
import { h } from '../view.js';
import { get } from '../api.js';
import { number, percent } from '../format.js';
import { ago, empty, href, label, link, section, segments, table } from '../widgets.js';

const WINDOWS = [['Hour', '1h'], ['Day', '1d'], ['Week', '7d']];

function share(value) {
  return h('span', { class: 'sharebox' },
      h('svg', { class: 'share', width: 60, height: 8, 'aria-hidden': 'true' },
          h('rect', { class: 'grid', width: 60, height: 8, rx: 2 }), h('rect', { class: 'fill good', width: Math.max(0, Math.min(1, value)) * 60, height: 8, rx: 2 })),
      percent(value));
}

export const retries = {
  title: 'Retries',
  every: () => 30_000,
  load: async ({ query }, signal) => {
    const which = { window: query.window ?? '1h', operation: query.operation };
    const [report, rates, advice] = await Promise.all([
      get('/retries', which, signal), get('/retries/rates', which, signal), get('/retries/advice', which, signal)]);
    return { policies: report.policies, rates: rates.rates, advice: advice.advice, complete: report.complete };
  },
  view: (data, { query }) => [
    h('div', { class: 'title' },
        h('h1', null, 'Retries'),
        segments('Span of time', WINDOWS.map(([word, code]) => [word, href('/retries', { ...query, window: code }), code]), query.window ?? '1h')),
    !data.complete && h('p', { class: 'dim' }, 'There are too many events in this span to look at all: these figures are of the newest 20,000.'),
    section('Advice', data.advice.length > 0
        ? h('ul', { class: 'advice' }, data.advice.map(each => h('li', { 'data-row': true, tabindex: '-1' },
            h('p', null, link('/retries', { ...query, operation: each.operation }, each.operation), ': ', each.sentence),
            h('p', { class: 'dim small' }, `Setting ${each.setting} of policy ${each.policy}. `, Object.entries(each.figures).map(([name, value]) => `${name} ${value}`).join(', ')))))
        : empty('Nothing is to be changed: the retries of this span are worth their cost.', 'Choose a longer one above to look further back.')),
    section('By policy and category', data.policies.length > 0
        ? table('Retries by policy', [
          { title: 'Policy', class: 'plain', cell: each => each.policy },
          { title: 'Category', class: 'plain', cell: each => (each.category === '*' ? h('strong', null, 'all') : each.category) },
          { title: 'Failed attempts', cell: each => number(each.failed_attempts), class: 'figure' },
          { title: 'Succeeded later', cell: each => number(each.succeeded), class: 'figure' },
          { title: 'Gave up', cell: each => (each.gave_up ? label('bad', number(each.gave_up)) : 0), class: 'figure' },
          { title: 'Success', cell: each => (each.succeeded + each.gave_up > 0 ? share(each.success_rate) : h('span', { class: 'dim' }, 'none ended')), class: 'plain tight' },
          { title: 'Attempts on average', cell: each => (each.succeeded > 0 ? number(each.average_attempts) : h('span', { class: 'dim' }, '–')), class: 'figure' },
        ], data.policies, { key: each => `${each.policy}|${each.category}` })
        : empty('No attempt failed in this span.', 'Choose a longer one above.')),
    section('Where they are many', data.rates.length > 0
        ? table('Rates of retries', [
          { title: 'Operation', class: 'plain', cell: each => link('/records', { operation: each.operation, state: 'FAILED_RETRYABLE' }, each.operation) },
          { title: 'Category', class: 'plain', cell: each => each.category },
          { title: 'Retries', cell: each => number(each.retries), class: 'figure' },
          { title: 'Most in a minute', cell: each => number(each.most_per_minute), class: 'figure' },
          { title: 'That minute', cell: each => ago(each.minute), class: 'tight' },
        ], data.rates, { key: each => `${each.operation}|${each.category}` })
        : empty('Nothing was retried in this span.', 'Choose a longer one above.')),
  ],
};
