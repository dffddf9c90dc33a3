/** Where webhooks come from and go to, with health and the last attempts; and the gateways. */
import { h } from '../view.js';
import { get, post } from '../api.js';
import { ask, tell } from '../dialogs.js';
import { number, span } from '../format.js';
import { ago, button, empty, label, link, recordLink, section, table, when } from '../widgets.js';

async function reload(context) {
  const answer = await ask({
    title: 'Reload the configuration',
    explain: 'This node reads its configuration file again. It is taken into use as a whole, or rejected with all its faults.',
    verb: 'Reload',
    act: ({ reason }) => post('/reload', { reason }),
  });
  if (answer) {
    tell(answer.sentence);
    context.refresh();
  }
}

function health(destination) {
  if (destination.failing_since) {
    return [label('bad', 'Failing'), ' since ', ago(destination.failing_since)];
  }
  return destination.last_success ? [label('good', 'Healthy'), ' last success ', ago(destination.last_success)] : label('calm', 'Not used yet');
}

function destination(each) {
  return h('details', { class: 'destination', key: each.name, 'data-row': true, open: Boolean(each.failing_since) },
      h('summary', null, h('strong', null, each.name), ' ', h('span', { class: 'mono dim' }, each.origin), ' ', health(each)),
      h('p', { class: 'small' }, h('span', { class: 'dim' }, 'Channel '), link('/records', { operation: each.channel }, each.channel), h('span', { class: 'dim' }, ', policy '), link('/policies', {}, each.policy)),
      each.attempts.length === 0 ? h('p', { class: 'dim' }, 'No attempts yet.')
          : table(`Last attempts to ${each.name}`, [
            { title: 'Ended', cell: attempt => when(attempt.ended), class: 'plain tight' },
            { title: 'Record', cell: attempt => recordLink(attempt.record), class: 'plain tight' },
            { title: 'Attempt', cell: attempt => attempt.attempt, class: 'figure' },
            { title: 'Took', cell: attempt => (attempt.duration_ms === undefined ? '–' : span(attempt.duration_ms)), class: 'figure' },
            { title: 'Answer', class: 'plain tight', cell: attempt => (attempt.status ? label(attempt.status < 300 ? 'good' : 'bad', attempt.status) : label('bad', attempt.category ?? 'no answer')) },
            { title: 'Begins with', class: 'plain wide', cell: attempt => h('span', { class: 'mono dim' }, attempt.answer ?? '') },
          ], each.attempts, { key: attempt => `${attempt.record}|${attempt.attempt}|${attempt.ended}` }));
}

const unknown = () => h('span', { class: 'dim' }, '–');
const figure = value => (value === undefined ? unknown() : value === 0 ? h('span', { class: 'dim' }, 0) : number(value));

export const server = {
  title: 'Server',
  every: () => 10_000,
  load: (context, signal) => get('/server', {}, signal),
  view: (data, context) => [
    h('div', { class: 'title' },
        h('h1', null, 'Server'),
        context.may('admin') && button('Reload the configuration…', () => reload(context))),
    section('Destinations', data.destinations.length > 0 ? data.destinations.map(destination)
        : empty('No destinations are configured.', 'Add one under ', h('code', null, 'destinations:'), ' of the configuration to deliver webhooks.')),
    section('Sources', data.sources.length > 0 && h('p', { class: 'dim small' }, 'Counted by the node that answered, since it took its configuration into use.'), data.sources.length > 0
        ? table('Sources', [
          { title: 'Source', class: 'plain', cell: each => h('strong', null, each.name) },
          { title: 'Channel', class: 'plain', cell: each => link('/records', { operation: each.channel }, each.channel) },
          { title: 'Policy', class: 'plain', cell: each => link('/policies', {}, each.policy) },
          { title: 'Last webhook', class: 'tight', cell: each => (each.accepted === undefined ? unknown() : ago(each.last_webhook)) },
          { title: 'Accepted', class: 'figure', cell: each => figure(each.accepted) },
          { title: 'Repeated', class: 'figure', cell: each => figure(each.repeated) },
          { title: 'Rejected', class: 'figure', cell: each => [figure(each.rejected), each.last_rejected && h('span', { class: 'dim' }, ', last ', ago(each.last_rejected))] },
        ], data.sources, { key: each => each.name })
        : empty('No sources are configured.', 'Add one under ', h('code', null, 'sources:'), ' to accept signed webhooks.')),
    section('Gateways', data.gateways.length > 0
        ? table('Gateways', [
          { title: 'Gateway', class: 'plain', cell: each => h('strong', null, each.name) },
          { title: 'Path', class: 'plain', cell: each => h('span', { class: 'mono' }, each.path) },
          { title: 'Passes on to', class: 'plain', cell: each => h('span', { class: 'mono' }, each.origin) },
        ], data.gateways, { key: each => each.name })
        : empty('No gateways are configured.', 'A gateway makes another HTTP API idempotent: see ', h('code', null, 'gateways:'), '.')),
  ],
};
