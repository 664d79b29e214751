import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Answer, Conversation, LOG_SHAPE, type LogShape, type WrittenLogs } from './conversation.ts';

const MODELS = ['gemini-3.1-pro-preview', 'gemini-3.5-flash', 'gemini-2.5-pro'];
const PROJECTS = ['web-shop', 'ledger', 'infra'];

/**
 * Logs of Gemini CLI below `home`: sessions as one document (older) and as lines, in which a message appears again when
 * its tokens or tools are known.
 */
export function writeGeminiLogs(home: string, shape: Partial<LogShape> = {}): WrittenLogs {
  const whole = { ...LOG_SHAPE, ...shape };
  const talk = new Conversation(whole);
  const answers: Answer[] = [];
  const files: string[] = [];
  let bytes = 0;
  while (bytes < whole.bytes) {
    const project = talk.random.pick(PROJECTS);
    const session = talk.uuid();
    const isLines = talk.random.chance(0.5);
    const text = isLines ? linesOf(talk, project, session, answers) : documentOf(talk, project, session, answers);
    const time = new Date(talk.at).toISOString().slice(0, 16).replaceAll(':', '-');
    const name = `session-${time}-${session.slice(0, 8)}.${isLines ? 'jsonl' : 'json'}`;
    const path = join(home, '.gemini', 'tmp', project, 'chats', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    files.push(path);
    bytes += Buffer.byteLength(text);
    talk.pause();
  }
  return { bytes, files, answers };
}

function documentOf(talk: Conversation, project: string, sessionId: string, answers: Answer[]): string {
  const messages = Array.from({ length: talk.random.int(2, 20) }, () => [
    userMessage(talk),
    answerOf(talk, project, answers),
  ]);
  const startTime = new Date(talk.at).toISOString();
  return JSON.stringify(
    { sessionId, projectHash: 'a'.repeat(64), startTime, lastUpdated: talk.tick(), messages: messages.flat() },
    null,
    2,
  );
}

function linesOf(talk: Conversation, project: string, sessionId: string, answers: Answer[]): string {
  const records: object[] = [
    { sessionId, projectHash: 'a'.repeat(64), startTime: talk.tick(), lastUpdated: talk.tick() },
  ];
  for (let turn = talk.random.int(2, 20); turn > 0; turn--) {
    const answer = answerOf(talk, project, answers);
    records.push(userMessage(talk), { ...answer, tokens: null }, { $set: { lastUpdated: talk.tick() } }, answer);
    if (talk.random.chance(0.3))
      records.push({ ...answer, toolCalls: [{ id: talk.uuid(), name: 'read_file', args: { path: talk.text() } }] });
  }
  return `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;
}

function userMessage(talk: Conversation): object {
  return { id: talk.uuid(), timestamp: talk.tick(), type: 'user', content: [{ text: talk.text() }] };
}

function answerOf(talk: Conversation, project: string, answers: Answer[]) {
  const { random } = talk;
  const input = random.int(2_000, 250_000);
  const cached = random.int(0, input);
  const thoughts = random.int(0, 900);
  const tool = random.chance(0.2) ? random.int(1, 500) : 0;
  const output = random.int(10, 2_000);
  const model = random.pick(MODELS);
  const message = {
    id: talk.uuid(),
    timestamp: talk.tick(),
    type: 'gemini',
    content: talk.text(),
    thoughts: [{ subject: talk.text(), description: talk.text(), timestamp: talk.tick() }],
    tokens: { input, output, cached, thoughts, tool, total: input + output + thoughts + tool },
    model,
  };
  const at = Date.parse(message.timestamp);
  answers.push({
    at,
    model,
    project,
    input: input - cached + tool,
    output: output + thoughts,
    cacheWrite: 0,
    cacheRead: cached,
  });
  return message;
}
