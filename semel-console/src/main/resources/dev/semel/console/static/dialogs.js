/** Dialogs: the browser's own, so that focus stays inside and Escape closes. */
import { h, show } from './view.js';
import { isRejected } from './api.js';
import { field, input, problem } from './widgets.js';

const live = () => document.getElementById('live');
let fading = 0;

/** Tells a result: on the page, and to screen readers. */
export function tell(sentence, bad = false) {
  clearTimeout(fading);
  show(live(), h('div', { class: `toast${bad ? ' bad' : ''}` },
      h('span', null, sentence),
      h('button', { type: 'button', class: 'quiet small', 'aria-label': 'Close the message', on: { click: () => show(live()) } }, '×')));
  fading = setTimeout(() => show(live()), 12_000);
}

/** What came of a failed action. */
const outcome = failure => failure.outcome ?? (isRejected(failure) ? 'Nothing was done.' : 'Whether it was done is not known: look before you repeat it.');

/**
 * Opens a dialog; answers when it is closed. `build` gets a function that closes it with a value, and the dialog, whose `underWay` is the
 * answer of an action that is not over yet.
 */
export function open(title, build, kind = '') {
  return new Promise(resolve => {
    const before = document.activeElement;
    const dialog = h('dialog', { 'aria-labelledby': 'dialog-title', class: kind });
    let result = null;
    const close = value => {
      result = value;
      dialog.close();
    };
    dialog.append(h('h2', { id: 'dialog-title' }, title), build(close, dialog));
    dialog.addEventListener('close', () => {
      dialog.remove();
      before?.focus?.();
      resolve(result ?? dialog.underWay ?? null);
    });
    dialog.addEventListener('click', event => {
      if (event.target === dialog) {
        dialog.close();
      }
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector('[autofocus]')?.focus();
  });
}

/**
 * Asks for the reason of an action and performs it. The dialog stays open with the words of the server when that fails.
 *
 * @param what.explain what will happen, as elements or text
 * @param what.fields more fields of the form
 * @param what.act gets the fields of the form; its answer is the dialog's
 */
export function ask({ title, explain, verb, danger = false, fields = [], confirm = null, act }) {
  return open(title, (close, dialog) => {
    const failure = h('div');
    const perform = async values => await act(values, dialog) ?? true;
    const submit = h('button', { type: 'submit', class: danger ? 'danger' : 'primary', disabled: confirm !== null }, verb);
    const form = h('form', {
      method: 'dialog',
      on: {
        submit: async event => {
          event.preventDefault();
          submit.disabled = true;
          show(failure);
          const action = perform(Object.fromEntries(new FormData(form)));
          dialog.underWay = action.catch(failed => {
            if (!dialog.open) {
              tell(`${title}: ${outcome(failed)} ${failed.message}`, true);
            }
            return null;
          });
          try {
            close(await action);
          } catch (failed) {
            show(failure, problem(failed, outcome(failed)));
            submit.disabled = false;
          }
          dialog.underWay = null;
        },
        input: () => {
          if (confirm !== null) {
            submit.disabled = form.elements.confirmation.value !== confirm;
          }
        },
      },
    },
    h('div', { class: 'explain' }, explain),
    ...fields,
    field('Reason', input('reason', '', { required: true, maxlength: 200, autofocus: true }), 'Stands in the audit beside your name.'),
    confirm !== null && field(`Type ${confirm} to confirm`, input('confirmation', '')),
    failure,
    h('div', { class: 'buttons' },
        h('button', { type: 'button', on: { click: () => close(null) } }, 'Back'),
        submit));
    return form;
  }, danger ? 'danger' : '');
}
