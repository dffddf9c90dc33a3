/** The progress of a replay of many. The job is named in the address, so it survives a reload. */
import { h } from '../view.js';
import { get, post } from '../api.js';
import { ask, tell } from '../dialogs.js';
import { count, number } from '../format.js';
import { button, href, state } from '../widgets.js';

const CHANNEL = 'semel.replays';

export async function readJob(name, signal) {
  const [progress, modes] = await Promise.all([get(`/dead/replays/${name}`, {}, signal), get('/modes', {}, signal)]);
  return { ...progress, paused: modes.pauses.find(pause => pause.channel === CHANNEL) ?? null };
}

async function act(path, title, explain, context) {
  const answer = await ask({ title, explain, verb: title, act: ({ reason }) => post(path, { reason }) });
  if (answer) {
    tell(answer.sentence ?? 'Done.');
    context.refresh();
  }
}

function buttons(progress, context) {
  const all = context.everywhere ? null : 'Only somebody of all tenants can do this: it holds up the replays of everybody';
  if (progress.state === 'FAILED_TERMINAL') {
    return button('Continue', () => act(`/dead/replays/${progress.job}/resume`, 'Continue', 'The job failed itself. It continues where it ended; nothing is replayed twice.', context), { kind: 'primary' });
  }
  return progress.paused
      ? button('Resume', () => act('/dead/replays/resume', 'Resume', 'All replays of many continue, on all nodes.', context), { kind: 'primary', disabled: all })
      : button('Pause', () => act('/dead/replays/pause', 'Pause', 'All replays of many are held up, on all nodes. Nothing is lost.', context), { disabled: all });
}

export function job(progress, context) {
  const done = progress.over ? progress.matched - Math.min(progress.matched, progress.left ?? 0) : progress.done;
  const share = progress.matched ? Math.min(1, done / progress.matched) : 1;
  const sentence = progress.over
      ? progress.left > 0 ? `Over. ${count(progress.left, 'message')} that match are dead now: they were locked, or failed again.` : 'Over. Everything that matched was replayed.'
      : progress.paused ? `Paused: ${progress.paused.reason ?? 'for all tenants'}.` : progress.sentence;
  return h('section', { class: 'card job', 'aria-label': 'Replay of many' },
      h('div', { class: 'head' },
          h('h2', null, 'Replay ', h('span', { class: 'mono' }, progress.job)),
          progress.over ? state('COMPLETED') : progress.paused ? h('span', { class: 'label warn' }, 'Paused') : state(progress.state),
          h('div', { class: 'actions' },
              !progress.over && context.may('operator') && buttons(progress, context),
              h('a', { href: href('/dead') }, 'Close'))),
      h('progress', { max: 1, value: share, 'aria-label': `${number(done)} of ${number(progress.matched)} replayed` }),
      h('p', null, h('b', null, `${number(done)} of ${number(progress.matched)}`), ' replayed. ', h('span', { class: 'dim' }, sentence)),
      progress.with_unknown && h('p', { class: 'dim small' }, 'It includes messages with an unknown outcome.'));
}
