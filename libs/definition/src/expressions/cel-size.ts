/** The largest value that an expression may compute, in bytes: 4 MiB. */
export const MAX_VALUE_BYTES = 4 * 1024 * 1024;

export class ValueTooLarge extends Error {
  constructor() {
    super('The value is too large.');
  }
}

/**
 * Checks the length of a text before the text is built. A character takes at least one byte, so a text with more
 * characters than {@link MAX_VALUE_BYTES} is too large.
 * @throws ValueTooLarge
 */
export function checkLength(length: number): void {
  if (length > MAX_VALUE_BYTES) throw new ValueTooLarge();
}

/** @throws ValueTooLarge if the text or the bytes exceed the limit */
export function checkValueSize(value: string | Uint8Array): void {
  checkLength(value.length);
  // A UTF-16 unit has at most three bytes in UTF-8, so the bytes of short texts need not be counted.
  if (typeof value === 'string' && value.length * 3 > MAX_VALUE_BYTES) checkLength(Buffer.byteLength(value));
}
