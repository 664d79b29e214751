/** What a unit runs. */
export const SERVICES = ['up', 'alerts', 'relay', 'dashboard', 'rooms'] as const;
export type Service = (typeof SERVICES)[number];

/** The flag of each server for the folder of its state, below which a relative path in other flags lies as well. */
const STATE_FLAGS: Readonly<
  Record<Service, { readonly flag: string; readonly instead: readonly string[] } | undefined>
> = {
  up: { flag: '--data-dir', instead: ['--data-dir'] },
  alerts: { flag: '--data-dir', instead: ['--data-dir', '--storage.path', '--storage.url'] },
  relay: undefined,
  dashboard: { flag: '--project', instead: ['--project'] },
  rooms: { flag: '--data-dir', instead: ['--data-dir', '--storage-url'] },
};

export interface UnitParts {
  readonly service: Service;
  /** Absolute paths of Node and the executable file, or of the binary. */
  readonly program: readonly string[];
  /** Of the server. */
  readonly flags: readonly string[];
}

/** The name of a unit and of its state directory. */
export const unitNameOf = (service: Service): string => (service === 'up' ? 'opsdeck' : `opsdeck-${service}`);

/** The words of the command that starts a server. */
export const commandOf = (service: Service): readonly string[] => (service === 'up' ? ['up'] : [service, 'serve']);

/** A word of ExecStart, in which `%` and `$` have a meaning. */
function quote(word: string): string {
  const escaped = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(escaped) ? escaped : `"${escaped.replace(/[\\"]/g, '\\$&')}"`;
}

/** Whether the flags name the place of the state. */
const namesState = (flags: readonly string[], names: readonly string[]) =>
  flags.some((flag) => names.includes(flag.replace(/=.*/s, '')));

/** A unit file of systemd that runs a server as a user of its own, which may write only to its state directory. */
export function printUnit({ service, program, flags }: UnitParts): string {
  const name = unitNameOf(service);
  const state = STATE_FLAGS[service];
  const kept = state && !namesState(flags, state.instead) ? ` ${state.flag} %S/${name}` : '';
  const command = [...program, ...commandOf(service)].map(quote).join(' ') + kept;
  return `[Unit]
Description=opsdeck ${service === 'up' ? '' : `${service} `}server
Wants=network-online.target
After=network-online.target

[Service]
# Ready when it listens. systemd-notify, a child process, reports this and the turns of the event loop.
Type=notify
NotifyAccess=all
WatchdogSec=60
TimeoutStartSec=120
ExecStart=${[command, ...flags.map(quote)].join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=2
# A wrong flag or setting stays wrong.
RestartPreventExitStatus=2

# Variables, such as passwords: NAME=value, readable by root only.
EnvironmentFile=-/etc/opsdeck/${name}.env
Environment=HOME=%S/${name}
DynamicUser=yes
StateDirectory=${name}
StateDirectoryMode=0700
WorkingDirectory=%S/${name}
UMask=0077
LimitNOFILE=65536

# MemoryDenyWriteExecute is missing: V8 compiles to machine code.
CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
LockPersonality=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}

/** Why a unit cannot run a program at this path; undefined: it can. */
export function hiddenFromUnit(program: readonly string[]): string | undefined {
  const path = program.find((one) => /^\/(home|root|run\/user|tmp|var\/tmp)\//.test(one));
  return path && `${path} is hidden from the unit, which sees no home and temporary folders: install it in /usr/local`;
}
