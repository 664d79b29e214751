import { accepted } from '../../domain/refusal.ts';
import type { RelayFlag } from '../../relay-client.ts';
import { cardOf, refuseArguments, type SlashCommand } from '../command.ts';
import { codeSpan } from '../markdown.ts';

/** The argument: the key of the flag. */
export const flag: SlashCommand<string> = {
  name: 'flag',
  help: '/flag <key> — the state of a feature flag (this and /usage: where an admin allows it)',
  hint: 'the key of a feature flag: shows its state',
  read({ rest }) {
    const key = rest.trim();
    return /^[A-Za-z0-9._-]{1,256}$/.test(key) ? accepted(key) : refuseArguments(flag, 'name one flag by its key');
  },
  async run(request, key, { posts, alertUsers }) {
    const relay = alertUsers.admitToRelay(request);
    if (!relay.ok) return relay;
    const found = await relay.value.flag(key);
    if (!found.ok) return found;
    return posts.post(request, {
      body: printFlag(found.value),
      card: { ...cardOf(request, 'flag'), title: 'Flag' },
    });
  },
};

function printFlag({ key, version, on, variations, offVariation, fallthrough, ...rest }: RelayFlag): string {
  const printValue = (index: number | null | undefined) =>
    index === null || index === undefined ? 'nothing' : codeSpan(JSON.stringify(variations[index]) ?? 'nothing');
  const head = `${codeSpan(key)} is **${on ? 'on' : 'off'}** (version ${version})`;
  if (!on) return `${head}\n- everyone gets ${printValue(offVariation)}`;
  const shares = fallthrough?.rollout?.variations ?? [];
  const others =
    shares.length > 0
      ? shares.map(({ variation, weight }) => `${weight / 1000} % ${printValue(variation)}`).join(', ')
      : printValue(fallthrough?.variation);
  const targets = [...(rest.targets ?? []), ...(rest.contextTargets ?? [])].flatMap(({ values }) => values).length;
  const rules = rest.rules?.length ?? 0;
  const exceptions = [
    targets > 0 && `${targets} ${targets === 1 ? 'target' : 'targets'}`,
    rules > 0 && `${rules} ${rules === 1 ? 'rule' : 'rules'}`,
  ].filter((words) => words !== false);
  const before = exceptions.length === 0 ? 'everyone gets' : `after ${exceptions.join(' and ')}, everyone else gets`;
  return `${head}\n- ${before} ${others}\n- when off: ${printValue(offVariation)}`;
}
