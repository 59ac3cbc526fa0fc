import { RE2JS } from '@bufbuild/re2';
import { DomainError } from '@app/kernel';
import type { Program } from './regex-search.js';

/** Maximum length of a pattern in a definition or an expression, in UTF-16 units. */
const MAX_PATTERN_LENGTH = 512;
/**
 * Maximum number of instructions of a compiled pattern. Matching takes time in proportion to this number and to the
 * length of the text.
 */
const MAX_INSTRUCTIONS = 2_500;
/** This constant limits the size of the expanded pattern. */
const MAX_WRITTEN_OUT = 50_000;
const CACHE_SIZE = 256;
/**
 * If the automaton of a pattern has at most this many states, it counts as small, and all its states stay in memory.
 */
const MAX_SMALL_STATES = 256;
/** Maximum number of states that stay in memory for an automaton that is not small. */
const MAX_LARGE_STATES = 64;
/**
 * Maximum number of instructions that are inspected to find out whether an automaton is small. Inspecting one
 * instruction takes about 0.3 µs.
 */
const MAX_EXPLORATION = 30_000;
/**
 * In {@link compilingWork}, a Unicode class such as `\p{L}` counts as this many characters, because it has hundreds of
 * ranges.
 */
const WORK_OF_CLASS = 40;
/** Conditions on a position that can hold at the start of a text, as bits: `^`, `\A` and `\b`. */
const AT_START = 0b010101;
/** Conditions on a position that can hold inside a text, as bits: `\b` and `\B`. */
const INSIDE = 0b110000;
const UNANCHORED = 0;

export interface SafeRegex {
  test(text: string): boolean;
  toString(): string;
  readonly size: number;
  readonly program: Program;
  /** Maximum work of matching a text of this length, in steps of about 100 ns. */
  stepsFor(length: number): number;
  /**
   * Work that the exploration of the automaton of the pattern took, in units of about 3 µs. It is counted in inspected
   * instructions, not measured as time. The exploration runs once, when this property or `stepsFor` is first used.
   */
  readonly explorationWork: number;
}

const compiled = new Map<string, SafeRegex>();

/** Matching always takes linear time, so there is no look-around and there are no back-references. */
export function safeRegex(pattern: string): SafeRegex {
  const known = compiled.get(pattern);
  if (known) return known;
  if (pattern.length > MAX_PATTERN_LENGTH) throw unusable(`it is longer than ${MAX_PATTERN_LENGTH} characters`);
  if (pattern.length * countedRepetitions(pattern) > MAX_WRITTEN_OUT) throw unusable('its repetitions are too large');
  const regex = RE2JS.compile(pattern);
  const { prog, prefix, numSubexp } = regex.re2();
  const size = prog.inst.length;
  if (size > MAX_INSTRUCTIONS) throw unusable('its repetitions are too large');
  if (compiled.size >= CACHE_SIZE) compiled.clear();
  let found: ReturnType<typeof explore> | undefined;
  const explored = (): ReturnType<typeof explore> => (found ??= explore(regex.re2()));
  const safe: SafeRegex = {
    size,
    program: { instructions: prog.inst, start: prog.start, prefix, groups: numSubexp },
    // If the automaton is not small, each character may have to be compared with every instruction.
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
 * A pattern of n instructions may have an automaton with 2^n states, for example `(a|b)*a(a|b){30}$`. Such a pattern is
 * matched without the full automaton, and the memory for its states is limited.
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

function representatives(instructions: readonly { readonly runes: readonly number[] }[]): Set<number> {
  const runes = new Set<number>([0x0a, 0x10ffff]);
  for (const instruction of instructions) {
    for (const rune of instruction.runes) runes.add(rune).add(rune + 1);
  }
  return runes;
}

export function compilingWork(pattern: string): number {
  const classes = pattern.split(/\\p/i).length - 1;
  return (pattern.length + classes * WORK_OF_CLASS) * countedRepetitions(pattern);
}

/** Returns why `pattern` is not a usable regular expression, as the end of a sentence; undefined if it is usable. */
export function regexProblem(pattern: string): string | undefined {
  try {
    safeRegex(pattern);
    return undefined;
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it is not a regular expression';
    return reason.replace('invalid or unsupported Perl syntax: ', 'this is not RE2 syntax: ');
  }
}

function unusable(reason: string): DomainError {
  return new DomainError('definition_invalid', reason);
}

/** Returns the sum of the maximum counts of all repetitions `{n}` and `{n,m}` in the pattern, but at least 1. */
function countedRepetitions(pattern: string): number {
  let sum = 1;
  for (const [, least = '0', most] of pattern.matchAll(/\{(\d{1,6})(?:,(\d{0,6}))?\}/g)) sum += Number(most || least);
  return sum;
}
