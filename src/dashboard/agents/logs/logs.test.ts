import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { AGENTS, type AgentEvent, type AgentId } from '../event.ts';
import { writeClaudeLogs } from '../testing/claude-logs.ts';
import { writeCodexLogs } from '../testing/codex-logs.ts';
import { type Answer, LOG_SHAPE, type WrittenLogs } from '../testing/conversation.ts';
import { writeGeminiLogs } from '../testing/gemini-logs.ts';
import { linesOf, readLogs } from '../testing/read-logs.ts';
import { agentLogs } from './index.ts';

const WRITERS: Readonly<Record<AgentId, (home: string) => WrittenLogs>> = {
  claude: writeClaudeLogs,
  codex: writeCodexLogs,
  gemini: writeGeminiLogs,
};
const written = new Map<AgentId, WrittenLogs>();
let home: string;

before(() => {
  home = mkdtempSync(join(tmpdir(), 'agents-'));
  for (const id of AGENTS) written.set(id, WRITERS[id](home));
});
after(() => rmSync(home, { recursive: true }));

for (const id of AGENTS) {
  test(`${id}: each answer counts once, whatever files repeat it`, () => {
    const { events, refused } = readLogs(id, home);
    assert.equal(refused, 0);
    assert.deepEqual(sorted(events.map(plain)), sorted(written.get(id)?.answers ?? []));
  });

  test(`${id}: no text of a conversation is in an event or a state`, () => {
    for (const path of written.get(id)?.files ?? []) {
      const content = readFileSync(path);
      assert.ok(content.includes(LOG_SHAPE.secret));
      const logs = agentLogs(id);
      const reader = logs.open(path);
      const events = [...linesOf(content, logs.form)].flatMap((line) => reader.read(line) ?? []);
      assert.notEqual(events.length, 0);
      assert.ok(!JSON.stringify(events).includes(LOG_SHAPE.secret));
      assert.ok(!reader.state().includes(LOG_SHAPE.secret));
    }
  });
}

function plain({ at, model, project, input, output, cacheWrite, cacheRead }: AgentEvent): Answer {
  return { at, model, project, input, output, cacheWrite, cacheRead };
}

function sorted(answers: readonly Answer[]): readonly Answer[] {
  return answers.toSorted((one, other) => one.at - other.at);
}
