// Imported before the units. node:test follows every promise and timer with an async hook, to know the test of an uncaught
// error. That is a seventh of the units' processor time. Without the hook such an error still fails the run; it is printed
// here, because node:test no longer knows its test.
import { createHook } from 'node:async_hooks';
import { inspect } from 'node:util';

const hooks = Object.getPrototypeOf(createHook({})) as { enable(): object };
const { enable } = hooks;

hooks.enable = function enableUnlessOfTheRunner() {
  const isOfTheRunner = new Error().stack?.includes('node:internal/test_runner/') === true;
  return isOfTheRunner ? this : enable.call(this);
};

const print = (error: unknown) => process.stderr.write(`${inspect(error)}\n`);
process.prependListener('uncaughtException', print);
process.prependListener('unhandledRejection', print);
