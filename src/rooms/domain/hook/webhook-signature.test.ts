import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printSigningSecret, signWebhook } from './webhook-signature.ts';

test("a delivery is signed as the reference implementation's published example", () => {
  const signature = signWebhook(
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1_614_265_330,
    '{"test": 2432232314}',
  );
  assert.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('a signing secret is shown in the form that verifiers read', () => {
  assert.equal(printSigningSecret(new Uint8Array([1, 2, 3])), 'whsec_AQID');
});
