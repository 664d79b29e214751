import { type EventColumns, IS_API, IS_INCLUDED, IS_LOGGED, IS_MAX_MODE } from './event/columns.ts';
import type { DailyRow, GroupSeries, Sums, TokenSums } from './view.ts';
import { DAY_MS, dayKeyOf, HOUR_MS, spanAt, type Zone } from './zone.ts';

/** Input of every pass over events. `rows` are by time; `cost` is the basis' column. */
export interface TallyInput {
  readonly columns: EventColumns;
  readonly rows: Uint32Array;
  readonly at: Float64Array;
  readonly cost: Float64Array;
}

/** Sums per model; entry n of each array is that of model key n. */
export interface ModelTally {
  readonly requests: Float64Array;
  readonly input: Float64Array;
  readonly cacheWrite: Float64Array;
  readonly cacheRead: Float64Array;
  readonly output: Float64Array;
  readonly total: Float64Array;
  readonly cost: Float64Array;
}

export function tallyModels({ columns, rows, cost }: TallyInput, modelKeys: readonly number[]): ModelTally {
  const create = () => new Float64Array(modelKeys.length);
  const [requests, input, cacheWrite, cacheRead] = [create(), create(), create(), create()];
  const [output, total, costs] = [create(), create(), create()];
  const keys = Uint32Array.from(modelKeys);
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] as number;
    const key = keys[columns.model[row] as number] as number;
    (requests[key] as number)++;
    (input[key] as number) += columns.input[row] as number;
    (cacheWrite[key] as number) += columns.cacheWrite[row] as number;
    (cacheRead[key] as number) += columns.cacheRead[row] as number;
    (output[key] as number) += columns.output[row] as number;
    (total[key] as number) += columns.total[row] as number;
    (costs[key] as number) += cost[row] as number;
  }
  return { requests, input, cacheWrite, cacheRead, output, total, cost: costs };
}

export interface FlagTally {
  readonly yes: Sums;
  readonly no: Sums;
  readonly included: number;
  readonly estimated: number;
  readonly csv: number;
  /** Unrounded cents, and whether they differ from the whole cents. */
  readonly exactCents: number;
  readonly hasFractions: boolean;
}

/** Sums by max mode and other flags of events. */
export function tallyFlags({ columns, rows, cost }: TallyInput): FlagTally {
  let [included, estimated, api, maxCount, maxTokens, maxCost, tokens, costs, exact] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  let hasFractions = false;
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] as number;
    const flags = columns.flags[row] as number;
    const total = columns.total[row] as number;
    const cents = cost[row] as number;
    const list = columns.list[row] as number;
    if (flags & IS_INCLUDED) included++;
    if (flags & IS_LOGGED) estimated++;
    if (flags & IS_API) api++;
    if (flags & IS_MAX_MODE) {
      maxCount++;
      maxTokens += total;
      maxCost += cents;
    } else {
      tokens += total;
      costs += cents;
    }
    const reported = columns.cost[row] as number;
    // Exports show the list value of an included call, which is not a fraction lost by rounding.
    const isRounded = list !== reported && Math.abs(list - reported) <= 0.5;
    exact += isRounded ? list : reported;
    if (isRounded) hasFractions = true;
  }
  const yes = { requests: maxCount, tokens: maxTokens, cost: maxCost };
  const no = { requests: rows.length - maxCount, tokens, cost: costs };
  return { yes, no, included, estimated, csv: rows.length - api, exactCents: exact, hasFractions };
}

export interface CalendarTally {
  readonly byHour: GroupSeries;
  readonly byWeekday: GroupSeries;
  readonly daily: readonly DailyRow[];
}

/** Sums by hour of the day, by weekday and by day and user, all in the zone. */
export function tallyCalendar(
  input: TallyInput,
  zone: Zone,
  names: {
    readonly users: readonly string[];
    readonly models: readonly string[];
    readonly modelKeys: readonly number[];
  },
): CalendarTally {
  const { columns, rows, at, cost } = input;
  const byHour = createGroups(24);
  const byWeekday = createGroups(7);
  const days = new DayTally(names);
  const [first, last] = [rows[0], rows[rows.length - 1]];
  if (first === undefined || last === undefined) return { byHour, byWeekday, daily: [] };
  const spans = zone.spans(at[first] as number, at[last] as number);
  let span = spanAt(spans, at[first] as number);
  const lastDayOfHour = new Float64Array(24).fill(-1);
  const lastDayOfWeekday = new Float64Array(7).fill(-1);
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] as number;
    const instant = at[row] as number;
    if (instant >= span.to) span = spanAt(spans, instant);
    const local = instant + span.offsetMs;
    const day = Math.floor(local / DAY_MS);
    const hour = Math.floor((local - day * DAY_MS) / HOUR_MS);
    const weekday = (day + 3) % 7;
    const total = columns.total[row] as number;
    const cents = cost[row] as number;
    add(byHour, hour, total, cents);
    add(byWeekday, weekday, total, cents);
    if (lastDayOfHour[hour] !== day) {
      lastDayOfHour[hour] = day;
      (byHour.days[hour] as number)++;
    }
    if (lastDayOfWeekday[weekday] !== day) {
      lastDayOfWeekday[weekday] = day;
      (byWeekday.days[weekday] as number)++;
    }
    days.add(day, columns.user[row] as number, columns.model[row] as number, total, cents);
  }
  return { byHour, byWeekday, daily: days.finish() };
}

function createGroups(count: number): GroupSeries {
  return {
    requests: new Float64Array(count),
    tokens: new Float64Array(count),
    cost: new Float64Array(count),
    days: new Uint32Array(count),
  };
}

function add({ requests, tokens, cost }: GroupSeries, group: number, total: number, cents: number): void {
  (requests[group] as number)++;
  (tokens[group] as number) += total;
  (cost[group] as number) += cents;
}

type DayNames = Parameters<typeof tallyCalendar>[2];

/** Collects day by day; a change of day completes its rows. */
class DayTally {
  readonly #names: DayNames;
  readonly #keys: Uint32Array;
  readonly #models: number;
  readonly #requests: Float64Array;
  readonly #tokens: Float64Array;
  readonly #cost: Float64Array;
  /** By user and model key; only the touched ones are reset. */
  readonly #modelRequests: Float64Array;
  readonly #modelCost: Float64Array;
  #touched: number[] = [];
  #day = Number.NaN;
  readonly #rows: DailyRow[] = [];

  constructor(names: DayNames) {
    this.#names = names;
    this.#keys = Uint32Array.from(names.modelKeys);
    this.#models = names.modelKeys.length;
    this.#requests = new Float64Array(names.users.length);
    this.#tokens = new Float64Array(names.users.length);
    this.#cost = new Float64Array(names.users.length);
    this.#modelRequests = new Float64Array(names.users.length * this.#models);
    this.#modelCost = new Float64Array(names.users.length * this.#models);
  }

  add(day: number, user: number, model: number, tokens: number, cents: number): void {
    if (day !== this.#day) {
      this.#flush();
      this.#day = day;
    }
    const slot = user * this.#models + (this.#keys[model] as number);
    if (this.#modelRequests[slot] === 0) this.#touched.push(slot);
    (this.#modelRequests[slot] as number)++;
    (this.#modelCost[slot] as number) += cents;
    (this.#requests[user] as number)++;
    (this.#tokens[user] as number) += tokens;
    (this.#cost[user] as number) += cents;
  }

  /** Newest day first, users in their order within a day. */
  finish(): readonly DailyRow[] {
    this.#flush();
    return joinSplitDays(this.#rows).sort((a, b) => (a.dayKey < b.dayKey ? 1 : a.dayKey > b.dayKey ? -1 : 0));
  }

  #flush(): void {
    for (const [user, requests] of this.#requests.entries()) {
      if (requests === 0) continue;
      this.#rows.push({
        dayKey: dayKeyOf(this.#day),
        user: this.#names.users[user] ?? '',
        requests,
        tokens: this.#tokens[user] as number,
        cost: this.#cost[user] as number,
        topModel: this.#topModel(user),
      });
    }
    for (const slot of this.#touched) {
      this.#modelRequests[slot] = 0;
      this.#modelCost[slot] = 0;
    }
    this.#touched = [];
    this.#requests.fill(0);
    this.#tokens.fill(0);
    this.#cost.fill(0);
  }

  /** Most events; of equals the higher cost, then the name. */
  #topModel(user: number): string {
    const from = user * this.#models;
    const own = this.#touched.filter((slot) => slot >= from && slot < from + this.#models);
    const name = (slot: number) => this.#names.models[slot - from] ?? '';
    own.sort(
      (a, b) =>
        (this.#modelRequests[b] as number) - (this.#modelRequests[a] as number) ||
        (this.#modelCost[b] as number) - (this.#modelCost[a] as number) ||
        (name(a) < name(b) ? -1 : 1),
    );
    return own[0] === undefined ? '' : name(own[0]);
  }
}

/** If clocks fall back across midnight, a day appears twice; its rows are merged. */
function joinSplitDays(rows: readonly DailyRow[]): DailyRow[] {
  const joined = new Map<string, DailyRow>();
  for (const row of rows) {
    const key = `${row.dayKey} ${row.user}`;
    const other = joined.get(key);
    const sums = other && {
      requests: row.requests + other.requests,
      tokens: row.tokens + other.tokens,
      cost: row.cost + other.cost,
      topModel: row.requests > other.requests ? row.topModel : other.topModel,
    };
    joined.set(key, { ...row, ...sums });
  }
  return [...joined.values()];
}

/** All models together. */
export function sumTokens(tally: ModelTally): TokenSums {
  const sum = (array: Float64Array) => array.reduce((a, b) => a + b, 0);
  return {
    input: sum(tally.input),
    cacheWrite: sum(tally.cacheWrite),
    cacheRead: sum(tally.cacheRead),
    output: sum(tally.output),
    total: sum(tally.total),
  };
}
