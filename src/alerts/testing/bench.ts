/** A fleet's alerts: 8 labels, 2 annotations, 50 alert names in 10 clusters, a quarter critical. The same number is the same alert. */
export function alertsOf(count: number, first = 0): unknown[] {
  const now = Date.now();
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    const alertname = `Alert${number % 50}`;
    const namespace = `namespace-${number % 40}`;
    return {
      labels: {
        alertname,
        cluster: `cluster-${Math.floor(number / 50) % 10}`,
        severity: ['critical', 'warning', 'info', 'none'][(number >> 2) % 4],
        namespace,
        job: `job-${number % 20}`,
        instance: `10.0.${number >> 8}.${number & 255}:9100`,
        pod: `${namespace}-pod-${number}`,
        team: `team-${number % 12}`,
      },
      annotations: {
        summary: `${alertname} fires in ${namespace}: the value is ${number} and the limit is 100`,
        runbook_url: `https://runbooks.example/alerts/${alertname.toLowerCase()}`,
      },
      startsAt: new Date(now - 60_000).toISOString(),
      endsAt: new Date(now + 3_600_000).toISOString(),
      generatorURL: `http://prometheus.example/graph?g0.expr=metric_${number % 50}+%3E+100&g0.tab=1`,
    };
  });
}

/** Active silences as people set them: most name one alert on one instance, some a pattern of instances or a team. */
export function silencesOf(count: number): unknown[] {
  const now = Date.now();
  const equals = (name: string, value: string) => ({ name, value, isRegex: false, isEqual: true });
  const fits = (name: string, value: string) => ({ name, value, isRegex: true, isEqual: true });
  return Array.from({ length: count }, (_, number) => ({
    matchers: [
      equals('alertname', `Alert${number % 50}`),
      number % 4 === 0
        ? fits('instance', `10\\.0\\.${number % 40}\\.(1|2)${number % 10}:.*`)
        : equals('instance', `10.0.${(number * 7) % 40}.${(number * 13) % 256}:9100`),
      ...(number % 10 === 0 ? [fits('team', 'team-[0-5]')] : []),
    ],
    startsAt: new Date(now).toISOString(),
    endsAt: new Date(now + 7_200_000 + number * 1000).toISOString(),
    createdBy: 'ann',
    comment: `maintenance window ${number}`,
  }));
}

/** A POST of a value as JSON, ready for the wire. */
export function postRequest(path: string, value: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(value));
  const head = `POST ${path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
