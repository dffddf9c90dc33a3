/** The shell: who is logged in, which page is shown, when it is read again. */
import { h, show } from './view.js';
import { Problem, byItself, loginIsExternal, logOut, onLoginElsewhere, whoAmI } from './api.js';
import { settings } from './format.js';
import { button, link, problem } from './widgets.js';
import { PLACES, help, listenToKeys } from './keyboard.js';
import { tell } from './dialogs.js';
import { login } from './pages/login.js';
import { overview } from './pages/overview.js';
import { records } from './pages/records.js';
import { record } from './pages/record.js';
import { dead } from './pages/dead.js';
import { channels } from './pages/channels.js';
import { modes } from './pages/modes.js';
import { server } from './pages/server.js';
import { audit } from './pages/audit.js';
import { retries } from './pages/retries.js';
import { policies } from './pages/policies.js';
import { doctor } from './pages/doctor.js';

const PAGES = {
  '/': overview,
  '/records': records,
  '/dead': dead,
  '/channels': channels,
  '/modes': modes,
  '/server': server,
  '/audit': audit,
  '/retries': retries,
  '/policies': policies,
  '/doctor': doctor,
};
const GROUPS = [['o', 'r', 'd'], ['c', 'm', 's'], ['a', 't', 'p', 'k']];
const MOST_REMEMBERED = 20;
const SILENCE = 30_000;
const THEME = 'semel.theme';

/** What was read last, by address: shown at once when a person comes back. */
const remembered = new Map();
const app = { person: null, route: null, data: null, failure: null, busy: false, menu: false, state: {}, reading: null, timer: 0, stream: null, followed: false };

function parse(hash) {
  const [path, text = ''] = hash.replace(/^#(main$)?/, '').split('?');
  const query = Object.fromEntries(new URLSearchParams(text));
  const one = /^\/records\/([0-9a-f]{4,64})$/.exec(path);
  const page = one ? record : PAGES[path || '/'];
  return { address: hash, path: path || '/', page, query, id: one?.[1] };
}

function remember(address, data) {
  remembered.delete(address);
  remembered.set(address, data);
  if (remembered.size > MOST_REMEMBERED) {
    remembered.delete(remembered.keys().next().value);
  }
}

const context = () => ({
  person: app.person,
  may: role => ['viewer', 'operator', 'admin'].indexOf(app.person.role) >= ['viewer', 'operator', 'admin'].indexOf(role),
  everywhere: app.person.tenant === '*',
  query: app.route.query,
  path: app.route.path,
  id: app.route.id,
  state: app.state,
  render,
  refresh: () => read(),
  go: address => { location.hash = address; },
});

const readByItself = () => read({ automatic: true });

/** Reads the data of the page and shows it; what is shown meanwhile stays. */
async function read({ automatic = false } = {}) {
  const route = app.route;
  if (!route?.page || !app.person) {
    return;
  }
  clearTimeout(app.timer);
  app.reading?.abort();
  const reading = new AbortController();
  app.reading = reading;
  if (automatic) {
    byItself(reading.signal);
  }
  app.busy = true;
  renderBusy();
  try {
    const data = await route.page.load(context(), reading.signal);
    if (app.reading !== reading) {
      return;
    }
    app.data = data;
    app.failure = null;
    remember(route.address, data);
  } catch (failure) {
    if (failure.name === 'AbortError' || app.reading !== reading) {
      return;
    }
    if (failure.status === 401) {
      forget();
      showLogin(failure.message);
      return;
    }
    if (!(failure instanceof Problem)) {
      console.error(failure);
    }
    app.failure = failure;
  }
  app.busy = false;
  render();
  plan();
  if (!app.failure && !document.hidden) {
    follow();
  }
}

/** Takes what the server sends by itself; while it sends nothing, the page is read again every now and then. */
function follow() {
  const source = app.route.page.live?.(context());
  if (!source || (app.stream && app.stream.readyState !== EventSource.CLOSED)) {
    return;
  }
  app.stream?.close();
  const route = app.route;
  const stream = new EventSource(source.address);
  app.stream = stream;
  stream.addEventListener(source.event, event => {
    if (app.stream === stream && app.route === route) {
      app.data = JSON.parse(event.data);
      app.failure = null;
      remember(route.address, app.data);
      render();
      plan();
    }
  });
  stream.addEventListener('open', () => {
    if (app.stream === stream) {
      plan();
    }
  });
  // The browser tries to connect again and again: each failure must not put off the next read.
  stream.addEventListener('error', () => {
    if (app.stream === stream && app.followed) {
      plan();
    }
  });
  stream.addEventListener('end', event => {
    if (app.stream === stream && JSON.parse(event.data).reason === 'unauthenticated') {
      unfollow();
      readByItself();
    }
  });
}

function unfollow() {
  app.stream?.close();
  app.stream = null;
}

/** Reads again after a while, unless nobody looks. A connection may break without a word: then a stream is silent for long. */
function plan() {
  clearTimeout(app.timer);
  if (document.hidden || !app.person) {
    return;
  }
  app.followed = app.stream?.readyState === EventSource.OPEN;
  const every = app.followed ? SILENCE : app.failure ? 10_000 : app.route?.page?.every?.(app.data, context()) ?? 0;
  if (every > 0) {
    app.timer = setTimeout(() => {
      if (app.followed) {
        unfollow();
      }
      readByItself();
    }, every);
  }
}

function navigate() {
  const before = app.route;
  const route = parse(location.hash);
  app.route = route;
  app.menu = false;
  unfollow();
  const samePage = before?.path === route.path;
  if (!samePage) {
    app.state = {};
  }
  app.failure = null;
  app.data = remembered.get(route.address) ?? (samePage ? app.data : null);
  if (!app.person) {
    return;
  }
  render();
  if (!samePage) {
    document.getElementById('main')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
  read();
}

function theme() {
  const chosen = localStorage.getItem(THEME);
  return chosen ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

function applyTheme() {
  document.documentElement.dataset.theme = theme();
}

function switchTheme() {
  localStorage.setItem(THEME, theme() === 'dark' ? 'light' : 'dark');
  applyTheme();
  render();
}

function switchZone() {
  settings.utc = !settings.utc;
  render();
}

/** Drops all that was read for a person, and what is still on its way: whoever logs in next may be somebody else. */
function forget() {
  clearTimeout(app.timer);
  unfollow();
  app.reading?.abort();
  Object.assign(app, { person: null, route: null, data: null, failure: null, busy: false, menu: false, state: {}, reading: null });
  remembered.clear();
  document.querySelectorAll('dialog').forEach(dialog => dialog.close());
  document.getElementById('live').replaceChildren();
}

async function leave(everywhere) {
  try {
    await logOut(everywhere);
    forget();
    showLogin(null);
  } catch (failure) {
    tell(failure.message, true);
  }
}

/** A ring that closes once, and the point in which it does. */
export function wordmark() {
  return h('span', { class: 'wordmark' },
      h('svg', { viewBox: '0 0 32 32', width: 22, height: 22, 'aria-hidden': 'true' },
          h('path', { class: 'ring', d: 'M24 8.8A11 11 0 1 0 27 16' }),
          h('circle', { class: 'core', cx: 16, cy: 16, r: 3.4 })),
      'Semel');
}

function navigation() {
  const item = key => {
    const [path, title] = PLACES[key];
    const here = app.route.path === path || (path === '/records' && app.route.path.startsWith('/records/'));
    return h('li', null, h('a', { href: `#${path}`, 'aria-current': here ? 'page' : null }, title));
  };
  return h('nav', { class: 'places', 'aria-label': 'Pages of the console' }, GROUPS.map(group => h('ul', null, group.map(item))));
}

function person() {
  const { name, role, tenant } = app.person;
  return h('div', { class: 'person' },
      h('p', null, h('strong', null, name), h('span', { class: 'dim small' }, `${role}, ${tenant === '*' ? 'all tenants' : `tenant ${tenant}`}`)),
      h('div', { class: 'tools' },
          button(settings.utc ? 'UTC' : 'Local', switchZone, { kind: 'quiet small', name: settings.utc ? 'Times are in UTC; show local times' : 'Times are local; show UTC' }),
          button(theme() === 'dark' ? 'Dark' : 'Light', switchTheme, { kind: 'quiet small', name: theme() === 'dark' ? 'Dark colours; switch to light' : 'Light colours; switch to dark' }),
          button('Keys', help, { kind: 'quiet small' }),
          !loginIsExternal && h('details', { class: 'drop' },
              h('summary', { class: 'small' }, 'Log out'),
              h('div', null,
                  button('This browser', () => leave(false), { kind: 'small' }),
                  button('Everywhere', () => leave(true), { kind: 'small', name: 'Log out everywhere: end all my sessions' })))));
}

function content() {
  const { page } = app.route;
  if (!page) {
    return [h('h1', null, 'No such page'), h('p', null, 'There is nothing at this address. ', link('/', {}, 'Go to the overview'), '.')];
  }
  const title = typeof page.title === 'function' ? page.title(context()) : page.title;
  document.title = `${title} · Semel`;
  return [
    app.failure && h('div', { class: 'failure' }, problem(app.failure, app.data ? 'These figures are old: reading them again failed.' : 'This page could not be read.')),
    app.data ? page.view(app.data, context()) : [h('h1', null, title), !app.failure && h('p', { class: 'dim', 'aria-live': 'polite' }, 'Reading…')],
  ];
}

function renderBusy() {
  const main = document.getElementById('main');
  if (main) {
    main.setAttribute('aria-busy', String(app.busy));
  }
}

function render() {
  if (!app.person) {
    return;
  }
  show(document.getElementById('shell'),
      h('header', { class: `side${app.menu ? ' open' : ''}`, key: 'side' },
          h('div', { class: 'bar' },
              h('a', { href: '#/', class: 'home', 'aria-label': 'Semel: overview' }, wordmark()),
              h('button', {
                type: 'button',
                class: 'menu',
                'aria-expanded': String(app.menu),
                'aria-controls': 'folded',
                on: { click: () => { app.menu = !app.menu; render(); } },
              }, app.menu ? 'Close' : 'Menu')),
          h('div', { class: 'folded', id: 'folded' }, navigation(), person())),
      h('main', { id: 'main', tabindex: '-1', 'aria-busy': String(app.busy), 'data-ready': app.data || app.failure ? 'true' : null, key: 'main' },
          h('div', { key: app.route.path, class: 'page' }, content())));
}

function showLogin(message) {
  clearTimeout(app.timer);
  unfollow();
  document.title = 'Log in · Semel';
  show(document.getElementById('shell'), login({
    message,
    wordmark,
    entered: who => {
      app.person = who;
      navigate();
    },
  }));
}

/** The session is that of the browser: when somebody else has it now, nothing that was read before stays. */
async function recheck() {
  const before = app.person;
  try {
    const who = await whoAmI();
    if (app.person !== before) {
      return;
    }
    if (before && ['name', 'role', 'tenant'].every(field => who[field] === before[field])) {
      read();
      return;
    }
    forget();
    app.person = who;
    navigate();
  } catch (failure) {
    if (before && app.person === before) {
      read();
    }
  }
}

async function start() {
  applyTheme();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { applyTheme(); render(); });
  addEventListener('hashchange', navigate);
  document.addEventListener('visibilitychange', () => {
    clearTimeout(app.timer);
    unfollow();
    if (!document.hidden && app.person) {
      recheck();
    }
  });
  onLoginElsewhere(recheck);
  document.querySelector('a.skip').addEventListener('click', event => {
    event.preventDefault();
    document.getElementById('main')?.focus();
  });
  listenToKeys({ refresh: () => read(), utc: switchZone, theme: switchTheme });
  try {
    app.person = await whoAmI();
    navigate();
  } catch (failure) {
    showLogin(failure.status === 401 || failure.status === 404 ? null : failure.message);
  }
}

start();
