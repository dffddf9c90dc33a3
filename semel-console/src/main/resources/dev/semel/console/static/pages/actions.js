/** What a person can do about a record: only what its state and the person's role allow. */
import { h } from '../view.js';
import { post } from '../api.js';
import { brief } from '../format.js';
import { ask, tell } from '../dialogs.js';
import { button, field, input, STATES } from '../widgets.js';

const ACTIONS = [
  {
    name: 'replay',
    states: ['FAILED_TERMINAL', 'SHADOWED', 'DISCARDED'],
    title: 'Replay',
    kind: 'primary',
    explain: record => record.state === 'SHADOWED'
        ? 'It is done for real: the next free worker runs it.'
        : 'It runs again from the start of its attempts. Steps that are done are not repeated.',
  },
  {
    name: 'discard',
    states: ['FAILED_TERMINAL', 'SHADOWED'],
    title: 'Discard',
    explain: () => 'It is closed and not tried again. Its lane continues. A discarded record can still be replayed.',
  },
  {
    name: 'cancel',
    states: ['QUEUED', 'FAILED_RETRYABLE'],
    title: 'Cancel it',
    explain: () => 'It will not be run. This works only while no attempt is under way.',
  },
];

const done = (context, answer) => {
  if (answer) {
    tell(answer.sentence);
    context.refresh();
  }
};

async function perform(action, record, context) {
  done(context, await ask({
    title: `${action.title} ${record.operation}/${brief(record.id)}`,
    explain: action.explain(record),
    verb: action.title,
    act: ({ reason }) => post(`/records/${record.id}/${action.name}`, { reason }),
  }));
}

async function resolve(record, outcome, context) {
  const effect = outcome === 'took_effect';
  done(context, await ask({
    title: effect ? 'It took effect' : 'It had no effect',
    explain: effect
        ? 'You looked at the other side and found the effect there. The record is closed; nothing runs again.'
        : 'You looked at the other side and found nothing. The record runs again. If this is wrong, its effect happens twice.',
    verb: effect ? 'Close it' : 'Run it again',
    danger: !effect,
    act: ({ reason }) => post(`/records/${record.id}/resolve`, { reason, outcome }),
  }));
}

async function forget(record, context) {
  const answer = await ask({
    title: 'Forget this key',
    explain: ['The record and its steps are removed, and the next call with this key runs as if it were the first. ',
      'The console does not know the key, only its hash: type it, so that nothing is forgotten by accident.'],
    verb: 'Forget',
    danger: true,
    fields: [field('Key', input('key', '', { required: true }))],
    act: ({ reason, key }) => post('/forget', { reason, key, tenant: record.tenant, operation: record.operation }),
  });
  if (answer) {
    tell(answer.sentence);
    context.go('/records');
  }
}

export function actions(record, context) {
  if (!context.may('operator')) {
    return h('p', { class: 'dim' }, 'Your role is viewer: replay, discard and other actions need the role operator.');
  }
  const word = STATES[record.state]?.word.toLowerCase() ?? record.state;
  const buttons = ACTIONS.filter(action => action.states.includes(record.state) && !(record.step_of && action.name === 'cancel'))
      .map(action => button(action.title, () => perform(action, record, context), { kind: action.kind }));
  if (record.state === 'UNKNOWN') {
    buttons.push(button('It took effect: close it', () => resolve(record, 'took_effect', context), { kind: 'primary' }));
    buttons.push(button('It had no effect: run it again', () => resolve(record, 'no_effect', context)));
  }
  if (context.may('admin') && !record.step_of) {
    const running = ['QUEUED', 'IN_PROGRESS'].includes(record.state);
    buttons.push(button('Forget', () => forget(record, context), { kind: 'quiet', disabled: running ? `It is ${word}: it cannot be forgotten now` : null }));
  }
  const none = { IN_PROGRESS: 'It is running: nothing can be done until its attempt or its lease ends.', COMPLETED: 'It is done: there is nothing to replay or discard.' };
  return h('div', { class: 'actions', role: 'group', 'aria-label': 'Actions' },
      none[record.state] && h('span', { class: 'dim' }, none[record.state]), buttons);
}
