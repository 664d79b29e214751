import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Distribution, DistributionFamily, printDistributions } from './distribution.ts';

const HISTOGRAM = { name: 'opsdeck_seconds', help: 'How long.', type: 'histogram' } as const;

test('a bucket of a histogram counts all values up to its bound', () => {
  const seconds = new Distribution([1, 5, 10]);
  for (const value of [0, 1, 1.5, 7, 11]) seconds.add(value);
  assert.equal(
    printDistributions(HISTOGRAM, [['', seconds]]),
    `# HELP opsdeck_seconds How long.
# TYPE opsdeck_seconds histogram
opsdeck_seconds_bucket{le="1"} 2
opsdeck_seconds_bucket{le="5"} 3
opsdeck_seconds_bucket{le="10"} 4
opsdeck_seconds_bucket{le="+Inf"} 5
opsdeck_seconds_sum 20.5
opsdeck_seconds_count 5`,
  );
});

test('a summary has a sum and a number', () => {
  const seconds = new Distribution();
  const print = () => printDistributions({ name: 's', help: 'How long.', type: 'summary' }, [['', seconds]]);
  assert.match(print(), /\n# TYPE s summary\ns_sum 0\ns_count 0$/);
  seconds.add(3);
  seconds.add(0.5);
  assert.match(print(), /\n# TYPE s summary\ns_sum 3.5\ns_count 2$/);
});

test('values known only by their sum count as equal', () => {
  const seconds = new Distribution([1, 5]);
  seconds.add(8, 4);
  seconds.add(3, 3);
  seconds.add(7, 0);
  assert.deepEqual([seconds.count, seconds.sum, seconds.cumulated()], [7, 11, [3, 7]]);
});

test('distributions of one name are distinguished by their labels, in the order of the label names', () => {
  const family = new DistributionFamily([1], ['path', 'method']);
  family.of({ method: 'get', path: 'a"\\\n' }).add(2);
  family.of({ path: 'a"\\\n', method: 'get' }).add(0.5);
  family.of({ path: 'b' });
  assert.equal(
    printDistributions(HISTOGRAM, family.all()),
    `# HELP opsdeck_seconds How long.
# TYPE opsdeck_seconds histogram
opsdeck_seconds_bucket{le="1",path="a\\"\\\\\\n",method="get"} 1
opsdeck_seconds_bucket{le="+Inf",path="a\\"\\\\\\n",method="get"} 2
opsdeck_seconds_sum{path="a\\"\\\\\\n",method="get"} 2.5
opsdeck_seconds_count{path="a\\"\\\\\\n",method="get"} 2
opsdeck_seconds_bucket{le="1",path="b"} 0
opsdeck_seconds_bucket{le="+Inf",path="b"} 0
opsdeck_seconds_sum{path="b"} 0
opsdeck_seconds_count{path="b"} 0`,
  );
});

test('without label names there is one distribution, from the start', () => {
  assert.equal([...new DistributionFamily([1], []).all()].length, 1);
  assert.equal([...new DistributionFamily([1], ['path']).all()].length, 0);
});
