import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../kernel/errors.ts';
import { HANG_MS } from '../../testing/eventually.ts';
import { PlainClient, type PlainRequest } from '../../testing/http/client.ts';
import { isLongRound } from '../../testing/long-round.ts';
import {
  type Cleanup,
  configFile,
  needsReal,
  type RunningServer,
  startAlertmanager,
  startOpsdeck,
} from '../../testing/processes.ts';
import { Random } from '../../testing/random.ts';
import { type Answer, asCurl, isObject, type JsonObject, mapObjects, ScriptedServer } from '../testing/answers.ts';
import { AlertScript, type Step } from '../testing/script.ts';

const SEEDS = isLongRound ? [3, 4, 5, 6, 7, 8] : [1, 2];
const STEPS = 300;

/** A difference that is meant. One of the two answers is changed so that, if nothing else differs, they are equal. */
interface Difference {
  readonly what: string;
  /** What opsdeck answers, made from what the real Alertmanager 0.25 does. */
  readonly ofReal?: (answer: Answer, step: Step) => Answer;
  /** What Alertmanager 0.25 answers, made from what opsdeck does. */
  readonly ofOpsdeck?: (answer: Answer, step: Step) => Answer;
}

const without =
  (...names: string[]) =>
  (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

const inBody =
  (change: (object: JsonObject) => unknown) =>
  (answer: Answer): Answer => ({
    ...answer,
    body: mapObjects(answer.body, change),
  });

const isRefusal = (body: unknown): body is { code: number; message: string } =>
  isObject(body) && typeof body.code === 'number' && typeof body.message === 'string';

/** Rewrites a refusal's text; other answers stay. */
const inText =
  (change: (text: string) => string) =>
  (answer: Answer): Answer =>
    answer.status >= 400 && typeof answer.body === 'string' ? { ...answer, body: change(answer.body) } : answer;

const asUnknownSilence = (answer: Answer): Answer => ({
  status: 404,
  headers: { ...answer.headers, 'content-type': undefined },
  body: '',
});

const concernsOneSilence = ({ kind }: Step) => kind === 'silence get' || kind === 'silence delete';

const withoutParsersWords = inText((text) => text.replace(/^(parsing \w+ body from "" failed, because ).*$/s, '$1…'));

const withoutVersion = inBody((object) =>
  'versionInfo' in object ? without('versionInfo', 'config')(object) : object,
);

const withoutNewerFields = inBody((object) => {
  const isReceiver = isObject(object.labels) && Object.keys(object).sort().join() === 'labels,name';
  return isReceiver ? without('labels')(object) : without('routeLabels', 'mutedBy')(object);
});

/**
 * All permitted differences, in the order of their application. The script itself leaves out what 0.25 refuses or ignores
 * and a newer one takes, as the two would then hold different things: label names and matchers in UTF-8, dates such as
 * 2023-12-31 or with a zone such as -0800, the annotations of a silence, the parameters `active`, `expired` and
 * `pending` of GET /silences, `muted` and `receiver_matchers`. It leaves out, too, what 0.25 does wrong: a null among
 * alerts or matchers (it crashes), a good alert beside one without labels (it drops both), and an update that is
 * refused for its matchers (it has then expired the silence that was to be updated).
 */
const DIFFERENCES: readonly Difference[] = [
  {
    what: 'an id other than a UUID, and an unknown id in a DELETE: 404 without a body',
    ofReal: (answer, step) => {
      const isOdd = answer.status === 422 || (answer.status === 500 && answer.body === 'silence not found');
      return concernsOneSilence(step) && isOdd ? asUnknownSilence(answer) : answer;
    },
  },
  {
    what: 'bad input is a 400 with a JSON string, where 0.25 has 422, or 400 with an object',
    ofReal: (answer) =>
      isRefusal(answer.body) && (answer.status === 422 || answer.status === 400)
        ? { ...answer, status: 400, body: answer.body.message }
        : answer,
  },
  {
    what: 'a body of null holds no alerts and is refused as missing, where 0.25 takes it for an empty list',
    ofReal: (answer, step) =>
      step.kind === 'alerts post' && step.body === 'null'
        ? {
            status: 400,
            headers: { ...answer.headers, 'content-type': 'application/json' },
            body: 'alerts in body is required',
          }
        : answer,
  },
  {
    what: 'the reasons of several bad alerts stand on a line each, where 0.25 has a semicolon',
    ofReal: (answer, step) =>
      step.kind === 'alerts post' ? inText((text) => text.replaceAll('; ', '\n'))(answer) : answer,
  },
  {
    what: 'an invalid silence is refused in the words of newer versions, which support sets of matchers',
    ofReal: inText((text) =>
      text
        .replace(/^silence invalid: /, 'invalid silence: ')
        .replace(/^(invalid silence: invalid label matcher \d+):/, '$1 in set 0:')
        .replace(/^invalid silence: at least one matcher/, 'invalid silence: matcher set 0: at least one matcher'),
    ),
  },
  {
    what: 'a filter in braces has a text of its own in newer versions',
    ofReal: inText((text) => text.replace(/^bad matcher format: (?=\{)/, 'unexpected open or close brace: ')),
  },
  {
    what: 'the cause of invalid JSON or an invalid date is in the words of the parser',
    ofReal: withoutParsersWords,
    ofOpsdeck: withoutParsersWords,
  },
  {
    what: 'newer versions return the time intervals that mute an alert, and the labels of routes and receivers',
    ofReal: withoutNewerFields,
    ofOpsdeck: withoutNewerFields,
  },
  {
    what: 'a preflight is answered with 204, where 0.25 has 200',
    ofReal: (answer, step) =>
      step.method === 'OPTIONS' && answer.status === 200 ? { ...answer, status: 204 } : answer,
  },
  {
    what: 'each program returns its own version, and prints its configuration with its own defaults',
    ofReal: withoutVersion,
    ofOpsdeck: withoutVersion,
  },
];

type Side = 'opsdeck' | 'real';

function asCompared(side: Side, answer: Answer, step: Step): Answer {
  return DIFFERENCES.reduce((changed, { ofReal, ofOpsdeck }) => {
    const change = side === 'real' ? ofReal : ofOpsdeck;
    return change ? change(changed, step) : changed;
  }, answer);
}

const sides: Readonly<Record<Side, (t: Cleanup) => Promise<RunningServer>>> = {
  opsdeck: (t) => startOpsdeck(t, ['--config.file', configFile(t), '--cluster.listen-address=']),
  real: (t) => startAlertmanager(t),
};

interface Contestant {
  readonly side: Side;
  readonly server: ScriptedServer;
}

async function contest(t: Cleanup, side: Side): Promise<Contestant> {
  const { url } = await sides[side](t);
  return { side, server: new ScriptedServer(new PlainClient(t, url)) };
}

interface Reply {
  readonly request: PlainRequest;
  readonly answer: Answer;
}

async function ask({ side, server }: Contestant, step: Step): Promise<Reply> {
  const request = await server.resolve(step);
  return { request, answer: asCompared(side, await server.play(step, request), step) };
}

/** The real Alertmanager groups alerts after its answer to their post: its lists may lag briefly. */
async function askBoth(one: Contestant, other: Contestant, step: Step): Promise<readonly [Reply, Reply]> {
  const givenUpAt = performance.now() + (step.kind === 'groups list' ? HANG_MS : 0);
  let replies: readonly [Reply, Reply];
  do replies = await Promise.all([ask(one, step), ask(other, step)]);
  while (performance.now() < givenUpAt && !isDeepStrictEqual(replies[0].answer, replies[1].answer));
  return replies;
}

/** Plays one seed's script against both sides; the answers to each step must be equal. */
async function compare(t: Cleanup, seed: number, first: Side, second: Side): Promise<void> {
  const [one, other] = await Promise.all([contest(t, first), contest(t, second)]);
  const script = new AlertScript(new Random(seed));
  for (let number = 1; number <= STEPS; number++) {
    const step = script.next();
    const [left, right] = await askBoth(one, other, step);
    if (isDeepStrictEqual(left.answer, right.answer)) continue;
    const requests = `${first}: ${asCurl(left.request)}\n${second}: ${asCurl(right.request)}`;
    const answers = `what ${first} answers (+) and what ${second} does (-):`;
    assert.fail(
      `seed ${seed}, step ${number} (${step.kind})\n${requests}\n${answers}\n${difference(left.answer, right.answer)}`,
    );
  }
}

function difference(one: Answer, other: Answer): string {
  try {
    assert.deepEqual(one, other);
    return '';
  } catch (error) {
    return messageOf(error);
  }
}

for (const seed of SEEDS) {
  test(`opsdeck answers script ${seed} as the real Alertmanager does`, { only: isLongRound }, async (t) => {
    if (!needsReal(t, 'prometheus-alertmanager', 'prometheus-alertmanager')) return;
    await compare(t, seed, 'opsdeck', 'real');
  });
}

test('two real Alertmanagers answer a script alike, so every difference above has a cause', async (t) => {
  if (!needsReal(t, 'prometheus-alertmanager', 'prometheus-alertmanager')) return;
  await compare(t, 99, 'real', 'real');
});
