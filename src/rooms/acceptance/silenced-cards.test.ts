import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { startFakeAlertmanager } from '../../testing/fake/alertmanager.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { needsReal, runProcess, startAlertmanager } from '../../testing/processes.ts';
import type { AlertCard } from '../domain/card/alert-card.ts';
import { openTestRooms } from '../testing/app.ts';

interface Deployment {
  readonly clock: FakeClock;
  /** Posts an alert to Alertmanager; one that has ended with `endsAt`. */
  alert(fields?: { readonly endsAt: string }): Promise<void>;
  amtool(...args: readonly string[]): Promise<string>;
  silence(cardId: string): Promise<void>;
  card(): Promise<{ readonly id: string; readonly card: AlertCard } | undefined>;
  /** Lets time pass until the card is as wanted. */
  becomes(what: string, isWanted: (card: AlertCard) => boolean): Promise<void>;
  firingAlerts(): Promise<number>;
}

/** Alertmanager posts to a hook of rooms, which use it for silences; rooms have a clock of their own. */
async function deploy(t: TestContext): Promise<Deployment> {
  const clock = new FakeClock(new Date().toISOString());
  let post = (_: unknown) => {};
  const bridge = await startFakeAlertmanager(t, ({ body }) => {
    post(body);
    return {};
  });
  const config = `route: {receiver: rooms, group_by: [alertname], group_wait: 100ms, group_interval: 500ms}
receivers: [{name: rooms, webhook_configs: [{url: '${bridge.url}'}]}]\n`;
  const { url } = await startAlertmanager(t, { config });
  const rooms = await openTestRooms(t, { clock, options: { alertsUrl: url } });
  const ask = async (method: string, path: string, body?: unknown) =>
    (await rooms.send(method, path, { as: 'ana', body })).json;
  await ask('POST', '/api/room', { name: 'Ops' });
  const { path } = await ask('POST', '/api/hook', { direction: 'incoming', roomId: 'ops', name: 'Alerts' });
  post = (body) => void ask('POST', path, body);
  const card = async () => (await ask('GET', '/api/room/ops/message?type=alert')).messages[0];
  return {
    clock,
    card,
    async alert(fields = { endsAt: new Date(Date.now() + 3_600_000).toISOString() }) {
      const body = JSON.stringify([{ labels: { alertname: 'HighLoad', instance: 'web1' }, ...fields }]);
      const headers = { 'content-type': 'application/json' };
      assert.equal((await fetch(`${url}/api/v2/alerts`, { method: 'POST', headers, body })).status, 200);
    },
    async amtool(...args) {
      const { code, stdout, stderr } = await runProcess('amtool', [...args, `--alertmanager.url=${url}`]);
      assert.equal(code, 0, stderr);
      return stdout.trim();
    },
    async silence(threadId) {
      const said = await rooms.send('POST', '/api/room/ops/message', {
        as: 'ana',
        body: { body: '/silence 4d', threadId },
      });
      assert.equal(said.status, 201, said.text);
    },
    async becomes(what, isWanted) {
      await eventually(what, async () => {
        clock.advance(15_000);
        const shown = await card();
        return shown !== undefined && isWanted(shown.card);
      });
    },
    firingAlerts: async () => (await ask('GET', '/api/room/ops')).firingAlerts,
  };
}

test('a card follows Alertmanager from firing to silenced, by whomever, to resolved', async (t) => {
  if (!needsReal(t, 'amtool', 'prometheus-alertmanager')) return;
  const { alert, amtool, silence, card, becomes, firingAlerts } = await deploy(t);
  await alert();
  const { id } = await eventually('the alert is shown', card);
  await silence(id);
  await becomes('it is silenced from the room', (shown) => shown.silence?.by === 'ana');
  const [own = ''] = (await amtool('silence', 'query', '--quiet')).split('\n');
  await amtool('silence', 'expire', own);
  await becomes('its silence has ended', (shown) => shown.silence === null);
  assert.equal((await card())?.card.state, 'firing');
  await amtool('silence', 'add', '--author=ben', '--comment=x', '--duration=100h', 'instance=web1');
  await becomes('it is silenced by amtool', (shown) => shown.silence?.by === 'ben' && shown.isListed === true);
  assert.equal(await firingAlerts(), 1);
  await alert({ endsAt: new Date().toISOString() });
  await becomes('it has ended, without a notice', (shown) => shown.state === 'resolved');
  assert.equal(await firingAlerts(), 0);
});
