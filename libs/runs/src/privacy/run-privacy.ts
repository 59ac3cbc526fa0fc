import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { pathsInside, type RedactPath, replaceAt } from './redact-paths.js';
import { isSealed, REDACTED, replaceValues, type SealedValue } from './sealed-value.js';

/** Encrypts and decrypts texts for one agent. `open` throws for what was not sealed for it. */
export interface Sealer {
  seal(text: string): string;
  open(sealed: string): string;
  /** Whether a key has sealed it that is about to be dropped. */
  isOutdated(sealed: string): boolean;
  /** False: nothing is outdated. */
  mayBeOutdated: boolean;
}

/** Shorter texts would tear up everything that is recorded, and hide nothing. */
const SHORTEST_KNOWN = 4;
const SHORTEST_NUMBER = 6;
/** More would make recording slow; what is beyond is still sealed at its own place. */
const MOST_KNOWN = 500;

/**
 * What `redact.paths` asks for one run. Values at those paths are sealed before they are stored, and so is every text and
 * number that repeats one of them elsewhere: a request made of the input, an answer that echoes it.
 */
export class RunPrivacy {
  /** Texts of what was sealed so far, numbers as they are written, longest first. */
  private known: readonly string[] = [];

  constructor(
    private readonly paths: readonly RedactPath[],
    private readonly sealer: Sealer,
  ) {}

  get redactsNothing(): boolean {
    return this.paths.length === 0;
  }

  /**
   * Whether models may say what is to be redacted before it is known: an output, or the arguments of a call. What stands in
   * the input, the trigger or an answer of a tool is known by then, and found in what they say.
   */
  get hidesTurns(): boolean {
    return this.paths.some(([head, ...rest]) =>
      head === 'tools' ? !rest.includes('response') : head !== 'input' && head !== 'trigger',
    );
  }

  /** All of it sealed, whatever it says. */
  hidden(value: JsonValue): SealedValue {
    return this.seal(value, REDACTED);
  }

  /** The value as it is stored. `places`: where it stands in the run, such as `['steps', 'order', 'output']`. */
  sealed(value: JsonValue, ...places: RedactPath[]): JsonValue {
    if (this.redactsNothing) return this.sealer.mayBeOutdated ? this.renewed(value) : value;
    return this.withoutKnown(this.sealedAt(value, places), (each) => this.known.includes(String(each)));
  }

  /** {@link sealed} for what the service tells of a step: its texts may repeat what was sealed, its counts and times are its own. */
  sealedDetail(detail: JsonObject): JsonObject {
    if (this.redactsNothing) return this.sealedObject(detail);
    const sealed = this.withoutKnown(this.sealedAt(detail, []), () => false);
    return isJsonObject(sealed) ? sealed : {};
  }

  private sealedAt(value: JsonValue, places: readonly RedactPath[]): JsonValue {
    // Data that looks like a sealed value must not be taken for one.
    let sealed = replaceValues(value, (each) => (isSealed(each) ? this.conceal(each) : undefined));
    for (const path of places.flatMap((place) => pathsInside(this.paths, place))) {
      sealed = replaceAt(sealed, path, (each) => this.conceal(each));
    }
    return sealed;
  }

  /** Takes note of a value that is stored nowhere by itself, such as what a `let` step gives: it may be repeated elsewhere. */
  noted(value: JsonValue, place: RedactPath): void {
    for (const path of pathsInside(this.paths, place)) {
      replaceAt(value, path, (each) => {
        this.learn(each);
        return each;
      });
    }
  }

  /** {@link sealed} for what has to stay an object. */
  sealedObject(object: JsonObject, ...places: RedactPath[]): JsonObject {
    const sealed = this.sealed(object, ...places);
    return isJsonObject(sealed) ? sealed : {};
  }

  /** What approvers see, by the expression that gave it: `input.card` stands at the path of that name. */
  sealedShow(show: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(show).map(([source, value]) => [source, this.sealed(value, source.split('.'))]),
    );
  }

  /** The text with `[redacted]` for whatever was sealed so far: for texts that nobody has to open. */
  text(text: string): string {
    return this.known.reduce((left, known) => left.replaceAll(known, REDACTED), text);
  }

  /** The inverse of {@link sealed}. */
  opened(value: JsonValue): JsonValue {
    return replaceValues(value, (each) => (isSealed(each) ? this.reveal(each) : undefined));
  }

  openedObject(object: JsonObject): JsonObject {
    const opened = this.opened(object);
    return isJsonObject(opened) ? opened : {};
  }

  private conceal(value: JsonValue): JsonValue {
    if (isSealed(value) && this.wasSealed(value)) return this.upToDate(value);
    // Parts that are sealed already are sealed again as what they were.
    const plain = isSealed(value) ? value : this.opened(value);
    this.learn(plain);
    return this.seal(plain, REDACTED);
  }

  /**
   * What was taken over from rows that a change of the key has yet to reach, or has passed since: nothing that is written is
   * sealed with a previous key.
   */
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
    // Without paths nothing was sealed here: at most it was taken over from a run of a version that has some.
    if (this.redactsNothing && !this.wasSealed(value)) return value;
    return JSON.parse(this.sealer.open(value.$sealed)) as JsonValue;
  }

  private wasSealed({ $sealed }: SealedValue): boolean {
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
    this.known = known.slice(0, MOST_KNOWN);
  }
}

/** The texts of a value that are worth looking for elsewhere. */
function textsOf(value: JsonValue): string[] {
  if (typeof value === 'string') return value.trim().length >= SHORTEST_KNOWN ? [value] : [];
  if (typeof value === 'number') return String(value).length >= SHORTEST_NUMBER ? [String(value)] : [];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isJsonObject(value) ? Object.values(value).flatMap(textsOf) : [];
}
