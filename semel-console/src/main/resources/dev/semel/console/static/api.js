/** Requests to the API. Every failure is a Problem in words. */
const meta = name => document.querySelector(`meta[name="${name}"]`)?.content ?? '';
const base = new URL(`${meta('semel-api')}/`, document.baseURI).pathname.replace(/\/$/, '');
const LOGIN = 'semel.login';
const session = { csrf: null, header: 'X-CSRF-Token', byCookie: false, person: null };
const automatic = new WeakSet();

/** Whether the application around the console logs people in. */
export const loginIsExternal = meta('semel-login') === 'external';

/** A request that failed: what, why, and the correlation id by which the log tells more. */
export class Problem extends Error {
  constructor(status, fields) {
    super(fields.detail ?? fields.title ?? `The server answered ${status}.`);
    this.status = status;
    this.code = fields.code ?? '';
    this.correlation = fields.correlation_id ?? '';
    this.faults = fields.faults ?? [];
    this.retryAfter = fields.retry_after ?? null;
  }
}

/** The token that Spring Security expects in its mode for single-page applications. */
function cookieToken() {
  const found = document.cookie.split('; ').find(each => each.startsWith('XSRF-TOKEN='));
  return found ? decodeURIComponent(found.slice('XSRF-TOKEN='.length)) : null;
}

/** Whether a failed action certainly did nothing: the server rejected it. */
export const isRejected = failure => failure.status >= 400 && failure.status < 500;

async function problemOf(response) {
  let fields = {};
  try {
    fields = await response.json();
  } catch {
    fields = { detail: `The server answered ${response.status} ${response.statusText}`.trim() + '.' };
  }
  fields.retry_after = Number(response.headers.get('Retry-After')) || null;
  fields.correlation_id ??= response.headers.get('X-Correlation-Id') ?? '';
  return new Problem(response.status, fields);
}

/** An application answers a request whose session has expired with its login page, or leads there. */
function isLoginPage(response) {
  return loginIsExternal && (response.type === 'opaqueredirect'
      || (response.ok && response.status !== 204 && !response.headers.get('Content-Type')?.includes('json')));
}

/** Marks requests that no person asks for: the server does not take them for use of the session. Answers the signal. */
export function byItself(signal) {
  automatic.add(signal);
  return signal;
}

async function request(method, path, { body, signal } = {}) {
  const headers = { Accept: 'application/json' };
  if (loginIsExternal) {
    // Asks frameworks for a 401 in the place of a redirect to their login page.
    headers['X-Requested-With'] = 'XMLHttpRequest';
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  if (signal && automatic.has(signal)) {
    headers['X-Semel-Automatic'] = '1';
  }
  if (method !== 'GET') {
    headers['X-Semel-Console'] = '1';
    const token = session.byCookie ? cookieToken() : session.csrf;
    if (token) {
      headers[session.header] = token;
    }
  }
  let response;
  try {
    response = await fetch(base + path, {
      method,
      headers,
      signal,
      credentials: 'same-origin',
      redirect: loginIsExternal ? 'manual' : 'follow',
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (failure) {
    if (failure.name === 'AbortError') {
      throw failure;
    }
    throw new Problem(0, {
      title: 'No connection',
      detail: method === 'GET' ? 'The server cannot be reached: connection failed. It is tried again by itself.'
          : 'The connection failed before the answer came.',
    });
  }
  if (isLoginPage(response)) {
    throw new Problem(401, { title: 'Login needed', detail: 'The login has ended: the application asked for another one. Reload this page.' });
  }
  if (!response.ok) {
    throw await problemOf(response);
  }
  return response.status === 204 ? null : response.json();
}

/** A query string without what is empty. */
export function query(fields) {
  const text = new URLSearchParams(
      Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false));
  const all = text.toString();
  return all ? `?${all}` : '';
}

export function get(path, fields = {}, signal = undefined) {
  return request('GET', `/admin${path}${query(fields)}`, { signal });
}

export async function post(path, body) {
  const { csrf, person } = session;
  const send = () => request('POST', `/admin${path}`, { body });
  try {
    return await send();
  } catch (failure) {
    if (failure.status !== 401 && !isAboutCsrf(failure)) {
      throw failure;
    }
    // The token is another one after a new login, for example in another tab; or the application expects the one of its cookie.
    await whoAmI().catch(() => { throw failure; });
    if (session.person !== person) {
      dispatchEvent(new Event(LOGIN));
      throw failure;
    }
    if (failure.status === 401) {
      if (session.csrf === csrf) {
        throw failure;
      }
      return send();
    }
    for (const byCookie of cookieToken() ? [true, false] : [false]) {
      session.byCookie = byCookie;
      try {
        return await send();
      } catch (again) {
        if (!isAboutCsrf(again)) {
          throw again;
        }
      }
    }
    throw failure;
  }
}

/** Semel's own rejections have a code of their own: a role that is too low is no question of the token. */
const isAboutCsrf = failure => loginIsExternal && failure.status === 403 && failure.code !== 'access.denied';

/** The address of something that the browser downloads or follows by itself. */
export function address(path, fields = {}) {
  return `${base}/admin${path}${query(fields)}`;
}

function remember(opened) {
  session.csrf = opened.csrf_token ?? null;
  session.header = opened.csrf_header ?? 'X-CSRF-Token';
  session.person = JSON.stringify([opened.name, opened.role, opened.tenant]);
  return { ...opened, tenant: opened.all_tenants ? '*' : opened.tenant };
}

/** Who is logged in. */
export async function whoAmI() {
  return remember(await request('GET', '/session'));
}

export async function logIn(secret) {
  const opened = remember(await request('POST', '/session', { body: { secret, cookie: true } }));
  localStorage.setItem(LOGIN, String(Date.now()));
  return opened;
}

/** Calls when somebody has logged in in another tab: all tabs have the same session. */
export function onLoginElsewhere(call) {
  addEventListener(LOGIN, call);
  addEventListener('storage', event => event.key === LOGIN && call());
}

export async function logOut(everywhere) {
  await request('DELETE', `/session${everywhere ? '?everywhere=true' : ''}`);
  session.csrf = null;
}
