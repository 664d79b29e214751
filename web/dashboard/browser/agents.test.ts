// The logs of coding assistants in the browser: alone, as they grow, and merged with a CSV.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  browserTest,
  CSV_HEADER,
  choose,
  dropFiles,
  hashIs,
  kpiIs,
  requestsAre,
  serveDashboard,
  visit,
} from '../../../src/dashboard/testing/browser.ts';
import { executablePath, runProcess, temporaryFolder } from '../../../src/testing/processes.ts';

const STARTED_AT = Date.now();
const PRIVATE = 'text-of-a-conversation';

/** A line of Claude Code's log. */
function answer(index: number, project: string, model = 'claude-sonnet-4-5-20250929'): string {
  const usage = { input_tokens: 1000, output_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id: `msg_${index}`, model, role: 'assistant', content: [{ type: 'text', text: PRIVATE }], usage };
  const timestamp = new Date(STARTED_AT - index * 60_000).toISOString();
  const ids = { requestId: `req_${index}`, sessionId: project, cwd: `/home/kim/${project}` };
  return `${JSON.stringify({ type: 'assistant', timestamp, ...ids, message })}\n`;
}

const project = (page: Page) => page.getByRole('combobox', { name: 'Project', exact: true }).first();

browserTest('logs of assistants on the analytics page', async (t, browser, check) => {
  const home = temporaryFolder(t);
  const logOf = (name: string) => join(home, '.claude/projects', name, 'session.jsonl');
  const write = (name: string, text: string) => {
    mkdirSync(join(home, '.claude/projects', name), { recursive: true });
    writeFileSync(logOf(name), text);
  };

  check('alone, as they grow, by project, and merged with a CSV', async (t) => {
    write('web', answer(1, 'web') + answer(2, 'web'));
    write('shop', answer(3, 'shop') + answer(4, 'shop', 'model-without-price'));
    const server = await serveDashboard(t, { args: ['--agents', 'claude'], env: { HOME: home } });
    const page = await visit(t, browser, server.page, { now: 'real' });
    await requestsAre(page, 4);
    await hashIs(page, /source=live/);
    // Three of 1000 tokens in at $3 a million, and 100 out at $15.
    await kpiIs(page, 'total-cost', '$0.01');
    await page.locator('[data-kpi="total-cost"]', { hasText: 'estimated from list prices' }).waitFor();
    await page.locator('.foot', { hasText: 'API equivalent' }).waitFor();
    await page.locator('[data-notice="prices"]', { hasText: 'model-without-price' }).waitFor();

    await t.test('a line that is appended appears by itself, and only what is new is fetched', async () => {
      const fetched = page.waitForResponse((response) => response.url().includes('changedAfter='));
      appendFileSync(logOf('web'), answer(0, 'web'));
      await requestsAre(page, 5);
      const again = await fetch((await fetched).url(), { headers: { accept: 'application/x-ndjson' } });
      const lines = (await again.text()).trimEnd().split('\n');
      assert.equal(lines.length, 2, 'the head and one request');
    });

    await t.test('a project is a filter, kept in the address, and the project of a new marker', async () => {
      await project(page).selectOption('web');
      await requestsAre(page, 3);
      await hashIs(page, /in=web/);
      await page.keyboard.press('m');
      const dialog = page.getByRole('dialog', { name: 'New marker' });
      assert.equal(await dialog.getByLabel('Project').inputValue(), 'web');
      await page.keyboard.press('Escape');
      await page.reload();
      await requestsAre(page, 3);
      await project(page).selectOption('');
      await requestsAre(page, 5);
    });

    await t.test('the logs’ state names files, requests and folders', async () => {
      await page.getByRole('button', { name: 'Logs', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Logs of assistants' });
      await dialog.getByRole('row', { name: /^Claude Code 2 .* 5 0$/ }).waitFor();
      await dialog.getByText(join(home, '.claude/projects')).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
    });

    await t.test('the report prints the numbers of the page, by project, without a server', async (t) => {
      const args = ['dashboard', 'report', '--agents', 'claude', '--by', 'project', '--format', 'json'];
      const env = { HOME: home };
      const { stdout, stderr } = await runProcess(process.execPath, [executablePath(), ...args], {
        cwd: temporaryFolder(t),
        env,
      });
      const { rows, total } = JSON.parse(stdout);
      assert.deepEqual(total, { requests: 5, tokens: 5500, costCents: 1.8 });
      assert.deepEqual(
        rows.map(({ project, requests }: Record<string, unknown>) => [project, requests]),
        [
          ['web', 3],
          ['shop', 2],
        ],
      );
      assert.match(stderr, /estimated from list prices of .*API equivalent\n.*no cost: model-without-price/);
    });

    await t.test('a CSV joins them: of a request in both, the CSV’s version counts', async () => {
      const row = (index: number, cents: string) =>
        `"${new Date(STARTED_AT - index * 60_000).toISOString()}","On-Demand","claude-sonnet-4-5-20250929","No","0","1000","0","100","1100","$${cents}"`;
      const text = `${CSV_HEADER}\n${row(1, '1.00')}\n${row(7, '2.00')}\n`;
      await dropFiles(page, [{ name: 'usage-events-claude.csv', text }]);
      await hashIs(page, /source=merge/);
      await requestsAre(page, 6);
      await kpiIs(page, 'total-cost', '$3.01');
      await page.locator('[data-kpi="total-cost"]', { hasText: 'partly estimated' }).waitFor();
      await choose(page, 'Source', 'CSV');
      await requestsAre(page, 2);
    });

    await t.test('no text of a conversation leaves the logs, and the database is not served', async () => {
      for (const path of [
        '/api/events?user=claude',
        '/api/agents',
        '/health',
        '/api/summary?user=claude',
        '/api/users',
      ]) {
        const answered = await fetch(server.url + path);
        assert.equal(answered.status, 200, path);
        assert.ok(!(await answered.text()).includes(PRIVATE), path);
      }
      for (const path of ['/data/.agents.sqlite', '/data/.agents.sqlite-wal'])
        assert.equal((await fetch(server.url + path)).status, 404);
    });
  });

  check('without logs the page says where it has searched', async (t) => {
    const server = await serveDashboard(t, { args: ['--agents', 'codex'], env: { HOME: temporaryFolder(t) } });
    const page = await visit(t, browser, server.page, { now: 'real' });
    await page.getByText('No assistant has left requests on this machine yet.').waitFor();
    await page.locator('.tried', { hasText: '.codex/sessions' }).waitFor();
  });
});
