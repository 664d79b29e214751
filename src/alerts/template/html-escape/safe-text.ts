/** Text that a template marks as safe: escaping leaves `html` in text as it is, and does not check the scheme of a `url`. */
export class SafeText {
  constructor(
    readonly kind: 'html' | 'url',
    readonly text: string,
  ) {}
}
