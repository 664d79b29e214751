/** Text that a template vouches for: HTML escaping leaves `html` as it is in text, and does not question the scheme of a `url`. */
export class SafeText {
  constructor(
    readonly kind: 'html' | 'url',
    readonly text: string,
  ) {}
}
