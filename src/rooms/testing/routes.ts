// Every path and method of the rooms, and the answers to callers of a private room.
import type { World } from './world.ts';

export interface Row {
  readonly method: string;
  /** `:room` and the like are replaced by objects of the world. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** The required scope; `open`: without sign-in. */
  readonly scope: string;
  /** Of outsider, guest, member, bot, moderator, owner, server admin; fewer where the others do not apply. */
  readonly answers: readonly number[];
  /** Of a member's token for another room, if it differs from an outsider's. */
  readonly elsewhere?: number;
  /** Changes something, so that the next caller gets a new world. */
  readonly changes: boolean;
}

/** Request | scope | answers | options | body */
const TABLE = `
GET /api/room | read | all 200
POST /api/room | manage | 201 403 201 201 201 201 201 | changes elsewhere=403 | {"name":"New"}
GET /api/room/:room | read | joined
GET /api/room/:slug | read | joined
GET /api/room/:room?messages=10 | read | joined
PUT /api/room/:room | manage | moderated | changes | {"name":"Other"}
PUT /api/room/:room | write | 404 200 200 200 200 200 403 | changes | {"copilot":true}
PUT /api/room/:room | copilot | moderated | changes | {"copilot":{"provider":"echo"}}
DELETE /api/room/:room | manage | 404 403 403 403 403 200 200 | changes
POST /api/room/:room/join | write | joined | changes
GET /api/room/:room/member | read | joined
GET /api/room/:room/member/owner | read | joined
PUT /api/room/:room/member/outsider | manage | 404 403 403 403 201 201 201 | changes | {"role":"member"}
PUT /api/room/:room/member/other | manage | 404 403 403 403 403 200 200 | changes | {"role":"owner"}
DELETE /api/room/:room/member/other | manage | 404 403 403 403 204 204 204 | changes
DELETE /api/room/:room/member/owner?ban=1 | manage | 404 403 403 403 403 409 409 | changes
GET /api/room/:room/me | read | 404 200 200 200 200 200 404
PUT /api/room/:room/me | read | 404 200 200 200 200 200 403 | changes | {"involvement":"nothing"}
DELETE /api/room/:room/me | write | 404 204 204 204 204 409 204 | changes
PUT /api/room/:room/read | read | 404 200 200 200 200 200 403 | changes | {"seq":1}
POST /api/room/:room/typing | write | 404 403 204 204 204 204 204
GET /api/room/:room/presence | read | joined
GET /api/room/:room/invite | manage | moderated
POST /api/room/:room/invite | manage | 404 403 403 403 201 201 201 | changes | {}
GET /api/invite/:invite | open | all 200
POST /api/invite/:invite | write | all 200 | changes elsewhere=404
DELETE /api/invite/:invite | manage | 404 404 404 404 204 204 204 | changes
GET /api/room/:room/retention | manage | moderated
GET /api/room/:room/export | export | moderated
POST /api/import | admin | server 400 | type=application/x-ndjson | "{}"
POST /api/backup | admin | server 200
GET /api/room/:room/message | read | joined
POST /api/room/:room/message | write | 404 403 201 201 201 201 201 | changes | "plain words"
POST /api/message | write | 404 403 201 201 201 201 201 | changes | {"roomId":":room","body":"words"}
GET /api/message/:message | read | joined
PUT /api/message/:message | write | 404 403 200 403 403 403 403 | changes | {"body":"other words"}
PUT /api/message/:card | write | 404 403 403 200 200 200 200 | changes | {"body":"it burnt"}
DELETE /api/message/:message | write | 404 403 200 403 200 200 200 | changes
GET /api/message/:message/history | read | 404 403 200 403 200 200 200
PUT /api/message/:message/reaction/%F0%9F%91%8D | react | joined | changes
DELETE /api/message/:message/reaction/%F0%9F%91%8D | react | joined
PUT /api/message/:message/pin | manage | moderated | changes
DELETE /api/message/:message/pin | manage | moderated
POST /api/message/:alert/action/ack | write | 404 403 201 201 201 201 201 | changes
GET /api/command | read | all 200
GET /api/search?q=marmalade | read | all 200
GET /api/inbox | read | all 200
GET /api/search?q=marmalade&room=:room | read | joined
POST /api/file | write | all 201 | changes | "bytes"
GET /api/file/:file | read | joined
GET /api/hook | hook | all 200
POST /api/hook | hook | 404 403 403 403 201 201 201 | changes | {"direction":"incoming","roomId":":room","name":"new"}
POST /api/hook | hook | server 201 | changes | {"direction":"outgoing","url":"https://example.com/","name":"all"}
GET /api/hook/:hook | hook | 404 404 404 404 200 200 200
PUT /api/hook/:hook | hook | 404 404 404 404 200 200 200 | changes | {"name":"other"}
DELETE /api/hook/:hook | hook | 404 404 404 404 200 200 200 | changes
POST /api/hook/:hook/:hookSecret | open | all 201 | changes | "words"
GET /api/event/log?since=0&wait=0&limit=1 | read | all 200
GET /api/event/log?since=0&wait=0&rooms=:room | read | joined
POST /api/event/ticket | read | all 201
GET /api/event?rooms=:room | read | 404
GET /api/room/:room/event | read | 404
GET /api/user | read | all 200
POST /api/user | admin | server 201 | changes | {"id":"new-:slug"}
GET /api/user/other | read | all 200
PUT /api/user/other | admin | server 200 |  | {"name":"Other"}
DELETE /api/user/nobody-at-all | admin | server 404
GET /api/me | read | all 200
PUT /api/me | write | all 200 | changes elsewhere=403 | {"name":"Me"}
GET /api/token | read | all 200
POST /api/token | manage | all 201 | changes | {"name":"own"}
POST /api/token | manage | server 201 | changes | {"name":"of another","userId":"other"}
GET /api/token/:token | read | 404 404 200 404 404 404 200
PUT /api/token/:token | manage | 404 404 200 404 404 404 200 | changes | {"name":"new name"}
DELETE /api/token/:token | manage | 404 404 200 404 404 404 200 | changes
GET /api/session | read | all 200
GET /api/audit | admin | server 200
GET /api/room/:room/copilot | read | joined
PUT /api/room/:room/copilot | copilot | moderated | changes | {"provider":"echo"}
DELETE /api/room/:room/copilot | copilot | 404 403 403 403 204 204 204 | changes
POST /api/room/:room/copilot/test | copilot | moderated
POST /api/room/:room/copilot/run | write | 404 403 202 202 202 202 202 | changes | {"prompt":"hello"}
GET /api/run/:run | read | joined
DELETE /api/run/:run | write | 404 403 409 403 409 409 409
POST /api/run/:run/retry | write | 404 403 202 403 202 202 202 | changes
GET /api/run/:run/stream | read | 404
GET /api/provider | admin | server 200
POST /api/provider | admin | server 201 | changes | {"name":":slug","kind":"echo"}
GET /api/provider/none | admin | server 404
PUT /api/provider/none | admin | server 404 |  | {"kind":"echo"}
DELETE /api/provider/none | admin | server 404
POST /api/backup | admin | server 200
GET /health | open | all 200
GET /metrics | open | all 200
GET /version | open | all 200
GET /openapi.json | open | all 200
`;

const ANSWERS: Readonly<Record<string, string>> = {
  joined: '404 200 200 200 200 200 200',
  moderated: '404 403 403 403 200 200 200',
};

function readAnswers(text: string): readonly number[] {
  const [name = '', status = ''] = text.split(' ');
  const whole =
    name === 'all'
      ? `${status} `.repeat(7)
      : name === 'server'
        ? `${'403 '.repeat(6)}${status}`
        : (ANSWERS[text] ?? text);
  return whole.trim().split(' ').map(Number);
}

function readRow(line: string): Row {
  const [request = '', scope = '', answers = '', more = '', ...rest] = line.split(' | ');
  const [method = '', path = ''] = request.split(' ');
  const body = rest.join(' | ');
  const option = (name: string) => new RegExp(`\\b${name}=(\\S+)`).exec(more)?.[1];
  const [elsewhere, type] = [option('elsewhere'), option('type')];
  return {
    method,
    path,
    scope,
    answers: readAnswers(answers),
    changes: /\bchanges\b/.test(more),
    headers: type === undefined ? {} : { 'content-type': type },
    ...(elsewhere === undefined ? {} : { elsewhere: Number(elsewhere) }),
    ...(body === '' ? {} : { body: JSON.parse(body) }),
  };
}

export const ROWS: readonly Row[] = TABLE.trim().split('\n').map(readRow);

/** Puts the ids of a world into a text. */
export const fill = (text: string, world: World): string =>
  text.replace(
    /:(room|slug|message|card|alert|file|hookSecret|hook|invite|run|token)\b/g,
    (_, name: keyof World) => world[name],
  );
