import { EgressError } from '@app/platform/egress';

const [LINE_FEED, RETURN, QUOTE, BACKSLASH] = [0x0a, 0x0d, 0x22, 0x5c];
const VALUE_BEGINS = new Set(['{', '[', ','].map((sign) => sign.charCodeAt(0)));

/** A string counts as one value. */
const MAX_VALUES = 20_000;

/**
 * The limit protects the memory, because the provider libraries collect every validation error. An event of 1 MB with
 * 400,000 invalid values would allocate more than a gigabyte.
 */
export class AnswerGuard {
  private values = 0;
  private isInString = false;
  private isEscaped = false;
  private previous = 0;

  /** @param isStream true if the response is a stream of server-sent events, in which an empty line ends an event */
  constructor(private readonly isStream: boolean) {}

  check(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (byte === LINE_FEED || byte === RETURN) this.endLine(byte);
      else if (this.isEscaped) this.isEscaped = false;
      else if (this.isInString && byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.isInString = !this.isInString;
      else if (!this.isInString && VALUE_BEGINS.has(byte)) this.values += 1;
      this.previous = byte;
    }
    if (this.values <= MAX_VALUES) return;
    const what = this.isStream ? 'an event of its answer' : 'its answer';
    throw new EgressError('too_large', `The provider sent more than ${MAX_VALUES} values in ${what}.`, { sent: true });
  }

  /** A valid JSON string contains no line break, so an unterminated string ends here too. */
  private endLine(byte: number): void {
    this.isInString = false;
    this.isEscaped = false;
    if (byte === LINE_FEED && this.previous === RETURN) return;
    const isEmpty = this.previous === LINE_FEED || this.previous === RETURN;
    if (this.isStream && isEmpty && this.values <= MAX_VALUES) this.values = 0;
  }
}
