/** What happened to a record, drawn to scale and told as a list. */
import { h } from '../view.js';
import { bothTimes, clock, span } from '../format.js';
import { section, table, when } from '../widgets.js';

const WORDS = {
  'operation.queued': ['accepted', 'calm'],
  'operation.executed': ['done', 'good'],
  'operation.replayed': ['duplicate answered', 'calm'],
  'operation.conflict': ['conflicting duplicate rejected', 'warn'],
  'operation.taken_over': ['taken over by another node', 'warn'],
  'operation.unknown': ['outcome unknown', 'doubt'],
  'operation.reconciled': ['reconciled', 'good'],
  'operation.shadowed': ['decided in SHADOW', 'calm'],
  'retry.attempt': ['attempt failed', 'warn'],
  'retry.exhausted': ['attempts used up', 'bad'],
  'system.error': ['dead', 'bad'],
  'operator.replayed': ['replayed by a person', 'accent'],
  'operator.discarded': ['discarded by a person', 'accent'],
  'operator.forgot': ['forgotten by a person', 'accent'],
};

const at = event => new Date(event.time).getTime();
const words = event => WORDS[event.type] ?? [event.type, 'calm'];
const ENDED = ['COMPLETED', 'DISCARDED', 'SHADOWED', 'FAILED_TERMINAL'];
const HEIGHT = 84;
const MIDDLE = 34;

/** How an attempt ended, for an event that tells of one: of a death in two events, the first one tells it. */
function attemptOf(event, index, events) {
  const died = event.type === 'system.error' && events[index - 1]?.type !== 'retry.exhausted';
  const failed = event.type === 'retry.attempt' || event.type === 'retry.exhausted' || died;
  if (!failed && event.type !== 'operation.executed') {
    return null;
  }
  const took = event.took_ms ?? event['note.took_ms'];
  const number = event.attempt || 1;
  const cause = failed ? `: ${[event.category, event.reason].filter(Boolean).join(', ')}` : '';
  return {
    event, failed, took, number,
    words: `attempt ${number} ${failed ? 'failed' : 'succeeded'}${took == null ? '' : ` after ${span(took)}`}${cause}`,
  };
}

/** Attempts are as wide as they took, or as narrow as can be seen; between them are the waits. Other events are points. */
function drawing(events, record) {
  const tried = events.map(attemptOf);
  const start = (event, attempt) => at(event) - (attempt?.took ?? 0);
  const first = Math.min(...events.map((event, index) => start(event, tried[index])));
  const waits = events.filter(event => event.delay_ms > 0 && event.type === 'retry.attempt');
  const open = !ENDED.includes(record.state);
  const ends = [at(events.at(-1)), ...waits.map(event => at(event) + event.delay_ms), open ? Date.now() : 0];
  const last = Math.max(...ends, first + 1);
  const place = moment => 1.5 + ((moment - first) / (last - first)) * 97;
  const band = (from, to, kind, high, title) => h('rect', {
    class: `band ${kind}`, x: `${place(from)}%`, width: `${Math.max(0.15, place(to) - place(from))}%`, y: MIDDLE - high / 2, height: high, rx: 2,
  }, h('title', null, title));
  const waiting = waits.map(event => band(at(event), at(event) + event.delay_ms, 'wait', 12, `waits ${span(event.delay_ms)} after attempt ${event.attempt}`));
  let numbered = -100;
  let explained = -100;
  const marks = events.map((event, index) => {
    const x = place(at(event));
    const attempt = tried[index];
    const [word, kind] = words(event);
    if (!attempt && event.type === 'system.error') {
      return null; // The attempt that was the last one stands there.
    }
    if (!attempt) {
      return h('circle', { class: `point ${kind}`, cx: `${x}%`, cy: MIDDLE, r: 5 }, h('title', null, `${word}, ${bothTimes(event.time)}`));
    }
    const wide = Math.max(0.7, x - place(start(event, attempt)));
    const middle = x - wide / 2;
    const number = middle - numbered > 3;
    const cause = attempt.failed && event.category && middle - explained > 11;
    numbered = number ? middle : numbered;
    explained = cause ? middle : explained;
    const anchor = middle > 92 ? 'end' : middle < 8 ? 'start' : 'middle';
    const edge = anchor === 'end' ? x : anchor === 'start' ? x - wide : middle;
    return h('g', { class: 'attempt' },
        h('rect', { class: `run ${kind}`, x: `${x - wide}%`, width: `${wide}%`, y: MIDDLE - 11, height: 22, rx: 3 }, h('title', null, `${attempt.words}; ${bothTimes(event.time)}`)),
        number && h('text', { class: 'mark', x: `${middle}%`, y: MIDDLE - 17, 'text-anchor': 'middle' }, attempt.number),
        cause && h('text', { class: 'mark cause', x: `${edge}%`, y: MIDDLE + 25, 'text-anchor': anchor }, event.category));
  });
  const long = last - first > 20 * 3600_000;
  const told = events.map((event, index) => tried[index]?.words ?? words(event)[0]);
  return h('svg', {
    class: 'timeline', width: '100%', height: HEIGHT, role: 'img',
    'aria-label': `Timeline over ${span(last - first)}: ${told.join('; ')}`,
  },
  h('line', { class: 'grid', x1: '1.5%', x2: '98.5%', y1: MIDDLE, y2: MIDDLE }),
  band(first, last, 'life', 12, `${span(last - first)} in all`), waiting, marks,
  h('text', { class: 'mark', x: '1.5%', y: HEIGHT - 4 }, clock(first, long)),
  h('text', { class: 'mark', x: '50%', y: HEIGHT - 4, 'text-anchor': 'middle' }, span(last - first)),
  h('text', { class: 'mark', x: '98.5%', y: HEIGHT - 4, 'text-anchor': 'end' }, open && last === ends.at(-1) ? 'now' : clock(last, long)));
}

function details(event) {
  const parts = [];
  if (event.category) {
    parts.push(h('span', { class: 'category' }, event.category), ' ');
  }
  if (event.reason) {
    parts.push(h('span', { class: 'reason' }, event.reason));
  }
  if (event.delay_ms > 0) {
    parts.push(h('span', { class: 'dim' }, ` next attempt after ${span(event.delay_ms)}`));
  }
  if (event.count > 1) {
    parts.push(h('span', { class: 'dim' }, ` ${event.count} times`));
  }
  if (event.actor && event.type.startsWith('operator.')) {
    parts.push(h('span', { class: 'dim' }, ` by ${event.actor}`));
  }
  return parts.length > 0 ? parts : none();
}

const none = () => h('span', { class: 'dim none' }, '–');

function took(event) {
  const millis = event.took_ms ?? event['note.took_ms'];
  return millis == null ? none() : span(millis);
}

export function story({ events, cut }, record) {
  if (events.length === 0) {
    return section('What happened', h('p', { class: 'dim' }, 'The audit has no event of this record: it was purged, or events are switched off for its operation.'));
  }
  const first = at(events[0]);
  return section('What happened',
      (events.length > 1 || !ENDED.includes(record.state)) && drawing(events, record),
      cut && h('p', { class: 'dim small' }, 'The newest 200 events are shown; there may be older ones.'),
      table('Events', [
        { title: 'Time', cell: event => when(event.time), class: 'plain tight' },
        { title: 'After', cell: event => (at(event) === first ? h('span', { class: 'dim' }, 'start') : `+${span(at(event) - first)}`), class: 'plain tight figure' },
        { title: 'Event', cell: event => h('span', { title: event.type }, h('i', { class: `dot ${words(event)[1]}` }), words(event)[0]), class: 'plain tight' },
        { title: 'Attempt', cell: event => (event.attempt > 0 ? (event.of ? `${event.attempt} of ${event.of}` : event.attempt) : none()), class: 'figure' },
        { title: 'Took', cell: took, class: 'tight figure' },
        { title: 'Cause', cell: details, class: 'plain wide' },
      ], events, { key: event => event.id }));
}
