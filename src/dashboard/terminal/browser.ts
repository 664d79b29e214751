import { spawn } from 'node:child_process';

/** Opens a URL of this server in the browser; false if no program does that. */
export function openBrowser(url: string): Promise<boolean> {
  const [command, ...args] = commandFor(process.platform);
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function commandFor(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
