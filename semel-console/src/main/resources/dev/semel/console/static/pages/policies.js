/** The policies and their settings, as configuration writes them. */
import { h } from '../view.js';
import { get } from '../api.js';
import { empty, facts } from '../widgets.js';

export const policies = {
  title: 'Policies',
  load: (context, signal) => get('/policies', {}, signal),
  view: data => [
    h('h1', null, 'Policies'),
    h('p', { class: 'dim' }, 'A policy says how often and how fast something is tried again, what counts as a failure, and how long a record is kept.'),
    data.policies.length === 0 ? empty('No policies.') : h('div', { class: 'grid' }, data.policies.map(policy =>
        h('section', { class: 'card dense', key: policy.name, 'data-row': true, tabindex: '-1' },
            h('h2', null, policy.name, policy.code !== policy.name && h('span', { class: 'dim small' }, ` ${policy.code}`)),
            facts(Object.entries(policy.settings).map(([name, value]) => [name, h('span', { class: 'mono' }, Array.isArray(value) ? value.join(', ') : String(value))]))))),
  ],
};
