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
const HEIGHT = 62;
const BAND = 30;

/** Waits between attempts as bands, events as points; the width is the time. */
function drawing(events, record) {
  const first = at(events[0]);
  const waits = events.filter(event => event.delay_ms > 0 && event.type === 'retry.attempt');
  const open = !['COMPLETED', 'DISCARDED', 'SHADOWED', 'FAILED_TERMINAL'].includes(record.state);
  const ends = [at(events.at(-1)), ...waits.map(event => at(event) + event.delay_ms), open ? Date.now() : 0];
  const last = Math.max(...ends, first + 1);
  const place = moment => 1.5 + ((moment - first) / (last - first)) * 97;
  const band = (from, to, kind, title) => h('rect', {
    class: `band ${kind}`, x: `${place(from)}%`, width: `${Math.max(0.15, place(to) - place(from))}%`, y: BAND - 6, height: 12, rx: 2,
  }, h('title', null, title));
  const waiting = waits.map(event => band(at(event), at(event) + event.delay_ms, 'wait', `waits ${span(event.delay_ms)} after attempt ${event.attempt}`));
  let edge = -100;
  const points = events.map(event => {
    const x = place(at(event));
    const [word, kind] = words(event);
    const text = event.type === 'retry.attempt' && x - edge > 3;
    edge = text ? x : edge;
    return h('g', null,
        h('circle', { class: `point ${kind}`, cx: `${x}%`, cy: BAND, r: 5 }, h('title', null, `${word}, ${bothTimes(event.time)}`)),
        text && h('text', { class: 'mark', x: `${x}%`, y: BAND - 12, 'text-anchor': 'middle' }, event.attempt));
  });
  const long = last - first > 20 * 3600_000;
  return h('svg', {
    class: 'timeline', width: '100%', height: HEIGHT, role: 'img',
    'aria-label': `Timeline over ${span(last - first)}: ${events.map(event => words(event)[0]).join(', ')}`,
  },
  h('line', { class: 'grid', x1: '1.5%', x2: '98.5%', y1: BAND, y2: BAND }),
  band(first, last, 'life', `${span(last - first)} in all`), waiting, points,
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
  return parts.length > 0 ? parts : h('span', { class: 'dim' }, '–');
}

export function story({ events, cut }, record) {
  if (events.length === 0) {
    return section('What happened', h('p', { class: 'dim' }, 'The audit has no event of this record: it was purged, or events are switched off for its operation.'));
  }
  const first = at(events[0]);
  return section('What happened',
      (events.length > 1 || !['COMPLETED', 'DISCARDED', 'SHADOWED', 'FAILED_TERMINAL'].includes(record.state)) && drawing(events, record),
      cut && h('p', { class: 'dim small' }, 'The newest 200 events are shown; there may be older ones.'),
      table('Events', [
        { title: 'Time', cell: event => when(event.time), class: 'plain tight' },
        { title: 'After', cell: event => (at(event) === first ? h('span', { class: 'dim' }, 'start') : `+${span(at(event) - first)}`), class: 'plain tight figure' },
        { title: 'Event', cell: event => h('span', { title: event.type }, h('i', { class: `dot ${words(event)[1]}` }), words(event)[0]), class: 'plain tight' },
        { title: 'Attempt', cell: event => (event.attempt > 0 ? (event.of ? `${event.attempt} of ${event.of}` : event.attempt) : h('span', { class: 'dim' }, '–')), class: 'figure' },
        { title: 'Cause', cell: details, class: 'plain wide' },
      ], events, { key: event => event.id }));
}
