/** Requests to the API. Every failure is a Problem in words. */
const meta = name => document.querySelector(`meta[name="${name}"]`)?.content ?? '';
const base = new URL(`${meta('semel-api')}/`, document.baseURI).pathname.replace(/\/$/, '');
const session = { csrf: null, header: 'X-CSRF-Token', byCookie: false };
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

/** Marks requests that no person asks for: the server does not take them for use of the session. Answers the signal. */
export function byItself(signal) {
  automatic.add(signal);
  return signal;
}

async function request(method, path, { body, signal } = {}) {
  const headers = { Accept: 'application/json' };
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
      redirect: 'manual',
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
  if (response.type === 'opaqueredirect') {
    // The API sends nobody elsewhere: what stands in front of it wants a login.
    throw new Problem(401, { title: 'Login needed', detail: 'The login has ended: the request was sent on to a login page. Reload this page.' });
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
  const send = () => request('POST', `/admin${path}`, { body });
  try {
    return await send();
  } catch (failure) {
    if (!isAboutCsrf(failure)) {
      throw failure;
    }
    // The application may have changed its CSRF token, for example after a new login; or it expects the one of its cookie.
    await whoAmI();
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
  return { ...opened, tenant: opened.all_tenants ? '*' : opened.tenant };
}

/** Who is logged in. */
export async function whoAmI() {
  return remember(await request('GET', '/session'));
}

export async function logIn(secret) {
  return remember(await request('POST', '/session', { body: { secret, cookie: true } }));
}

export async function logOut(everywhere) {
  await request('DELETE', `/session${everywhere ? '?everywhere=true' : ''}`);
  session.csrf = null;
}
