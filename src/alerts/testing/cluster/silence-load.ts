import type { Random } from '../../../testing/random.ts';
import { repeat } from '../pipeline/load.ts';
import type { Cluster } from './cluster.ts';
import { type ClusterNode, type ListedSilence, silenceIdIn } from './node.ts';

/** What was acknowledged of a silence. */
interface Acknowledged {
  /** Undefined: a change was not acknowledged, so that either state is right. */
  comment: string | undefined;
  isExpired: boolean;
}

/** Creates, updates and expires silences through random nodes, each change through another. */
export class SilenceLoad {
  readonly #cluster: Cluster;
  readonly #random: Random;
  readonly #acknowledged = new Map<string, Acknowledged>();
  #changes = 0;

  constructor(cluster: Cluster, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
  }

  /** The number of acknowledged changes. */
  get changes(): number {
    return this.#changes;
  }

  /** Puts the load on the cluster until stopped; the stop resolves when nothing is under way. */
  start(): () => Promise<void> {
    const stops = Array.from({ length: 3 }, () => repeat(() => this.#live(), 10));
    return async () => {
      await Promise.all(stops.map((stop) => stop()));
    };
  }

  /** Acknowledged silences and expiries that a node does not have. */
  findLost(listed: ReadonlyMap<string, ListedSilence>): readonly string[] {
    return [...this.#acknowledged].flatMap(([id, { comment, isExpired }]) => {
      const found = listed.get(id);
      if (!found) return `${id} is missing`;
      if (isExpired) return found.status.state === 'expired' ? [] : `${id} is ${found.status.state}, not expired`;
      if (comment === undefined || (found.comment === comment && found.status.state === 'active')) return [];
      return `${id} is ${found.status.state} with ${found.comment}, not ${comment}`;
    });
  }

  /** The life of a silence: created, updated, and mostly expired while it is updated. */
  async #live(): Promise<void> {
    const creator = this.#node();
    const name = `silence ${this.#acknowledged.size}`;
    const id = silenceIdIn(await creator.setSilence(name));
    if (id === undefined) return;
    this.#changes++;
    const acknowledged: Acknowledged = { comment: name, isExpired: false };
    this.#acknowledged.set(id, acknowledged);
    const silence = await creator.silence(id);
    await this.#update(silence, acknowledged, `${name} updated`);
    if (this.#random.chance(0.3)) return;
    acknowledged.comment = undefined;
    const [expiry] = await Promise.all([
      this.#node().expire(id),
      this.#node()
        .setSilence(`${name} again`, silence)
        .catch(() => {}),
    ]);
    if (expiry.status !== 200) return;
    acknowledged.isExpired = true;
    this.#changes++;
  }

  async #update(silence: ListedSilence, acknowledged: Acknowledged, comment: string): Promise<void> {
    acknowledged.comment = undefined;
    if (silenceIdIn(await this.#node().setSilence(comment, silence)) !== silence.id) return;
    acknowledged.comment = comment;
    this.#changes++;
  }

  #node(): ClusterNode {
    return this.#random.pick(this.#cluster.nodes.filter(({ isRunning }) => isRunning));
  }
}
