import { checkbox } from './controls.ts';

/** The checkboxes that switch the popover of table rows, one per toolbar, always equal. */
export class PopoverSwitch {
  readonly #boxes: HTMLInputElement[] = [];
  readonly #onChange: (isOn: boolean) => void;
  #isOn: boolean;

  constructor(isOn: boolean, onChange: (isOn: boolean) => void) {
    this.#isOn = isOn;
    this.#onChange = onChange;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** `where` names the table for screen readers. */
  create(label: string, where: string): HTMLElement {
    const element = checkbox(label, this.#isOn, (isOn) => this.#set(isOn));
    const box = element.querySelector('input');
    if (box) {
      box.classList.add('popover-switch');
      box.setAttribute('aria-label', `${label}: ${where}`);
      this.#boxes.push(box);
    }
    return element;
  }

  #set(isOn: boolean): void {
    this.#isOn = isOn;
    for (const box of this.#boxes) box.checked = isOn;
    this.#onChange(isOn);
  }
}
