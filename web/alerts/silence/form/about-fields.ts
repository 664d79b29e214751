import type { LabelSet } from '../../../../src/alerts/contract/wire.ts';
import { h } from '../../../shared/dom.ts';
import { fieldError } from '../../../shared/shell/states.ts';
import { t } from '../../text.ts';
import { endsWithAlerts, formAnnotations, TICKET } from '../annotations.ts';
import type { SilenceDraft } from './draft.ts';

/** Who silences and why, the ticket, and whether the silence ends with its alerts. */
export class AboutFields {
  readonly element: HTMLElement;
  readonly creator: HTMLInputElement;
  readonly comment: HTMLTextAreaElement;
  readonly expires = h('input', { type: 'checkbox', id: 'expires' });
  readonly #ticket: HTMLInputElement;
  readonly #annotations: LabelSet | undefined;

  constructor({ createdBy, comment, annotations }: SilenceDraft) {
    this.#annotations = annotations;
    const text = { type: 'text', autocomplete: 'off' };
    this.creator = h('input', {
      ...text,
      id: 'creator',
      autocomplete: 'name',
      value: createdBy,
      'aria-describedby': 'createdBy-error',
    });
    this.comment = h('textarea', { id: 'comment', rows: 2, 'aria-describedby': 'comment-error' }, comment);
    this.#ticket = h('input', {
      ...text,
      id: 'ticket',
      value: annotations?.[TICKET] ?? '',
      'aria-describedby': 'ticket-hint',
    });
    this.expires.checked = endsWithAlerts({ ...(annotations && { annotations }) });
    const field = (input: HTMLElement, title: string, ...more: readonly HTMLElement[]) =>
      h('div', { class: 'field' }, h('label', { for: input.id }, title), input, more);
    const hint = h('span', { class: 'hint', id: 'ticket-hint' }, t('silence.form.ticket.hint'));
    this.element = h(
      'div',
      { class: 'about-fields' },
      h('label', { class: 'radio', for: 'expires' }, this.expires, t('silence.form.resolved')),
      field(this.comment, t('silence.comment'), fieldError('comment-error')),
      h(
        'div',
        { class: 'about-row' },
        field(this.creator, t('silence.column.creator'), fieldError('createdBy-error')),
        field(this.#ticket, t('silence.ticket'), hint),
      ),
    );
  }

  get annotations(): LabelSet | undefined {
    return formAnnotations(this.#annotations, this.expires.checked, this.#ticket.value.trim());
  }
}
