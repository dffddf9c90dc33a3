/** Small charts in SVG. They fill their width; text stays outside, so that it is never stretched. */
import { h } from './view.js';
import { bothTimes, clock, short } from './format.js';

const HEIGHT = 64;

/** A round number above all values. */
function ceiling(most) {
  if (most <= 0) {
    return 1;
  }
  const unit = 10 ** Math.floor(Math.log10(most));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map(factor => factor * unit).find(value => value >= most) ?? most;
}

/** Beside a chart stands the sum of its points, unless a series says another total. */
function withTotals(series) {
  return series.map(each => ({ total: points => points.reduce((sum, point) => sum + (point[each.field] ?? 0), 0), ...each }));
}

function frame({ title, points, series, format = short, most, marks }) {
  const last = points.at(-1);
  const day = points.length > 1 && last.at - points[0].at > 26 * 3600_000;
  const rest = () => series.map(each => [each, each.total(points)]);
  const words = (pairs, at) => [
    ...(at ? [h('span', { class: 'dim' }, clock(at, day))] : []),
    ...pairs.map(([each, value]) => h('span', null, h('i', { class: `dot ${each.color}` }), `${each.name} `, h('b', null, value == null ? '–' : format(value)))),
  ];
  // Found from the event: the element that was built here may have been used up by an update.
  const say = (event, pairs, at) =>
    event.currentTarget.closest('figure').querySelector('.readout').replaceChildren(...words(pairs, at));
  const summary = `${title}: ${rest().map(([each, value]) => `${each.name} ${value == null ? 'none' : format(value)}`).join(', ')}; highest ${format(most)}`;
  const columns = points.map((point, index) => h('rect', {
    class: 'column',
    x: `${(index / points.length) * 100}%`,
    width: `${100 / points.length}%`,
    y: 0,
    height: HEIGHT,
    on: { pointerenter: event => say(event, series.map(each => [each, point[each.field]]), point.at) },
  }, h('title', null, bothTimes(point.at))));
  const drawing = h('svg', { class: 'chart', height: HEIGHT, width: '100%', role: 'img', 'aria-label': summary, on: { pointerleave: event => say(event, rest()) } },
      h('line', { class: 'grid', x1: 0, x2: '100%', y1: 0.5, y2: 0.5 }),
      h('line', { class: 'grid', x1: 0, x2: '100%', y1: HEIGHT - 0.5, y2: HEIGHT - 0.5 }),
      marks, columns);
  return h('figure', { class: 'chartbox' },
      h('figcaption', null, h('h3', null, title), h('span', { class: 'readout' }, words(rest()))),
      drawing,
      h('div', { class: 'axis', 'aria-hidden': 'true' },
          h('span', null, points.length ? clock(points[0].at, day) : ''),
          h('span', null, `top ${format(most)}`),
          h('span', null, last ? clock(last.at, day) : '')));
}

/** Stacked columns. Series: {name, field, color, total}. Points: {at, ...fields}. */
export function bars(title, points, series, options = {}) {
  const sums = points.map(point => series.reduce((sum, each) => sum + (point[each.field] ?? 0), 0));
  const most = ceiling(Math.max(0, ...sums));
  const wide = 100 / Math.max(1, points.length);
  const marks = points.flatMap((point, index) => {
    let top = HEIGHT;
    return series.filter(each => point[each.field] > 0).map(each => {
      const high = Math.max(1, (point[each.field] / most) * (HEIGHT - 2));
      top -= high;
      return h('rect', { class: `fill ${each.color}`, x: `${(index + 0.12) * wide}%`, width: `${wide * 0.76}%`, y: top, height: high });
    });
  });
  return frame({ title, points, most, marks, series: withTotals(series), ...options });
}

/** Lines, each from the points that have a value. */
export function lines(title, points, series, options = {}) {
  const values = points.flatMap(point => series.map(each => point[each.field]).filter(value => value !== null && value !== undefined));
  const most = ceiling(Math.max(0, ...values));
  const path = each => {
    let pen = 'M';
    return points.map((point, index) => {
      const value = point[each.field];
      if (value === null || value === undefined) {
        pen = 'M';
        return '';
      }
      const text = `${pen}${((index + 0.5) / points.length) * 100} ${HEIGHT - 1 - (value / most) * (HEIGHT - 3)}`;
      const alone = pen === 'M' && (points[index + 1]?.[each.field] ?? null) === null;
      pen = 'L';
      return alone ? `${text}h0.4` : text;
    }).join('');
  };
  const marks = h('svg', { x: 0, y: 0, width: '100%', height: HEIGHT, viewBox: `0 0 100 ${HEIGHT}`, preserveAspectRatio: 'none' },
      series.map(each => h('path', { class: `stroke ${each.color}`, d: path(each), 'vector-effect': 'non-scaling-stroke' })));
  return frame({ title, points, most, marks, series: withTotals(series), ...options });
}

/** A line of a few pixels, for a table. */
export function spark(values, name) {
  const most = Math.max(1, ...values);
  const wide = 100 / Math.max(1, values.length);
  return h('svg', { class: 'spark', width: 88, height: 18, viewBox: '0 0 100 18', preserveAspectRatio: 'none', role: 'img', 'aria-label': name },
      values.map((value, index) => value > 0 && h('rect', {
        class: 'fill accent',
        x: (index + 0.1) * wide,
        width: wide * 0.8,
        y: 18 - Math.max(1, (value / most) * 17),
        height: Math.max(1, (value / most) * 17),
      })));
}
