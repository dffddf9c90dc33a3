/** Modes: one switch with scope and reason, the settings in force, and SHADOW beside what was really sent. */
import { h } from '../view.js';
import { get, post } from '../api.js';
import { ask, tell } from '../dialogs.js';
import { number, pretty } from '../format.js';
import { ago, button, empty, field, formFields, input, label, link, mode, recordLink, section, select, table } from '../widgets.js';

const SAYS = {
  HALTED: 'Nothing in this scope starts, on all nodes within a second. Everything is still accepted, and nothing is lost.',
  SHADOW: 'Handlers decide and record, and nothing is sent or stored for real.',
  LIVE: 'The setting is removed: work in this scope runs again.',
};

const scopeOf = ({ scope, name, tenant }) => ({
  ...(scope === 'all' ? {} : { [scope]: name?.trim() ?? '' }),
  ...(tenant?.trim() ? { tenant: tenant.trim() } : {}),
});

function scopeWords(fields) {
  const what = fields.operation && fields.operation !== '*' ? `operation ${fields.operation}`
      : fields.prefix ? `operations that begin with ${fields.prefix}`
      : fields.label ? `operations with the label ${fields.label}` : 'all operations';
  return `${what}${fields.tenant && fields.tenant !== '*' ? `, tenant ${fields.tenant}` : ', all tenants'}`;
}

async function change(to, fields, context) {
  const wide = !fields.operation && !fields.prefix && !fields.label;
  const answer = await ask({
    title: `${to === 'LIVE' ? 'Back to LIVE' : to}: ${scopeWords(fields)}`,
    explain: SAYS[to],
    verb: { HALTED: 'Halt', SHADOW: 'Set to SHADOW', LIVE: 'Set to LIVE' }[to],
    danger: to !== 'LIVE',
    confirm: wide && to !== 'LIVE' ? 'all' : null,
    fields: [
      h('label', { class: 'check' }, h('input', { type: 'checkbox', name: 'wait', checked: true }), ' Wait until it applies on every node'),
      (fields.operation || fields.prefix || fields.label) && to !== 'LIVE'
          && h('label', { class: 'check' }, h('input', { type: 'checkbox', name: 'even_if_unknown' }), ' Also if the ledger has no record of this name yet'),
    ],
    act: ({ reason, wait, even_if_unknown: even }) =>
      post('/modes', { reason, mode: to, ...fields, wait: wait === 'on', even_if_unknown: even === 'on' || to === 'LIVE' }),
  });
  if (answer) {
    tell(`${to} is set for ${scopeWords(fields)}${answer.waited ? '; it applies on every node' : ''}.`);
    context.refresh();
  }
}

function theSwitch(context) {
  if (!context.may('operator')) {
    return h('p', { class: 'dim' }, 'Your role is viewer: setting a mode needs the role operator, and for more than one operation the role admin.');
  }
  const admin = context.may('admin');
  const scopes = [['operation', 'one operation'], ...(admin ? [['prefix', 'names that begin with'], ['label', 'a label'], ['all', 'everything']] : [])];
  const submit = event => {
    event.preventDefault();
    const fields = formFields(event.currentTarget);
    if (!context.everywhere) {
      fields.tenant = context.person.tenant;
    }
    change(fields.mode, scopeOf(fields), context);
  };
  const scope = context.state.scope ?? 'operation';
  const everything = scope === 'all';
  const scoped = event => {
    context.state.scope = event.currentTarget.value;
    context.render();
  };
  return h('section', { class: 'card switch' },
      h('h2', null, 'Stop something'),
      h('form', { class: 'filters', 'aria-label': 'Set a mode', on: { submit } },
          field('Mode', select('mode', 'HALTED', [['HALTED', 'HALTED: start nothing'], ['SHADOW', 'SHADOW: decide, do not act'], ['LIVE', 'LIVE: as usual']])),
          field('Scope', select('scope', scope, scopes, { on: { change: scoped } })),
          field('Name', input('name', '', { required: !everything, disabled: everything, 'data-filter': true })),
          context.everywhere && field('Only this tenant', input('tenant', '', { placeholder: 'all tenants' })),
          h('button', { type: 'submit', class: 'danger' }, 'Set the mode…')),
      !admin && h('p', { class: 'dim small' }, 'Your role is operator: groups and everything need the role admin.'));
}

function settings(data, context) {
  const own = each => context.everywhere || each.tenant !== '*';
  return section('In force',
      data.modes.settings.length === 0
          ? empty('Everything is LIVE.', 'A mode that is set stands here until it is set back to LIVE.')
          : table('Modes', [
            { title: 'Mode', cell: each => mode(each.mode), class: 'plain tight' },
            { title: 'Scope', cell: each => scopeWords(each), class: 'plain wide' },
            {
              title: '', name: 'Set to LIVE', class: 'tight', cell: each => context.may(each.operation && each.operation !== '*' ? 'operator' : 'admin') && own(each)
                && button('Set to LIVE…', () => {
                  const { mode: ignored, ...fields } = Object.fromEntries(Object.entries(each).filter(([, value]) => value !== '*'));
                  change('LIVE', fields, context);
                }, { kind: 'small', name: `Set to LIVE: ${scopeWords(each)}` }),
            },
          ], data.modes.settings, { key: each => JSON.stringify(each) }),
      data.modes.pauses.length > 0 && h('div', null, h('h3', null, 'Paused channels'), table('Pauses', [
        { title: 'Channel', class: 'plain', cell: each => link('/channels', {}, each.channel) },
        { title: 'Tenant', class: 'plain', cell: each => (each.tenant === '*' ? 'all' : each.tenant) },
        { title: 'Since', cell: each => ago(each.since), class: 'tight' },
        { title: 'Reason', cell: each => each.reason ?? h('span', { class: 'dim' }, 'not told'), class: 'wide' },
      ], data.modes.pauses, { key: each => `${each.channel}|${each.tenant}` })));
}

const DIFFERENCES = { not_sent: ['not sent', 'warn'], same: ['same', 'good'], other_payload: ['other payload', 'bad'], only_sent: ['only sent', 'bad'] };

function message(each) {
  const one = each.would_send ?? each.sent;
  const [word, kind] = DIFFERENCES[each.difference] ?? [each.difference, 'calm'];
  const side = (title, row) => h('div', null, h('h4', null, title), row ? [recordLink(row.id), row.payload !== undefined && h('pre', { tabindex: '0', 'aria-label': title }, pretty(row.payload))] : h('p', { class: 'dim' }, 'nothing'));
  return h('details', { key: one.id, class: 'compared', 'data-row': true },
      h('summary', null, label(kind, word), ' ', one.operation, ' ', h('span', { class: 'mono dim' }, one.id.slice(0, 12)), ' ', h('span', { class: 'dim' }, one.tenant)),
      h('div', { class: 'pair' }, side('SHADOW would have sent', each.would_send), side('was really sent', each.sent)));
}

function shadow({ shadow: found }, context) {
  const differences = context.query.differences === 'true';
  return section('SHADOW beside LIVE',
      found.compared + found.only_sent === 0
          ? empty('Nothing to compare: no operation in SHADOW would have sent anything.', 'Set an operation to SHADOW, let it run beside the real one, and come back.')
          : [
            h('p', null, `${number(found.compared)} messages would have been sent: `,
                ['same', 'other_payload', 'not_sent', 'only_sent'].map(each => [label(found[each] > 0 ? DIFFERENCES[each][1] : 'calm', `${number(found[each])} ${DIFFERENCES[each][0]}`), ' ']),
                !found.complete && h('span', { class: 'dim' }, '(of those that were compared; there are more)')),
            h('p', null, link('/modes', differences ? {} : { differences: 'true' }, differences ? 'Show all' : 'Only differences')),
            found.messages.map(message),
          ]);
}

export const modes = {
  title: 'Modes',
  every: () => 10_000,
  load: async ({ query }, signal) => {
    const [set, compared] = await Promise.all([get('/modes', {}, signal), get('/shadow', { differences: query.differences, limit: 20 }, signal)]);
    return { modes: set, shadow: compared };
  },
  view: (data, context) => [h('h1', null, 'Modes'), theSwitch(context), settings(data, context), shadow(data, context)],
};
