/** Channels: how many wait, how long, what holds them up; and the line of one lane. */
import { h } from '../view.js';
import { get, post } from '../api.js';
import { ask, tell } from '../dialogs.js';
import { number } from '../format.js';
import { ago, button, empty, field, formFields, href, input, label, link, mode, recordLink, section, state, table } from '../widgets.js';
import { cause, next } from './records.js';

async function pause(channel, context) {
  const answer = await ask({
    title: `Pause ${channel}`,
    explain: 'Within a second no node takes a message of this channel. It still accepts messages, and loses none.',
    verb: 'Pause',
    danger: true,
    fields: [field('Only this tenant', input('tenant', context.everywhere ? '' : context.person.tenant, { readonly: !context.everywhere }), context.everywhere ? 'Empty for all tenants.' : null)],
    act: ({ reason, tenant }) => post('/channels/pause', { reason, channel, ...(tenant.trim() ? { tenant: tenant.trim() } : {}) }),
  });
  if (answer) {
    tell(`${channel} is paused${answer.tenant === '*' ? '' : ` for tenant ${answer.tenant}`}.`);
    context.refresh();
  }
}

async function resume(held, context) {
  const tenant = held.tenant === '*' ? {} : { tenant: held.tenant };
  const answer = await ask({
    title: `Resume ${held.channel}`,
    explain: `Its messages${held.tenant === '*' ? '' : ` of tenant ${held.tenant}`} are run again, the oldest first.`,
    verb: 'Resume',
    act: ({ reason }) => post('/channels/resume', { reason, channel: held.channel, ...tenant }),
  });
  if (answer) {
    tell(`${held.channel} is resumed.`);
    context.refresh();
  }
}

function pauses(channel, context) {
  return channel.pauses.map(held => h('div', { class: 'held' },
      label('warn', 'Paused'), ' ', held.tenant === '*' ? 'all tenants' : `tenant ${held.tenant}`, ', since ', ago(held.since),
      held.reason && h('span', { class: 'dim' }, `: ${held.reason}`),
      held.probe_ms > 0 && h('span', { class: 'dim' }, ' (by Semel itself; one message at a time is let through)'),
      context.may('operator') && (context.everywhere || held.tenant !== '*') && [' ', button('Resume', () => resume(held, context), { kind: 'small', name: `Resume ${channel.channel}` })]));
}

const BREAKERS = { open: ['bad', 'Breaker open'], half_open: ['warn', 'Breaker half open'] };

/** What the breaker does on the node that answered; others have their own. */
function breaker({ state: phase, since, node }) {
  const [kind, words] = BREAKERS[phase];
  return h('div', { class: 'held' }, label(kind, words), ' since ', ago(since), h('span', { class: 'dim' },
      ` on node ${node}: ${phase === 'open' ? 'its receiver keeps failing, so nothing is delivered' : 'a few messages are let through, and decide'}`));
}

function heldUp(channel, context) {
  const stopped = channel.breaker && channel.breaker.state !== 'closed';
  return [
    pauses(channel, context),
    stopped && breaker(channel.breaker),
    channel.pauses.length === 0 && !stopped && h('span', { class: 'dim', title: channel.breaker ? `Its breaker is closed on node ${channel.breaker.node}` : null },
        channel.breaker ? 'nothing; breaker closed' : 'nothing'),
  ];
}

function channelTable(channels, context) {
  const pausable = channel => !channel.pauses.some(held => held.tenant === '*' || !context.everywhere);
  return table('Channels', [
    { title: 'Channel', class: 'plain', cell: each => link('/records', { operation: each.channel }, each.channel) },
    {
      title: 'Waiting', class: 'figure', cell: each => link('/records', { operation: each.channel, state: 'QUEUED,FAILED_RETRYABLE' },
          `${number(each.waiting)}${each.more_waiting ? '+' : ''}`),
    },
    { title: 'Handled / min', class: 'figure', cell: each => h('span', { class: each.handled_per_minute ? null : 'dim', title: 'On average over the last 5 minutes' }, number(each.handled_per_minute)) },
    { title: 'Oldest due', cell: each => (each.oldest_due ? ago(each.oldest_due) : h('span', { class: 'dim' }, 'none due')), class: 'tight' },
    { title: 'Parked lanes', class: 'figure', cell: each => (each.parked_lanes ? link('/dead', { operation: each.channel }, number(each.parked_lanes)) : 0) },
    { title: 'Unknown', class: 'figure', cell: each => (each.unknown ? link('/records', { operation: each.channel, state: 'UNKNOWN' }, number(each.unknown)) : 0) },
    { title: 'Mode', cell: each => mode(each.mode), class: 'plain tight' },
    { title: 'Held up by', class: 'wide', cell: each => heldUp(each, context) },
    context.may('operator') && {
      title: '', name: 'Pause', class: 'tight', cell: each => pausable(each) && button('Pause…', () => pause(each.channel, context), { kind: 'small', name: `Pause ${each.channel}` }),
    },
  ].filter(Boolean), channels, { key: each => each.channel });
}

const MOST_PAGES = 5;
const MOST_SHOWN = 500;
const WAITING = 'UNKNOWN,FAILED_TERMINAL,IN_PROGRESS,FAILED_RETRYABLE,QUEUED';

/** The messages of a lane by their place. The server reads a part of the channel for each page, in which there may be none of the lane. */
async function readLane({ channel, tenant, lane: name }, signal) {
  const records = [];
  let cursor;
  for (let pages = 0; pages < MOST_PAGES && records.length < MOST_SHOWN && (pages === 0 || cursor); pages++) {
    const page = await get('/records', { operation: channel, tenant, lane: name, state: WAITING, limit: 200, cursor }, signal);
    records.push(...page.records);
    cursor = page.next;
  }
  const place = each => ORDER[each.line?.turn] ?? 9;
  records.sort((one, other) => place(one) - place(other));
  return { records, complete: !cursor };
}

const ORDER = { HEAD: 0, FREE: 1, ARRIVED: 2, WAITING: 3, LATER: 4, OUT: 5 };

function lane(data, context) {
  const { query } = context;
  const submit = event => {
    event.preventDefault();
    context.go(href('/channels', formFields(event.currentTarget)));
  };
  const form = h('form', { class: 'filters', role: 'search', 'aria-label': 'Show a lane', on: { submit } },
      field('Channel', input('channel', query.channel, { required: true, 'data-filter': true })),
      context.everywhere && field('Tenant', input('tenant', query.tenant)),
      field('Lane', input('lane', query.lane, { required: true })),
      h('button', { type: 'submit', class: 'primary' }, 'Show the lane'));
  if (!data.lane) {
    return section('A lane', h('p', { class: 'dim' }, 'Messages of one lane run one after the other. Name a lane to see its line and what its head waits for.'), form);
  }
  const { records: line, complete } = data.lane;
  return section('A lane', form,
      !complete && h('p', { class: 'notice' }, 'Not all messages of the channel were read: there may be more in this lane.'),
      data.head ? h('p', { class: 'verdict' }, h('strong', null, 'Head: '), data.head?.sentence ?? '', data.head?.next && data.head.next !== 'nothing' ? h('span', { class: 'dim' }, ` What to do: ${data.head.next}.`) : null)
          : complete && empty('Nothing waits in this lane.', 'All its messages are done, or there is no such lane.'),
      line.length > 0 && table('Messages of the lane', [
        { title: 'Place', class: 'plain tight', cell: each => ({ HEAD: 'head', WAITING: 'waits', LATER: 'later', OUT: 'out', FREE: 'free', ARRIVED: 'arrived' }[each.line?.turn] ?? '–') },
        { title: 'State', cell: each => state(each.state), class: 'plain tight' },
        { title: 'Record', cell: each => recordLink(each.id), class: 'plain tight' },
        context.everywhere && { title: 'Tenant', class: 'plain', cell: each => each.tenant },
        { title: 'Attempts', cell: each => each.attempt, class: 'figure' },
        { title: 'Next', cell: next, class: 'plain tight' },
        { title: 'Cause', cell: cause, class: 'plain wide' },
      ].filter(Boolean), line, { key: each => each.id }));
}

export const channels = {
  title: 'Channels',
  every: () => 10_000,
  load: async ({ query }, signal) => {
    const [all, line] = await Promise.all([
      get('/channels', {}, signal),
      query.channel && query.lane
          ? readLane(query, signal)
          : null,
    ]);
    const first = line?.complete || line?.records[0]?.line?.turn === 'HEAD' ? line.records[0] : null;
    const head = first ? await get(`/records/${first.id}/explanation`, {}, signal) : null;
    return { channels: all.channels, lane: line, head };
  },
  view: (data, context) => [
    h('h1', null, 'Channels'),
    data.channels.length > 0 ? channelTable(data.channels, context)
        : empty('No channel has waiting, running or parked messages, and none is paused.', 'Send a message to a channel: it appears here while it waits.'),
    lane(data, context),
  ],
};
