import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startFakeAlertmanager } from '../testing/fake/alertmanager.ts';
import { executablePath, needsReal, runProcess, temporaryFolder } from '../testing/processes.ts';

// The scripts in the real shells, which ask the built executable, which asks a server.

/** Runs a script in a shell that finds `opsdeck`; a file with spaces in its name lies in the working folder. */
async function runIn(t: TestContext, shell: string, args: readonly string[], script: string) {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'opsdeck'), `#!/bin/sh\nexec "${process.execPath}" "${executablePath()}" "$@"\n`);
  chmodSync(join(folder, 'opsdeck'), 0o755);
  writeFileSync(join(folder, 'my rules.yml'), '');
  const alert = {
    labels: { alertname: 'Disk $(touch x) Full', severity: 'critical' },
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '2026-01-01T01:00:00Z',
    fingerprint: '1',
    status: { state: 'active' },
  };
  const { url } = await startFakeAlertmanager(t, () => ({ json: [alert] }));
  const env = { PATH: `${folder}:${process.env.PATH}`, OPSDECK_ALERTS_URL: url, HOME: folder, TERM: 'xterm' };
  const { code, stdout, stderr } = await runProcess(shell, [...args, script], { env, cwd: folder });
  assert.equal(code, 0, stderr);
  return stdout;
}

test('bash completes commands, values of a server and paths', async (t) => {
  if (!needsReal(t, 'bash', 'bash')) return;
  const script = `
    source <(opsdeck completion bash)
    try() { COMP_LINE="$1"; COMP_POINT=\${#1}; COMP_WORDS=($1); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _opsdeck; printf '[%s]' "\${COMPREPLY[@]}"; echo; }
    try 'opsdeck alerts sil'
    try 'opsdeck alerts query alertname=D'
    try 'opsdeck alerts check-config my'`;
  assert.equal(
    await runIn(t, 'bash', ['--norc', '-c'], script),
    '[silence ]\n[Disk\\ \\$\\(touch\\ x\\)\\ Full ]\n[my rules.yml]\n',
  );
});

test('fish completes commands, values of a server and paths', async (t) => {
  if (!needsReal(t, 'fish', 'fish')) return;
  const script = `
    opsdeck completion fish | source
    complete -C 'opsdeck alerts sil'
    complete -C 'opsdeck alerts query severity='
    complete -C 'opsdeck alerts add --file=my'`;
  assert.equal(
    await runIn(t, 'fish', ['--no-config', '-c'], script),
    'silence\tadd, list, change and end silences\nseverity=critical\n--file=my rules.yml\n',
  );
});

test('zsh completes commands, values of a server and paths', async (t) => {
  if (!needsReal(t, 'zsh', 'zsh')) return;
  // What is typed, with Tab, into a shell on a terminal of its own; Ctrl-X prints the line.
  const script = `
    zmodload zsh/zpty
    zpty shell zsh -f -i
    say() { zpty -w -n shell "$1"; }
    until_seen() { local all= text; while zpty -r shell text; do all+="$text"; [[ $all == *$~1* ]] && break; done; REPLY=$all }
    say $'PS1=; autoload -Uz compinit; compinit -u; source <(opsdeck completion zsh)\\n'
    say $'show() { print -r -- "<\${BUFFER}>"; zle kill-whole-line }; zle -N show; bindkey "^X" show; print rea""dy\\n'
    until_seen ready
    for line in 'opsdeck alerts sil' 'opsdeck alerts query alertname=D' 'opsdeck alerts check-config my'; do
      say "$line"$'\\t\\x18'
      until_seen '\\<*\\>'
      print -r -- "\${\${REPLY##*<}%%>*}"
    done
    zpty -d shell`;
  assert.equal(
    await runIn(t, 'zsh', ['-f', '-c'], script),
    'opsdeck alerts silence \nopsdeck alerts query alertname=Disk\\ \\$\\(touch\\ x\\)\\ Full \nopsdeck alerts check-config my\\ rules.yml \n',
  );
});
