import { RE2JS } from '@bufbuild/re2';
import { DomainError } from '@app/kernel';

/** Longest pattern that a definition or an expression may use, in UTF-16 units. */
const MAX_PATTERN_LENGTH = 512;
/** Matching takes time in proportion to the text and to this: the number of instructions of the compiled pattern. */
const MAX_INSTRUCTIONS = 2_500;
/** Counted repetitions are written out when compiling; this bounds what that can become. */
const MAX_WRITTEN_OUT = 50_000;
const CACHE_SIZE = 256;
/** A pattern whose automaton has at most this many states is matched by walking through them. */
const MAX_SMALL_STATES = 256;
/** What remains in memory of the automaton of any other pattern. */
const MAX_LARGE_STATES = 64;
/** Instructions that are looked at to find out which of the two a pattern is; each takes some 0.3 µs. */
const MAX_EXPLORATION = 30_000;
/** A class of Unicode, such as `\p{L}`, has hundreds of ranges. */
const WORK_OF_CLASS = 40;
/**
 * Conditions on the place in the text, as bits: at its start those of `^`, `\A` and `\b` hold, inside those of `\b` and
 * `\B`.
 */
const AT_START = 0b010101;
const INSIDE = 0b110000;
const UNANCHORED = 0;

/** A compiled pattern. `toString()` gives the pattern. */
export interface SafeRegex {
  test(text: string): boolean;
  toString(): string;
  /** Number of instructions. */
  readonly size: number;
  /** Work of matching a text of this length at the worst, in steps of about 100 ns. */
  stepsFor(length: number): number;
  /** Work of finding out what matching takes, in units of some 3 µs. It is done once. */
  readonly explorationWork: number;
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
  let found: ReturnType<typeof explore> | undefined;
  const explored = (): ReturnType<typeof explore> => (found ??= explore(regex.re2()));
  const safe: SafeRegex = {
    size,
    // Without a small automaton each character may cost a look at each instruction.
    stepsFor: (length) => 8 + length * (explored().isSmall ? 4 : 4 + size),
    get explorationWork() {
      return Math.ceil(explored().work / 10);
    },
    test: (text) => regex.test(text),
    toString: () => pattern,
  };
  compiled.set(pattern, safe);
  return safe;
}

/**
 * Whether the deterministic automaton of a pattern is small, and how much work it was to find out. An automaton may
 * have two states to the power of the instructions, for example for `(a|b)*a(a|b){30}$`: matching then does without it,
 * and the memory for its states is bounded here.
 */
function explore({ dfa, prog }: ReturnType<RE2JS['re2']>): { isSmall: boolean; work: number } {
  dfa.stateLimit = MAX_SMALL_STATES;
  const runes = representatives(prog.inst);
  const start = dfa.getState([prog.start]);
  const open = [start];
  const seen = new Set(open);
  let work = 0;
  for (let state = open.pop(); state; state = open.pop()) {
    for (const rune of runes) {
      const next = dfa.step(state, rune, UNANCHORED, state === start ? AT_START : INSIDE);
      work += 1 + state.nfaStates.length;
      if (next === null || work > MAX_EXPLORATION) {
        dfa.stateLimit = MAX_LARGE_STATES;
        return { isSmall: false, work };
      }
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return { isSmall: true, work };
}

/** A character of each range that a program distinguishes. */
function representatives(instructions: readonly { readonly runes: readonly number[] }[]): Set<number> {
  const runes = new Set<number>([0x0a, 0x10ffff]);
  for (const instruction of instructions) {
    for (const rune of instruction.runes) runes.add(rune).add(rune + 1);
  }
  return runes;
}

/** Work of compiling a pattern, in units of some 3 µs. */
export function compilingWork(pattern: string): number {
  const classes = pattern.split(/\\p/i).length - 1;
  return (pattern.length + classes * WORK_OF_CLASS) * countedRepetitions(pattern);
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
