/** Which guarantee the store gives with the settings that it really has. */
import { h } from '../view.js';
import { get } from '../api.js';
import { label, section, table } from '../widgets.js';

const CLASSES = {
  A: 'Effect and ledger commit together: an operation takes effect exactly once.',
  B: 'Durable compare-and-set with fences: no record is lost, and no stale run can write.',
  C: 'A filter of duplicates only: records can be lost. Do not rely on it alone.',
};

export const doctor = {
  title: 'Doctor',
  load: (context, signal) => get('/doctor', {}, signal),
  view: data => [
    h('h1', null, 'Doctor'),
    h('div', { class: `verdict ${data.class === 'A' ? 'good' : data.class === 'B' ? 'warn' : 'bad'}` },
        h('p', { class: 'sentence' }, h('strong', null, `Class ${data.class}. `), CLASSES[data.class] ?? ''),
        h('p', { class: 'dim' }, 'Store ', h('span', { class: 'mono' }, data.store))),
    section('What was checked', table('Settings of the store', [
      { title: 'Allows', cell: each => label(each.limits === 'A' ? 'good' : each.limits === 'B' ? 'warn' : 'bad', `Class ${each.limits}`), class: 'plain tight' },
      { title: 'Setting', class: 'plain', cell: each => each.setting },
      { title: 'Value', class: 'plain', cell: each => h('span', { class: 'mono' }, each.value) },
      { title: 'Advice', cell: each => each.advice ?? h('span', { class: 'dim' }, 'as it should be'), class: 'plain wide' },
    ], data.findings, { key: each => each.setting })),
  ],
};
