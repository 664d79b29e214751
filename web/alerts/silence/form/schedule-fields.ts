import type { Clock } from '../../../shared/clock.ts';
import { h, setAttribute } from '../../../shared/dom.ts';
import { fieldError } from '../../../shared/shell/states.ts';
import { formatSpan, fromFieldValue, parseSpan, toFieldValue } from '../../parts/time-text.ts';
import { t } from '../../text.ts';
import type { DraftSpan } from './draft.ts';
import { resolveSpan, withDuration, withEnd, withStart } from './draft.ts';

const PRESETS = ['30m', '1h', '2h', '4h', '8h', '1d', '3d', '1w'];

/** The fields for start, end and duration of a silence, which depend on each other. */
export class ScheduleFields {
  readonly element: HTMLElement;
  readonly end: HTMLInputElement;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #start: HTMLInputElement;
  readonly #duration: HTMLInputElement;
  readonly #presets: readonly HTMLButtonElement[];
  #span: DraftSpan;

  constructor(span: DraftSpan, clock: Clock, onChange: () => void) {
    this.#span = span;
    this.#clock = clock;
    this.#onChange = onChange;
    const field = { type: 'datetime-local', max: '9999-12-31T23:59' };
    this.#start = h('input', { ...field, id: 'start', onchange: () => this.#readStart() });
    this.end = h('input', { ...field, id: 'end', 'aria-describedby': 'end-error', onchange: () => this.#readEnd() });
    this.#duration = h('input', {
      id: 'duration',
      type: 'text',
      autocomplete: 'off',
      'aria-describedby': 'duration-hint',
      oninput: () => this.#readDuration(),
      onchange: () => this.#show(),
    });
    this.#presets = PRESETS.map((text) =>
      h('button', { type: 'button', class: 'small', onclick: () => this.setDuration(parseSpan(text) ?? 0) }, text),
    );
    this.element = this.#build();
    this.#show();
  }

  #build(): HTMLElement {
    const now = this.#span.startAt === undefined && h('span', { class: 'hint' }, t('silence.form.now'));
    const hint = h('span', { class: 'hint', id: 'duration-hint' }, t('silence.form.duration.hint'));
    const field = (input: HTMLElement, title: string, more: HTMLElement | false = false) =>
      h('div', { class: 'field' }, h('label', { for: input.id }, title), input, more);
    return h(
      'fieldset',
      {},
      h('legend', {}, t('silence.form.when')),
      h('div', { class: 'presets', role: 'group', 'aria-label': t('silence.form.durations') }, this.#presets),
      h(
        'div',
        { class: 'schedule-row' },
        field(this.#start, t('silence.form.start'), now),
        field(this.end, t('silence.form.end')),
        field(this.#duration, t('silence.form.duration'), hint),
      ),
      fieldError('end-error'),
      h('p', { class: 'hint' }, t('silence.form.zone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })),
    );
  }

  get span(): DraftSpan {
    return this.#span;
  }

  /** Sets the time from the start to the end. */
  setDuration(ms: number): void {
    this.#span = withDuration(this.#span, ms);
    this.#changed();
  }

  #readStart(): void {
    const at = fromFieldValue(this.#start.value);
    if (at === undefined) return;
    this.#span = withStart(this.#span, at, this.#clock.now());
    this.#changed(this.#start);
  }

  #readEnd(): void {
    const at = fromFieldValue(this.end.value);
    if (at === undefined) return;
    this.#span = withEnd(this.#span, at);
    this.#changed(this.end);
  }

  #readDuration(): void {
    const ms = parseSpan(this.#duration.value);
    setAttribute(this.#duration, 'aria-invalid', ms === undefined && 'true');
    if (ms === undefined) return;
    this.#span = withDuration(this.#span, ms);
    this.#changed(this.#duration);
  }

  #changed(editing?: HTMLInputElement): void {
    this.#show(editing);
    this.#onChange();
  }

  /** Writes the span into all fields except the one being edited. */
  #show(editing?: HTMLInputElement): void {
    const { startAt, endAt } = resolveSpan(this.#span, this.#clock.now());
    const duration = spanText(endAt - startAt);
    if (editing !== this.#start) this.#start.value = toFieldValue(startAt);
    if (editing !== this.end) this.end.value = toFieldValue(endAt);
    if (editing !== this.#duration) {
      this.#duration.value = duration;
      setAttribute(this.#duration, 'aria-invalid', false);
    }
    for (const button of this.#presets) {
      setAttribute(button, 'aria-pressed', String(parseSpan(button.textContent ?? '') === parseSpan(duration)));
    }
  }
}

/** To the minute, without the seconds of the save. */
function spanText(ms: number): string {
  return formatSpan(ms < 60_000 ? ms : Math.round(ms / 60_000) * 60_000);
}
