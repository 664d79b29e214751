import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkExpectations, readExpectations } from './expectation.ts';
import { STATUS_FIELDS } from './field.ts';

const DOCUMENT = {
  environments: {
    production: {
      status: 'connected',
      connectionStatus: { state: 'VALID', stateSince: 1618859993000, lastError: undefined },
      bigSegmentStatus: undefined,
      additionalSdkKeys: ['sdk-*1', 'sdk-*2'],
    },
    'my.env (few)': { status: 'disconnected' },
    'a"b\\c': { status: 'connected' },
  },
  status: 'degraded',
  version: '8.10.1',
};

describe('the expectation of a status request', () => {
  const checked: readonly [expr: string, status: 200 | 412, expected: string, actual: string | null][] = [
    ['status=degraded', 200, 'degraded', 'degraded'],
    ['status=healthy', 412, 'healthy', 'degraded'],
    ['status!=healthy', 200, 'healthy', 'degraded'],
    ['status!=degraded', 412, 'degraded', 'degraded'],
    ['status=', 412, '', 'degraded'],
    ['status=a=b', 412, 'a=b', 'degraded'],
    ['version=8.10.1', 200, '8.10.1', '8.10.1'],
    ['environments.production.status=connected', 200, 'connected', 'connected'],
    ['environments["production"].status=connected', 200, 'connected', 'connected'],
    ['environments["my.env (few)"].status=disconnected', 200, 'disconnected', 'disconnected'],
    ['environments["a\\"b\\\\c"].status=connected', 200, 'connected', 'connected'],
    ['environments.production.connectionStatus.stateSince=1618859993000', 200, '1618859993000', '1618859993000'],
    ['environments.other.status=connected', 412, 'connected', null],
    ['environments.other.status!=connected', 200, 'connected', null],
    ['environments.production.bigSegmentStatus.available=true', 412, 'true', null],
    ['environments.production.expiringSdkKey=x', 412, 'x', null],
    ['environments.production.connectionStatus.lastError.kind=NETWORK_ERROR', 412, 'NETWORK_ERROR', null],
    ['environments.production.additionalSdkKeys[1]=sdk-*2', 200, 'sdk-*2', 'sdk-*2'],
    ['environments.production.additionalSdkKeys[2]=sdk-*2', 412, 'sdk-*2', null],
    ['environments.__proto__.status=x', 412, 'x', null],
    ['autoConfigStatus.state=VALID', 412, 'VALID', null],
  ];
  for (const [expr, status, expected, actual] of checked) {
    test(`${expr}: ${status}`, () => {
      const ok = status === 200;
      assert.deepEqual(checkExpectations([expr], DOCUMENT, STATUS_FIELDS), {
        status,
        satisfied: ok,
        results: [{ expr, expected, actual, ok }],
      });
    });
  }

  const troubled: readonly [expr: string, status: 400 | 422, problem: string][] = [
    ['', 400, 'there is no path before the operator'],
    ['=x', 400, 'there is no path before the operator'],
    ['status', 400, 'there is no operator'],
    ['.status=x', 400, 'the path cannot be read'],
    ['environments["a=x', 400, 'the path cannot be read'],
    ['environments[]=x', 400, 'the path cannot be read'],
    ['connexionStatus.state=VALID', 422, 'unknown field "connexionStatus"'],
    ['constructor=x', 422, 'unknown field "constructor"'],
    ['environments.production.state=VALID', 422, 'unknown field "state"'],
    ['status>=healthy', 422, 'operator ">=" is not supported; use "=" or "!="'],
    ['status==healthy', 422, 'operator "==" is not supported; use "=" or "!="'],
    ['status=~healthy', 422, 'operator "=~" is not supported; use "=" or "!="'],
    ['environments.production=x', 422, '"production" is an object; name one of its fields'],
    ['environments=x', 422, '"environments" is an object; name one of its fields'],
    ['status.kind=x', 422, 'a value has no fields, such as "kind"'],
    ['environments.production.additionalSdkKeys=x', 422, '"additionalSdkKeys" is an object; name one of its fields'],
    ['environments.production.additionalSdkKeys.x=x', 422, 'a list expects an index, not "x"'],
    ['environments[0].status=x', 422, '[0] expects an array, but this is an object'],
    ['environments[status=connected].status=x', 422, '[status=connected] expects an array, but this is an object'],
  ];
  for (const [expr, status, problem] of troubled) {
    test(`${JSON.stringify(expr)}: ${status}`, () => {
      assert.deepEqual(checkExpectations([expr], DOCUMENT, STATUS_FIELDS), {
        status,
        satisfied: false,
        results: [{ expr, problem, ok: false }],
      });
    });
  }

  test('the worst of several decides, and all are reported in order', () => {
    const worst = (...expressions: string[]) => checkExpectations(expressions, DOCUMENT, STATUS_FIELDS);
    assert.equal(worst('status=degraded', 'version=8.10.1').status, 200);
    assert.equal(worst('status=degraded', 'status=healthy').status, 412);
    assert.equal(worst('status=healthy', 'x=y', 'status=degraded').status, 422);
    assert.equal(worst('x=y', 'status', 'status=healthy').status, 400);
    assert.deepEqual(
      worst('x=y', 'status', 'status=healthy').results.map(({ expr }) => expr),
      ['x=y', 'status', 'status=healthy'],
    );
  });
});

describe('expectations in a query', () => {
  const read: readonly [query: string, expressions: readonly string[]][] = [
    ['', []],
    ['other=1', []],
    ['expect=status=healthy', ['status=healthy']],
    ['expect=status%3Dhealthy&a&expect=b!=c', ['status=healthy', 'b!=c']],
    ['expect=environments[%22a+b%22].status%21=x', ['environments["a b"].status!=x']],
    ['expect=', ['']],
    ['expect', ['']],
  ];
  for (const [query, expressions] of read) {
    test(`${JSON.stringify(query)}`, () => {
      assert.deepEqual(readExpectations(query), { ok: true, value: expressions });
    });
  }

  for (const query of ['expect=status=healthy;', 'a=%', 'expect=a=b&x=%zz', '%=1']) {
    test(`${query} is refused as a whole`, () => {
      assert.deepEqual(readExpectations(query), { ok: false, reason: 'the query cannot be decoded' });
    });
  }
});
