import { RE2JS } from '@bufbuild/re2';
import { DomainError } from '@app/kernel';

/** Longest pattern that a definition or an expression may use, in UTF-16 units. */
const MAX_PATTERN_LENGTH = 512;
/** Matching takes time in proportion to the text and to this: the number of instructions of the compiled pattern. */
const MAX_INSTRUCTIONS = 2_500;
/** Counted repetitions are written out when compiling; this bounds what that can become. */
const MAX_WRITTEN_OUT = 50_000;
const CACHE_SIZE = 256;

/** A compiled pattern. `toString()` gives the pattern. */
export interface SafeRegex {
  test(text: string): boolean;
  toString(): string;
  /** Number of instructions. */
  readonly size: number;
}

const compiled = new Map<string, SafeRegex>();

/**
 * Regular expressions in RE2 syntax: linear time whatever the pattern, so no look-around and no back-references.
 * Throws with a message for people when the pattern is not one.
 */
export function safeRegex(pattern: string): SafeRegex {
  const known = compiled.get(pattern);
  if (known) return known;
  if (pattern.length > MAX_PATTERN_LENGTH) throw unusable(`it is longer than ${MAX_PATTERN_LENGTH} characters`);
  if (pattern.length * countedRepetitions(pattern) > MAX_WRITTEN_OUT) throw unusable('it repeats too much');
  const regex = RE2JS.compile(pattern);
  const size = regex.re2().prog.inst.length;
  if (size > MAX_INSTRUCTIONS) throw unusable('it repeats too much');
  if (compiled.size >= CACHE_SIZE) compiled.clear();
  const safe: SafeRegex = { size, test: (text) => regex.test(text), toString: () => pattern };
  compiled.set(pattern, safe);
  return safe;
}

/** Why `pattern` is not a usable regular expression, as a clause; undefined when it is one. */
export function regexProblem(pattern: string): string | undefined {
  try {
    safeRegex(pattern);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it is not one';
    return reason.replace('invalid or unsupported Perl syntax: ', 'this is not RE2: ');
  }
}

function unusable(reason: string): DomainError {
  return new DomainError('definition_invalid', reason);
}

/** The sum of the larger bounds of `{n}` and `{n,m}`, at least 1. */
function countedRepetitions(pattern: string): number {
  let sum = 1;
  for (const [, least = '0', most] of pattern.matchAll(/\{(\d{1,6})(?:,(\d{0,6}))?\}/g)) sum += Number(most || least);
  return sum;
}
