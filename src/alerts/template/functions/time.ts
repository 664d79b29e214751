import type { Outcome } from '../../../kernel/outcome.ts';
import { CallError, type TemplateFunction } from '../callable.ts';
import { clampDuration } from '../time/duration.ts';
import {
  formatGoTime,
  humanizeDuration,
  inZone,
  loadZone,
  localZone,
  parseGoTime,
  timeOfMs,
  unixNanoseconds,
  ZERO_TIME,
} from '../time/time.ts';
import { durationOf, type GoTime } from '../value.ts';

function unwrap<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new CallError(outcome.reason);
  return outcome.value;
}

function parse(layout: unknown, text: unknown): Outcome<GoTime> {
  return parseGoTime(String(layout), String(text));
}

export const TIME_FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  date: {
    parameters: ['string', 'time.Time'],
    call: ([layout, time]) => formatGoTime(time as GoTime, String(layout)),
  },
  tz: {
    parameters: ['string', 'time.Time'],
    call: ([zone, time]) => inZone(time as GoTime, unwrap(loadZone(String(zone)))),
  },
  now: { parameters: [], call: (_, context) => timeOfMs(context.now(), localZone()) },
  since: {
    parameters: ['time.Time'],
    call: ([time], context) =>
      durationOf(clampDuration(unixNanoseconds(timeOfMs(context.now())) - unixNanoseconds(time as GoTime))),
  },
  humanizeDuration: { parameters: ['interface {}'], call: ([value]) => unwrap(humanizeDuration(value)) },
  toDate: {
    parameters: ['string', 'string'],
    call([layout, text]) {
      const parsed = parse(layout, text);
      return parsed.ok ? parsed.value : ZERO_TIME;
    },
  },
  mustToDate: { parameters: ['string', 'string'], call: ([layout, text]) => unwrap(parse(layout, text)) },
};
