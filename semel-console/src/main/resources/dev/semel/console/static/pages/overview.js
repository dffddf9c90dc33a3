/** What needs a person, then how it goes: live while somebody looks. */
import { h } from '../view.js';
import { address, get } from '../api.js';
import { bars, lines, spark } from '../charts.js';
import { number, short, span } from '../format.js';
import { ago, chip, empty, href, label, link, mode, segments, table, when } from '../widgets.js';

const WINDOWS = [['Hour', 'hour'], ['Day', 'day'], ['Week', 'week']];
const KINDS = {
  unknown: 'Unknown', parked_lane: 'Parked lane', dead_letters: 'Dead letters', paused: 'Paused', breaker_open: 'Breaker open',
  old_lease: 'Old lease', halted: 'Halted', shadow: 'Shadow',
};

const windowOf = query => query.window ?? 'hour';
const chosen = query => ({ window: windowOf(query), tenant: query.tenant, operation: query.operation });

function placeOf({ kind, filter }) {
  const { parked, ...fields } = filter;
  if (kind === 'dead_letters' || kind === 'parked_lane' || parked) {
    const { state, ...rest } = fields;
    return href('/dead', rest);
  }
  if (kind === 'halted' || kind === 'shadow') {
    return href('/modes');
  }
  if (kind === 'paused' || kind === 'breaker_open') {
    return href('/channels');
  }
  return Object.keys(fields).length > 0 ? href('/records', fields) : null;
}

function attention(items) {
  if (items.length === 0) {
    return h('section', { class: 'attention calm', 'aria-label': 'Needs a person' }, h('p', null, label('good', 'All is well'), ' Nothing needs a person now.'));
  }
  return h('section', { class: 'attention', 'aria-label': 'Needs a person' },
      h('h2', null, 'Needs a person'),
      h('ul', null, items.map(each => {
        const place = placeOf(each);
        const words = [label(each.kind === 'unknown' ? 'state-unknown' : each.severity === 'high' ? 'bad' : 'warn', KINDS[each.kind] ?? each.kind), h('span', { class: 'says' }, each.sentence)];
        return h('li', { key: `${each.kind}|${JSON.stringify(each.filter)}`, 'data-row': true },
            place ? h('a', { href: place }, words, h('span', { class: 'arrow', 'aria-hidden': 'true' }, '→')) : h('span', { class: 'plain' }, words));
      })));
}

const zeros = points => Array(points).fill(0);

/** The sums over operations, one point for each step. */
function summed(data, fields) {
  const start = new Date(data.from).getTime();
  return Array.from({ length: data.points }, (ignored, index) => {
    const point = { at: start + index * data.step_seconds * 1000 };
    for (const field of fields) {
      point[field] = data.operations.reduce((sum, each) => sum + (each.series[field]?.[index] ?? 0), 0);
    }
    for (const [field, values] of Object.entries(data.series)) {
      point[field] = values[index];
    }
    return point;
  });
}

function figure(title, value, hint, kind = '') {
  return h('div', { class: `figurebox ${kind}` }, h('dt', null, title), h('dd', null, value), h('dd', { class: 'dim small' }, hint));
}

function figures(data) {
  const { totals, operations } = data;
  const depth = operations.reduce((sum, each) => sum + each.depth, 0);
  const oldest = Math.max(-1, ...operations.map(each => each.oldest_age_seconds ?? -1));
  const more = operations.some(each => each.depth_at_least);
  const millis = value => (value == null ? '–' : span(value));
  return h('dl', { class: 'figures' },
      figure('Calls', short(totals.calls), `${short(totals.executed)} run, ${short(totals.replayed)} answered again`),
      figure('Accepted', short(totals.acknowledged), `${short(totals.duplicates)} duplicates, ${short(totals.rejected)} rejected`),
      figure('Ack latency', millis(totals.ack_p99_ms), totals.ack_p99_ms == null ? 'nothing was accepted' : `99th percentile; half below ${millis(totals.ack_p50_ms)}`),
      figure('Waiting', `${short(depth)}${more ? '+' : ''}`, oldest < 0 ? 'nothing is due' : `the oldest due for ${span(oldest * 1000)}`),
      figure('Retries', short(totals.retries), `${short(totals.failed)} calls failed`, totals.retries > 0 ? 'warn' : ''),
      figure('Dead letters', short(totals.dead_letters), `${short(totals.unknown)} became unknown`, totals.dead_letters > 0 ? 'bad' : ''));
}

/** What the program in which the server runs counts itself, such as `semel demo`; usually nothing. */
function program(items) {
  return items && h('section', { class: 'program', 'aria-label': 'Figures of this program' },
      h('h2', null, 'Figures of this program'),
      h('dl', { class: 'figures' }, items.map(each => figure(each.name, each.value, each.note, each.tone))));
}

function charts(data) {
  const points = summed(data, ['calls', 'executed', 'replayed', 'failed', 'retries', 'dead_letters', 'acknowledged']);
  // The last step is still running: its end would look like a fall.
  const over = points.slice(0, -1);
  const { totals } = data;
  const highest = field => all => Math.max(0, ...all.map(point => point[field] ?? 0));
  return h('div', { class: 'charts' },
      lines('Throughput', over, [{ name: 'accepted', field: 'acknowledged', color: 'accent' }, { name: 'run', field: 'executed', color: 'good' }]),
      bars('Answers', points, [{ name: 'run', field: 'executed', color: 'good' }, { name: 'answered again', field: 'replayed', color: 'accent' }, { name: 'failed', field: 'failed', color: 'bad' }]),
      lines('Acknowledged after', over, [
        { name: 'half', field: 'ack_p50_ms', color: 'good', total: () => totals.ack_p50_ms },
        { name: '99 %', field: 'ack_p99_ms', color: 'accent', total: () => totals.ack_p99_ms },
      ], { format: span }),
      lines('Calls took', over, [
        { name: 'half', field: 'p50_ms', color: 'good', total: () => totals.p50_ms },
        { name: '99 %', field: 'p99_ms', color: 'accent', total: () => totals.p99_ms },
      ], { format: span }),
      // What waits is sampled for all tenants together.
      !data.tenant && bars('Waiting', points, [{ name: 'at most', field: 'waiting', color: 'accent', total: highest('waiting') }]),
      !data.tenant && bars('Oldest due', points, [{ name: 'at most', field: 'oldest_due_ms', color: 'warn', total: highest('oldest_due_ms') }], { format: span }),
      bars('Retries', points, [{ name: 'retries', field: 'retries', color: 'warn' }]),
      bars('Dead letters', points, [{ name: 'dead', field: 'dead_letters', color: 'bad' }]));
}

function operations(data, context) {
  const total = (each, field) => (each.series[field] ?? []).reduce((sum, value) => sum + value, 0);
  const records = (each, value) => link('/records', { operation: each.name, tenant: context.query.tenant }, number(value));
  const dim = value => (value ? number(value) : h('span', { class: 'dim' }, '0'));
  return table('Operations and channels', [
    { title: 'Name', class: 'plain', cell: each => [h('a', { href: href('/', { ...chosen(context.query), operation: each.name }), title: `Charts of ${each.name}` }, each.name), h('span', { class: 'dim small' }, each.kind === 'channel' ? ' channel' : '')] },
    { title: 'Calls', cell: each => records(each, total(each, 'calls') || total(each, 'acknowledged')), class: 'figure' },
    { title: 'Course', cell: each => spark(each.series.calls ?? each.series.acknowledged ?? zeros(1), `Calls of ${each.name}`), class: 'tight nophone' },
    { title: 'Failed', cell: each => dim(total(each, 'failed')), class: 'figure' },
    { title: 'Retries', cell: each => dim(total(each, 'retries')), class: 'figure' },
    { title: 'Dead', cell: each => (total(each, 'dead_letters') ? link('/dead', { operation: each.name }, number(total(each, 'dead_letters'))) : dim(0)), class: 'figure' },
    { title: 'p99', cell: each => (each.p99_ms == null ? h('span', { class: 'dim' }, '–') : span(each.p99_ms)), class: 'figure' },
    { title: 'Waiting', cell: each => (each.depth ? link('/records', { operation: each.name, state: 'QUEUED,FAILED_RETRYABLE' }, `${number(each.depth)}${each.depth_at_least ? '+' : ''}`) : dim(0)), class: 'figure' },
    { title: 'Oldest due', cell: each => (each.oldest_age_seconds == null || each.kind !== 'channel' ? h('span', { class: 'dim' }, '–') : span(each.oldest_age_seconds * 1000)), class: 'figure' },
    { title: 'Mode', cell: each => [mode(each.mode), each.paused && [' ', label('warn', 'Paused')]], class: 'plain tight' },
  ], data.operations, { key: each => each.name });
}

export const overview = {
  title: 'Overview',
  every: data => (data?.program ? 2_000 : 5_000),
  load: ({ query }, signal) => get('/overview', chosen(query), signal),
  live: ({ query }) => ({ address: address('/overview/live', chosen(query)), event: 'overview' }),
  view: (data, context) => {
    const { query } = context;
    return [
      h('div', { class: 'title' },
          h('h1', null, 'Overview'),
          segments('Span of time', WINDOWS.map(([word, code]) => [word, href('/', { ...query, window: code }), code]), windowOf(query)),
          query.operation && chip('operation', query.operation, href('/', { ...query, operation: null })),
          query.tenant && chip('tenant', query.tenant, href('/', { ...query, tenant: null })),
          h('span', { class: 'dim small pulse', title: 'Read while this page is visible' }, 'as of ', when(data.now))),
      program(data.program),
      attention(data.attention),
      figures(data),
      Object.keys(data.series).length > 0 || data.operations.some(each => Object.keys(each.series).length > 0) ? charts(data)
          : empty('There is no history yet.', 'Each node writes its figures every 10 seconds: charts appear after the first calls.'),
      data.history_since && new Date(data.history_since) > new Date(data.from) && h('p', { class: 'dim small' }, 'The history begins ', ago(data.history_since), '.'),
      h('h2', null, 'By operation and channel'),
      data.operations.length > 0 ? operations(data, context)
          : empty('No operation ran and no channel has messages.', 'Run an operation, or send a webhook to a source.'),
    ];
  },
};
