/** Logging in, and the first steps of somebody who has no secret yet. */
import { h } from '../view.js';
import { logIn, loginIsExternal } from '../api.js';
import { span } from '../format.js';
import { field, problem } from '../widgets.js';

function words(failure) {
  if (failure.status === 429) {
    const wait = failure.retryAfter ? ` Try again in ${span(failure.retryAfter * 1000)}.` : ' Try again later.';
    return Object.assign(new Error(`Too many failed logins came from this address.${wait}`), { correlation: failure.correlation });
  }
  if (failure.status === 401) {
    return Object.assign(new Error(`${failure.message} Check that the whole secret was copied.`), { correlation: failure.correlation });
  }
  return failure;
}

function external(wordmark) {
  return h('main', { class: 'login', id: 'main', key: 'login' },
      wordmark(),
      h('h1', null, 'Your application’s login is needed'),
      h('p', null, 'This console is part of an application, which decides who may see it. Log in to that application with an account that has a role for the console, then reload this page.'),
      h('p', null, h('button', { type: 'button', class: 'primary', on: { click: () => location.reload() } }, 'Reload')));
}

export function login({ message, wordmark, entered }) {
  if (loginIsExternal) {
    return external(wordmark);
  }
  const submit = async event => {
    event.preventDefault();
    const form = event.currentTarget;
    const told = form.querySelector('.told');
    const secret = form.elements.secret.value.trim();
    form.elements.enter.disabled = true;
    try {
      entered(await logIn(secret));
    } catch (failure) {
      told.replaceChildren(problem(words(failure), 'You are not logged in.'));
      form.elements.secret.select();
      form.elements.enter.disabled = false;
    }
  };
  return h('main', { class: 'login', id: 'main', key: 'login' },
      wordmark(),
      h('h1', null, 'Log in'),
      message && h('p', { class: 'notice' }, message),
      h('form', { on: { submit } },
          field('Secret', h('input', {
            name: 'secret', type: 'password', required: true, autocomplete: 'current-password', autofocus: true, spellcheck: 'false',
          }), 'Your own secret, a token of the identity provider, or the one-time secret of a first start.'),
          h('div', { class: 'told', 'aria-live': 'assertive' }),
          h('button', { type: 'submit', name: 'enter', class: 'primary' }, 'Log in')),
      h('section', { class: 'steps', 'aria-label': 'First steps' },
          h('h2', null, 'First time here?'),
          h('ol', null,
              h('li', null, 'While no users are configured, the server writes a one-time secret into its log when it starts: ', h('code', null, 'semel_once_…')),
              h('li', null, 'Open this page on the server’s own machine and enter that secret. It works once, and the session lasts 12 hours.'),
              h('li', null, 'Add people to the configuration under ', h('code', null, 'users:'), ' or ', h('code', null, 'oidc:'), '; then they log in from anywhere.'))));
}
