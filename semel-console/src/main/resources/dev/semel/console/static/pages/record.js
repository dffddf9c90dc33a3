/** One record: why it is not done, what happened, what it caused, and what a person can do about it. */
import { h } from '../view.js';
import { get } from '../api.js';
import { brief, pretty } from '../format.js';
import { ago, copyable, copyButton, facts, href, link, recordLink, section, state, when } from '../widgets.js';
import { actions } from './actions.js';
import { story } from './story.js';
import { causedTree, isNarrow } from './tree.js';

function verdict(data) {
  const { record } = data;
  const { sentence, next } = record.explanation;
  return h('div', { class: `verdict state-${record.state.toLowerCase()}` },
      h('p', { class: 'sentence' }, sentence),
      next && next !== 'nothing' && h('p', { class: 'next' }, h('strong', null, 'What to do: '), next.replace(/^./, each => each.toUpperCase()), /[.!?]$/.test(next) ? '' : '.'));
}

const TURNS = {
  FREE: 'free: not bound to a lane',
  HEAD: 'head of its lane',
  WAITING: 'waits behind the head of its lane',
  ARRIVED: 'arrived, not in line yet',
  LATER: 'due later',
  OUT: 'out of its lane',
};

function about(record, context) {
  return facts([
    ['Id', copyable(record.id, `${record.id.slice(0, 20)}…`)],
    ['Operation', link('/records', { operation: record.operation }, record.operation)],
    context.everywhere && ['Tenant', link('/records', { tenant: record.tenant }, record.tenant)],
    ['Attempts', record.attempt],
    ['Fence', h('span', { class: 'mono' }, record.fence)],
    record.at && [{ IN_PROGRESS: 'Lease ends', QUEUED: 'Due', FAILED_RETRYABLE: 'Due', UNKNOWN: 'Since' }[record.state] ?? 'Kept until', [when(record.at), ' ', h('span', { class: 'dim' }, '(', ago(record.at), ')')]],
    ['Correlation id', [link('/records', { tenant: context.everywhere ? record.tenant : null, correlation_id: record.correlation_id }, record.correlation_id)]],
    record.line && ['Line', TURNS[record.line.turn] ?? record.line.turn],
    record.line?.lane && ['Lane', link('/channels', { channel: record.operation, tenant: context.everywhere ? record.tenant : null, lane: record.line.lane }, record.line.lane)],
    record.line?.deadline && ['Deadline', when(record.line.deadline)],
    record.step_of && ['Step of', recordLink(record.step_of)],
    record.sent_by && ['Sent by', recordLink(record.sent_by)],
    record.failure && ['Category', link('/records', { category: record.failure.category }, record.failure.category)],
    record.failure?.exception && ['Exception', h('span', { class: 'mono' }, record.failure.exception)],
  ]);
}

function contents(record, context) {
  if (record.contents_hidden) {
    return section('Payload and result', h('p', { class: 'dim' }, `Your role is ${context.person.role}: payloads and results need the role operator.`));
  }
  const box = (title, text) => h('section', { class: 'card' },
      h('div', { class: 'head' }, h('h2', null, title), text !== undefined && copyButton(pretty(text), 'Copy')),
      text === undefined
          ? h('p', { class: 'dim' }, title === 'Result' ? 'There is no result yet.' : 'No payload is stored.')
          : h('pre', { tabindex: '0', 'aria-label': title }, pretty(text)));
  return h('div', { class: 'pair' }, box('Payload', record.payload), box('Result', record.result));
}

export const record = {
  title: ({ id }) => `Record ${brief(id)}`,
  every: ({ record: { state: name } }) => ['COMPLETED', 'DISCARDED', 'SHADOWED', 'FAILED_TERMINAL'].includes(name) ? 0 : 12_000,
  load: async ({ id }, signal) => {
    const [shown, told, tree] = await Promise.all([
      get(`/records/${id}`, {}, signal),
      get(`/records/${id}/story`, {}, signal),
      get(`/records/${id}/tree`, {}, signal),
    ]);
    return { record: shown, story: told, tree };
  },
  view: (data, context) => {
    const { record: shown, tree } = data;
    const known = section('Facts', about(shown, context));
    const caused = causedTree(tree, shown.id);
    return [
      h('div', { class: 'title' },
          h('h1', null, shown.operation, h('span', { class: 'dim' }, ' / '), h('span', { class: 'mono' }, brief(shown.id))),
          state(shown.state),
          h('a', { class: 'dim small', href: href('/audit', { record: shown.id }) }, 'in the audit')),
      verdict(data),
      actions(shown, context),
      story(data.story, shown),
      isNarrow(tree) ? h('div', { class: 'pair' }, known, caused) : [caused, known],
      contents(shown, context),
    ];
  },
};
