/**
 * The view layer: h() builds elements, update() brings a live element into the shape of a fresh one. Text is always text: there is no way
 * to pass markup.
 */
const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set(['svg', 'g', 'path', 'rect', 'circle', 'line', 'text', 'title', 'polyline', 'pattern', 'defs']);
const KEPT = new Set(['DETAILS', 'DIALOG']);

function dispatch(event) {
  const handler = event.currentTarget.semelOn?.[event.type];
  if (handler) {
    handler(event);
  }
}

function listen(element, type, handler) {
  element.semelOn ??= {};
  if (!(type in element.semelOn)) {
    element.addEventListener(type, dispatch);
  }
  element.semelOn[type] = handler;
}

function append(element, child) {
  if (Array.isArray(child)) {
    child.forEach(each => append(element, each));
  } else if (child !== null && child !== undefined && child !== false) {
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * An element. Properties: `on` holds handlers by event, `style` an object of CSS properties, `key` names the element among its siblings;
 * all others are attributes, left out when null, undefined or false.
 */
export function h(tag, props, ...children) {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (name === 'on') {
      Object.entries(value).forEach(([type, handler]) => listen(element, type, handler));
    } else if (name === 'style') {
      Object.entries(value).forEach(([property, text]) => element.style.setProperty(property, text));
    } else if (name === 'key') {
      element.semelKey = String(value);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  append(element, children);
  return element;
}

function same(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && one.semelKey === other.semelKey;
}

function updateAttributes(live, fresh) {
  const skipped = name => name === 'style' || (name === 'open' && KEPT.has(live.nodeName));
  for (const { name, value } of [...fresh.attributes]) {
    if (!skipped(name) && live.getAttribute(name) !== value) {
      live.setAttribute(name, value);
      if (name === 'value' && 'value' in live && live.nodeName !== 'PROGRESS') {
        live.value = value;
      }
    }
  }
  for (const { name } of [...live.attributes]) {
    if (!skipped(name) && !fresh.hasAttribute(name)) {
      live.removeAttribute(name);
    }
  }
  if (live.style && live.style.cssText !== fresh.style.cssText) {
    live.style.cssText = fresh.style.cssText;
  }
  if (live.nodeName === 'INPUT' && (live.type === 'checkbox' || live.type === 'radio')) {
    live.checked = fresh.hasAttribute('checked');
  }
}

function updateHandlers(live, fresh) {
  for (const type of Object.keys(live.semelOn ?? {})) {
    live.semelOn[type] = undefined;
  }
  Object.entries(fresh.semelOn ?? {}).forEach(([type, handler]) => listen(live, type, handler));
}

/** Makes `live` like `fresh`: what is the same stays, so focus, selection and open parts are kept. `fresh` is used up. */
export function update(live, fresh) {
  if (live.nodeType === Node.TEXT_NODE) {
    if (live.data !== fresh.data) {
      live.data = fresh.data;
    }
    return;
  }
  updateAttributes(live, fresh);
  updateHandlers(live, fresh);
  updateChildren(live, [...fresh.childNodes]);
}

function updateChildren(live, wanted) {
  const keyed = new Map();
  for (const child of live.childNodes) {
    if (child.semelKey !== undefined) {
      keyed.set(child.semelKey, child);
    }
  }
  let at = live.firstChild;
  for (const fresh of wanted) {
    const known = fresh.semelKey === undefined ? at : keyed.get(fresh.semelKey);
    if (known && same(known, fresh)) {
      if (known === at) {
        at = at.nextSibling;
      } else {
        live.insertBefore(known, at);
      }
      keyed.delete(fresh.semelKey);
      update(known, fresh);
    } else {
      live.insertBefore(fresh, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Replaces what a container shows. */
export function show(container, ...children) {
  const fresh = document.createElement('div');
  append(fresh, children);
  updateChildren(container, [...fresh.childNodes]);
}
