/** The audit: events by filter, their export, and the proof that none was changed. */
import { h } from '../view.js';
import { address, get } from '../api.js';
import { number } from '../format.js';
import { chip, copyable, empty, field, filterBox, formFields, href, input, label, link, pager, problem, recordLink, section, select, table, when } from '../widgets.js';

const TYPES = ['operation.queued', 'operation.executed', 'operation.replayed', 'operation.conflict', 'operation.taken_over', 'operation.unknown',
  'operation.reconciled', 'operation.shadowed', 'retry.attempt', 'retry.exhausted', 'system.error', 'mode.changed', 'channel.paused',
  'channel.resumed', 'operator.replayed', 'operator.discarded', 'operator.forgot', 'operator.login', 'operator.denied', 'purge.completed',
  'store.adopted', 'deliveries.checked', 'server.reload', 'destination.tested'];
const NAMES = { tenant: 'tenant', operation: 'operation', type: 'type', record: 'record', since: 'since', until: 'until' };
const FRONT = new Set(['id', 'time', 'type', 'tenant', 'operation', 'record', 'key_hash', 'fingerprint', 'ref', 'fence', 'attempt', 'actor', 'actor_type', 'source', 'reason', 'category']);

const chosen = query => Object.fromEntries(Object.keys(NAMES).filter(name => query[name]).map(name => [name, query[name]]));

/** The browser's field has no zone: it is local time. */
const toIso = text => (text && !text.endsWith('Z') ? new Date(text).toISOString() : text);
const toLocal = text => {
  if (!text) {
    return '';
  }
  const at = new Date(text);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

function filters(context) {
  const { query } = context;
  const submit = event => {
    event.preventDefault();
    const fields = formFields(event.currentTarget);
    context.go(href('/audit', { ...fields, since: toIso(fields.since), until: toIso(fields.until) }));
  };
  const without = name => {
    const { [name]: ignored, ...rest } = chosen(query);
    return href('/audit', rest);
  };
  const active = Object.entries(NAMES).filter(([name]) => query[name]);
  return [
    filterBox(
        h('form', { class: 'filters', role: 'search', 'aria-label': 'Filter the audit', on: { submit } },
            field('Operation', input('operation', query.operation, { 'data-filter': true })),
            context.everywhere && field('Tenant', input('tenant', query.tenant)),
            field('Type', select('type', query.type, [['', 'any'], ...TYPES.map(each => [each, each])])),
            field('Record', input('record', query.record, { pattern: '[0-9a-f]{64}', title: 'All 64 digits of its id', class: 'mono' })),
            field('Since', input('since', toLocal(query.since), { type: 'datetime-local' })),
            field('Until', input('until', toLocal(query.until), { type: 'datetime-local' })),
            h('button', { type: 'submit', class: 'primary' }, 'Apply'))),
    active.length > 0 && h('p', { class: 'chips', 'aria-label': 'Active filters' },
        active.map(([name, title]) => chip(title, name === 'record' ? query[name].slice(0, 12) : query[name], without(name))),
        link('/audit', {}, 'Remove all')),
  ];
}

async function verify(context, anchor) {
  context.state.verifying = true;
  context.render();
  try {
    context.state.verified = await get('/audit/verify', { anchor });
    context.state.failed = null;
  } catch (failure) {
    context.state.failed = failure;
  }
  context.state.verifying = false;
  context.render();
}

function verification(context) {
  const { verified, failed, verifying } = context.state;
  const submit = event => {
    event.preventDefault();
    verify(context, formFields(event.currentTarget).anchor);
  };
  return section('Is it intact?',
      !context.everywhere ? h('p', { class: 'dim' }, 'The seals cover all tenants: only somebody of all tenants can verify them.')
          : [h('p', { class: 'dim' }, 'Events are sealed by a chain of hashes. With the anchor of an earlier check, a tail that was cut off is found as well.'),
            h('form', { class: 'filters', 'aria-label': 'Verify the audit', on: { submit } },
              field('Anchor of an earlier check', input('anchor', '', { class: 'mono', pattern: '[1-9][0-9]*:[0-9a-fA-F]{64}', title: 'A number, a colon and 64 hexadecimal digits' })),
              h('button', { type: 'submit', disabled: Boolean(verifying) }, verifying ? 'Verifying…' : 'Verify the seals'))],
      h('div', { 'aria-live': 'polite' },
          failed && problem(failed, 'The check did not run.'),
          verified && h('div', { class: `notice ${verified.intact ? 'good' : 'bad'}` },
              h('p', null, label(verified.intact ? 'good' : 'bad', verified.intact ? 'Intact' : verified.damage?.kind ?? 'Damaged'), ' ',
                  verified.intact ? `No event was changed, removed or inserted: ${number(verified.events)} events under ${number(verified.seals)} seals.` : verified.damage?.sentence),
              verified.unsealed > 0 && h('p', { class: 'dim' }, `${number(verified.unsealed)} newer events are not sealed yet.`),
              verified.anchor && h('p', null, 'Keep this anchor elsewhere: ', copyable(verified.anchor, `${verified.anchor.slice(0, 28)}…`)))));
}

function details(event) {
  const rest = Object.entries(event).filter(([name]) => !FRONT.has(name));
  const first = [event.category && [h('span', { class: 'category' }, event.category), ' '], event.reason && h('span', { class: 'reason' }, event.reason)];
  return rest.length === 0 ? first : h('details', { class: 'inline' },
      h('summary', null, event.category || event.reason ? first : h('span', { class: 'dim' }, 'details')),
      h('dl', { class: 'facts' }, rest.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', { class: 'mono' }, String(value))))));
}

export const audit = {
  title: 'Audit',
  every: (data, { query }) => (query.cursor ? 0 : 10_000),
  load: ({ query }, signal) => get('/audit/events', { ...query, limit: 50 }, signal),
  view: (data, context) => {
    const { record, ...exported } = chosen(context.query);
    return [
      h('div', { class: 'title' },
          h('h1', null, 'Audit'),
          h('a', { class: 'button', href: address('/audit/export', exported), download: 'semel-audit.ndjson' }, 'Export as NDJSON')),
      filters(context),
      data.events.length > 0
          ? table('Events', [
            { title: 'Time', cell: event => when(event.time), class: 'plain tight' },
            { title: 'Type', cell: event => event.type, class: 'plain tight' },
            { title: 'Operation', class: 'plain', cell: event => event.operation ?? h('span', { class: 'dim' }, '–') },
            context.everywhere && { title: 'Tenant', class: 'plain', cell: event => (event.tenant === '*' ? h('span', { class: 'dim' }, 'all') : event.tenant) },
            { title: 'Record', cell: event => (event.record ? recordLink(event.record) : h('span', { class: 'dim' }, '–')), class: 'plain tight' },
            { title: 'Who', cell: event => event.actor ?? h('span', { class: 'dim' }, '–') },
            { title: 'Details', cell: details, class: 'plain wide' },
          ].filter(Boolean), data.events, { key: event => event.id })
          : empty(data.next ? 'None of the events that were read matches; there are more to read.' : 'No event matches.', 'Events are written when something is accepted, fails, ends, or is changed by a person.'),
      pager('/audit', context.query, data.next),
      verification(context),
    ];
  },
};
