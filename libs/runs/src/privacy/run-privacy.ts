import { isFileValue, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { CallError } from '../interpreter/run-error.js';
import { type InheritedRedaction, inheritedRedaction, placesBelow, replaceAtPlaces } from './inherited-redaction.js';
import { pathsInside, type RedactPath, replaceAt } from './redact-paths.js';
import { isSealed, REDACTED, replaceValues, type SealedValue } from './sealed-value.js';

/** `open` throws if the text was sealed for another agent. */
export interface Sealer {
  seal(text: string): string;
  open(sealed: string): string;
  isOutdated(sealed: string): boolean;
  mayBeOutdated: boolean;
}

/** Shorter texts also occur in ordinary text, so they are redacted only at a redacted path. */
const SHORTEST_KNOWN = 4;
const SHORTEST_NUMBER = 6;
/** It limits the time that recording takes. Further redacted values are redacted only at a redacted path. */
const MAX_KNOWN = 500;

/**
 * Before values are stored, seals (encrypts) the values at these paths. Also seals all other texts and numbers that
 * repeat one of these values.
 */
export class RunPrivacy {
  private known: readonly string[] = [];
  private isIncomplete = false;

  constructor(
    private readonly paths: readonly RedactPath[],
    private readonly sealer: Sealer,
    private readonly inherited?: InheritedRedaction,
  ) {
    this.learn([...(inherited?.texts ?? [])]);
  }

  get redactsNothing(): boolean {
    return this.paths.length === 0 && this.inherited === undefined;
  }

  /**
   * Values that a redacted path selects in step outputs or call arguments can be in the text before they are known.
   * Redacted values of the input, the trigger or a tool response are known before the turn, so they are found in it.
   */
  get hidesTurns(): boolean {
    return this.paths.some(([head, ...rest]) =>
      head === 'tools' ? !rest.includes('response') : head !== 'input' && head !== 'trigger',
    );
  }

  /** Messages contain values without their places. If a redacted value is not known, it cannot be found in them. */
  get hidesMessages(): boolean {
    return this.hidesTurns || this.isIncomplete;
  }

  hidden(value: JsonValue): SealedValue {
    return this.seal(value, REDACTED);
  }

  sealed(value: JsonValue, ...places: RedactPath[]): JsonValue {
    if (this.redactsNothing) return this.sealer.mayBeOutdated ? this.renewed(value) : value;
    return this.withoutKnown(this.sealedAt(value, places), (each) => this.known.includes(String(each)));
  }

  /**
   * In contrast to {@link sealed}, a number that equals a redacted value is not sealed, because the numbers in a detail
   * are counts and durations.
   */
  sealedDetail(detail: JsonObject): JsonObject {
    if (this.redactsNothing) return this.sealedObject(detail);
    const sealed = this.withoutKnown(this.sealedAt(detail, []), () => false);
    return isJsonObject(sealed) ? sealed : {};
  }

  private sealedAt(value: JsonValue, places: readonly RedactPath[]): JsonValue {
    // Data of a user can have the form of a sealed value. Such data is sealed, so that readers do not take it for a
    // sealed value.
    let sealed = replaceValues(value, (each) => (isSealed(each) ? this.conceal(each) : undefined));
    for (const path of places.flatMap((place) => pathsInside(this.paths, place))) {
      sealed = replaceAt(sealed, path, (each) => this.conceal(each));
    }
    for (const [head, ...path] of places) {
      if (!this.inherited || head !== 'input') continue;
      sealed = replaceAtPlaces(sealed, placesBelow(this.inherited.places, path), (each) => this.conceal(each));
    }
    return sealed;
  }

  handedDown(request: JsonObject, ...places: RedactPath[]): InheritedRedaction | undefined {
    if (this.redactsNothing) return undefined;
    return inheritedRedaction(this.sealed(request, ...places), (value) => this.opened(value));
  }

  showsAs(value: JsonValue, shown: string): boolean {
    const sealed = this.sealed(value);
    return isSealed(sealed) && sealed.shown === shown;
  }

  /** Later records can repeat these values. */
  trackValue(value: JsonValue, place: RedactPath): void {
    for (const path of pathsInside(this.paths, place)) {
      replaceAt(value, path, (each) => {
        this.learn(each);
        return each;
      });
    }
  }

  sealedObject(object: JsonObject, ...places: RedactPath[]): JsonObject {
    const sealed = this.sealed(object, ...places);
    return isJsonObject(sealed) ? sealed : {};
  }

  /** Seals the values that approvers see. Each field name is the path of its value, for example `input.card`. */
  sealedShow(show: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(show).map(([source, value]) => [source, this.sealed(value, source.split('.'))]),
    );
  }

  text(text: string): string {
    return this.known.reduce((left, known) => left.replaceAll(known, REDACTED), text);
  }

  opened(value: JsonValue): JsonValue {
    return replaceValues(value, (each) => (isSealed(each) ? this.reveal(each) : undefined));
  }

  openedObject(object: JsonObject): JsonObject {
    const opened = this.opened(object);
    return isJsonObject(opened) ? opened : {};
  }

  /** The body is the only field of an error that is sealed. */
  openedError(error: CallError): CallError {
    return error.body === undefined ? error : { ...error, body: this.opened(error.body) };
  }

  private conceal(value: JsonValue): JsonValue {
    if (isSealed(value) && this.wasSealed(value)) return this.upToDate(value);
    // Sealed parts are decrypted, so that the whole value is sealed once.
    const plain = isSealed(value) ? value : this.opened(value);
    this.learn(plain);
    return this.seal(plain, REDACTED);
  }

  private renewed(value: JsonValue): JsonValue {
    return replaceValues(value, (each) => (isSealed(each) && this.wasSealed(each) ? this.upToDate(each) : undefined));
  }

  private upToDate(value: SealedValue): SealedValue {
    if (!this.sealer.isOutdated(value.$sealed)) return value;
    return { $sealed: this.sealer.seal(this.sealer.open(value.$sealed)), shown: value.shown };
  }

  private seal(value: JsonValue, shown: string): SealedValue {
    return { $sealed: this.sealer.seal(JSON.stringify(value)), shown };
  }

  private reveal(value: SealedValue): JsonValue {
    // Without redacted paths, a value of this form is sealed only if it can be decrypted. With them, such data is
    // always sealed.
    if (this.redactsNothing && !this.wasSealed(value)) return value;
    return JSON.parse(this.sealer.open(value.$sealed)) as JsonValue;
  }

  wasSealed({ $sealed }: SealedValue): boolean {
    try {
      this.sealer.open($sealed);
      return true;
    } catch {
      return false;
    }
  }

  private withoutKnown(value: JsonValue, isKnown: (number: number) => boolean): JsonValue {
    if (this.known.length === 0) return value;
    return replaceValues(value, (each) => {
      if (isSealed(each)) return each;
      if (typeof each === 'number' && isKnown(each)) return this.seal(each, REDACTED);
      if (typeof each !== 'string') return undefined;
      const shown = this.text(each);
      return shown === each ? undefined : this.seal(each, shown);
    });
  }

  private learn(value: JsonValue): void {
    const texts = textsOf(value).flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
    const known = [...new Set([...this.known, ...texts])].sort((a, b) => b.length - a.length);
    this.known = known.slice(0, MAX_KNOWN);
    if (known.length > MAX_KNOWN || hasUnknown(value)) this.isIncomplete = true;
  }
}

/** Returns whether the value contains a text or a number that is too short to be found elsewhere. */
function hasUnknown(value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null && !isFileValue(value)) return Object.values(value).some(hasUnknown);
  return value !== null && value !== '' && textsOf(value).length === 0;
}

function textsOf(value: JsonValue): string[] {
  // The type and the size of a file tell nothing about its content, and other values often repeat them.
  if (isFileValue(value)) return [value.file, value.filename, value.sha256].flatMap((text) => textsOf(text ?? null));
  if (typeof value === 'string') return value.trim().length >= SHORTEST_KNOWN ? [value] : [];
  if (typeof value === 'number') return String(value).length >= SHORTEST_NUMBER ? [String(value)] : [];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isJsonObject(value) ? Object.values(value).flatMap(textsOf) : [];
}
