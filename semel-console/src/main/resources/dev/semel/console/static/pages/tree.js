/** What a record caused, drawn: the record at the left, what came of it at the right. Every box is a link. */
import { h } from '../view.js';
import { brief, count } from '../format.js';
import { STATES, href, section, state } from '../widgets.js';

const GAP = 36;
const ROW = 58;
const HIGH = 48;

/** How wide a box is, so that a record and what it caused fit beside each other. */
const boxWidth = () => (matchMedia('(max-width: 760px)').matches ? 148 : 200);

/** Places boxes so that one stands beside the middle of those that it caused. */
function place(tree) {
  const boxes = [];
  const lines = [];
  let row = 0;
  const put = (one, depth, cause) => {
    const box = { one, depth, cause, cut: one.cut };
    boxes.push(box);
    const children = [...(one.steps ?? []).map(each => ({ ...each, steps: [], sent: [] })), ...(one.sent ?? [])];
    const placed = children.map(each => put(each, depth + 1, box));
    box.y = placed.length > 0 ? (placed[0].y + placed.at(-1).y) / 2 : row++;
    placed.forEach(each => lines.push([box, each]));
    return box;
  };
  put(tree, 0, null);
  return { boxes, lines, rows: row, depth: Math.max(...boxes.map(box => box.depth)) };
}

const name = one => (one.step ? `step ${one.step}` : one.operation);

function line([from, to], width) {
  const x1 = from.depth * (width + GAP) + width;
  const x2 = to.depth * (width + GAP);
  const y1 = from.y * ROW + HIGH / 2;
  const y2 = to.y * ROW + HIGH / 2;
  const middle = (x1 + x2) / 2;
  return h('path', { class: 'edge', d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}` });
}

function box({ one, depth, y, cause, cut }, width, here) {
  // Beside what is to be read in the box, by which a person who speaks it is understood.
  const words = [
    [name(one), STATES[one.state]?.word ?? one.state, brief(one.id), one.failure?.category, cut && '…'].filter(Boolean).join(' '),
    one.attempt > 1 && `${one.attempt} attempts`,
    cause && `caused by ${name(cause.one)}`,
    one.id === here && 'this record',
    cut && 'caused more than is shown',
  ].filter(Boolean).join(', ');
  return h('a', {
    key: one.id,
    class: `node state-${one.state.toLowerCase()}`,
    href: href(`/records/${one.id}`),
    'aria-current': one.id === here ? 'true' : null,
    title: words,
    'data-row': true,
    style: { left: `${depth * (width + GAP)}px`, top: `${y * ROW}px`, width: `${width}px`, height: `${HIGH}px` },
  },
  h('span', { class: 'name' }, one.step && h('span', { class: 'dim' }, 'step '), one.step ?? one.operation),
  h('span', { class: 'about' }, state(one.state), h('span', { class: 'mono dim' }, brief(one.id)), one.failure && h('span', { class: 'dim' }, one.failure.category), cut && h('span', { class: 'dim' }, '…')));
}

function all(tree) {
  return [...(tree.steps ?? []), ...(tree.sent ?? []).flatMap(each => [each, ...all(each)])];
}

/** Whether what it caused caused nothing: then the drawing is narrow. */
export function isNarrow(tree) {
  return (tree.sent ?? []).every(each => all(each).length === 0);
}

export function causedTree(tree, here) {
  const caused = all(tree);
  if (caused.length === 0) {
    return section('What it caused', h('p', { class: 'dim' }, 'It has no steps and sent no messages.'));
  }
  const { boxes, lines, rows, depth } = place(tree);
  const steps = caused.filter(each => each.step).length;
  const summary = [steps && count(steps, 'step'), caused.length > steps && count(caused.length - steps, 'message')].filter(Boolean).join(' and ');
  const width = boxWidth();
  const wide = depth * (width + GAP) + width;
  const high = (rows - 1) * ROW + HIGH;
  return section('What it caused',
      h('div', { class: 'graphbox' },
          h('div', { class: 'graph', role: 'group', 'aria-label': `${name(tree)} caused ${summary}`, style: { width: `${wide}px`, height: `${high}px` } },
              h('svg', { width: wide, height: high, 'aria-hidden': 'true' }, lines.map(each => line(each, width))),
              boxes.map(each => box(each, width, here)))),
      boxes.some(each => each.cut) && h('p', { class: 'dim small' }, 'There is more than is shown here.'));
}
