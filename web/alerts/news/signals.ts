/** Hz and start in seconds of the tones of the sound: two short rising ones. */
const TONES = [
  [660, 0],
  [880, 0.16],
] as const;
const TONE_S = 0.14;

let audio: AudioContext | undefined;

/** Plays the sound of new critical alerts; silent where the browser wants a click on the page first. */
export function playSound(): void {
  audio ??= new AudioContext();
  void audio.resume();
  for (const [frequency, start] of TONES) {
    const from = audio.currentTime + start;
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.25, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + TONE_S);
    tone.connect(volume).connect(audio.destination);
    tone.start(from);
    tone.stop(from + TONE_S);
  }
}

/** Asks whether the page may show notifications; a browser without them, or on plain HTTP, says `unsupported`. */
export async function askPermission(): Promise<'granted' | 'denied' | 'unsupported'> {
  if (!('Notification' in window) || !window.isSecureContext) return 'unsupported';
  return (await Notification.requestPermission()) === 'granted' ? 'granted' : 'denied';
}

/** Shows a notification, which replaces the last one; a click goes to the page. */
export function showNotification(title: string, body: string): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  const notification = new Notification(title, { body, tag: 'opsdeck-alerts' });
  notification.onclick = () => {
    window.focus();
    notification.close();
  };
}
