import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Cleanup,
  listeningAddress,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '../../testing/processes.ts';

const RULES = `
groups:
  - name: demo
    interval: 1s
    rules:
      - alert: DiskFull
        expr: vector(93)
        labels: {severity: critical, instance: "db-{{ $value }}"}
        annotations: {summary: '{{ $value }} % full: "über" <b>', runbook: "https://wiki.example/disk?a=1&b=2"}
      - alert: NeverFires
        expr: vector(1) > 2
        labels: {severity: critical}
`;

/** A Prometheus without targets that evaluates {@link RULES} each second and pushes to each of the servers. */
export function startPrometheus(t: Cleanup, alertmanagers: readonly RunningServer[]): Promise<RunningServer> {
  const targets = alertmanagers.map(({ url }) => `'${new URL(url).host}'`).join(', ');
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'rules.yml'), RULES);
  const config = `
global: {scrape_interval: 1s, evaluation_interval: 1s, external_labels: {region: north}}
rule_files: [rules.yml]
alerting: {alertmanagers: [{static_configs: [{targets: [${targets}]}]}]}
`;
  writeFileSync(join(folder, 'prometheus.yml'), config);
  const args = [
    '--config.file=prometheus.yml',
    '--storage.tsdb.path=tsdb',
    '--web.listen-address=127.0.0.1:0',
    '--web.external-url=http://prometheus.example/p',
    '--rules.alert.resend-delay=1s',
  ];
  return startServer(t, { command: 'prometheus', args, cwd: folder, addressIn: listeningAddress });
}
