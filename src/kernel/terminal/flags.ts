import { InvalidArgumentError, type Option } from 'commander';
import { parseFlagDuration } from '../duration.ts';
import { type ListenAddress, parseListenAddress } from '../http/listen-address.ts';
import { hostnameOf } from '../http/site-address.ts';

// Readers of flag values. Each throws commander's error for a bad one, which the command line answers with code 2.

/** A duration as Go or Prometheus write it, in milliseconds, at least 0. */
export function durationFlag(text: string): number {
  const ms = parseFlagDuration(text);
  if (ms === undefined || ms < 0) throw new InvalidArgumentError('Write a duration such as 90s, 15m or 120h.');
  return ms;
}

/** A duration of more than nothing, for what is repeated. */
export function intervalFlag(text: string): number {
  const ms = durationFlag(text);
  if (ms < 1) throw new InvalidArgumentError('Write a duration of at least 1ms, such as 15m.');
  return ms;
}

/** A whole number; what is below 0 counts as 0. */
export function countFlag(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('Write a whole number; 0 is no limit.');
  return Math.max(0, Number(text));
}

export function listenAddressFlag(text: string): ListenAddress {
  const address = parseListenAddress(text);
  if (text.startsWith('vsock://')) {
    throw new InvalidArgumentError('Node cannot listen on the sockets of virtual machines; write host:port.');
  }
  if (!address) throw new InvalidArgumentError('Write an address such as :9093, 127.0.0.1:9093 or [::1]:9093.');
  return address;
}

/** The words that an option may have are taken in capitals too. */
export function inAnyCase(option: Option): Option {
  const { parseArg } = option;
  return option.argParser((text, before) => parseArg?.(text.toLowerCase(), before));
}

/** Collects a flag that may be repeated; the first occurrence replaces the default. */
export function repeated<T>(
  read: (text: string) => T,
): (text: string, before: readonly T[] | undefined) => readonly T[] {
  const collected: T[] = [];
  return (text) => {
    collected.push(read(text));
    return [...collected];
  };
}

/** Reads a name under which a server may be asked for. */
export function hostFlag(text: string): string {
  if (hostnameOf(text) === undefined || /:\d+$/.test(text))
    throw new InvalidArgumentError('Write a name or an address without a port, such as alerts.example.org.');
  return text;
}
