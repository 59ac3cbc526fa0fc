/**
 * Finds matches of a compiled RE2 pattern with their groups, because the RE2 library only tells whether a text matches.
 * This is Pike's algorithm, as in RE2 and Go: it reads the text once and follows all alternatives at the same time, in
 * order of their priority.
 */

interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(rune: number): boolean;
}

export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  readonly prefix: string;
  readonly groups: number;
}

/**
 * Start and end of the whole match and of each group, in UTF-16 units; -1 for a group that is not part of the match.
 */
export type Match = readonly number[];

const [ALT, ALT_MATCH, CAPTURE, EMPTY_WIDTH, FAIL, MATCH, NOP] = [1, 2, 3, 4, 5, 6, 7];
const [BEGIN_LINE, END_LINE, BEGIN_TEXT, END_TEXT, WORD_BOUNDARY, NO_WORD_BOUNDARY] = [1, 2, 4, 8, 16, 32];
const LINE_FEED = 0x0a;
const NONE = -1;

interface Thread {
  readonly at: number;
  readonly captures: readonly number[];
}

class Threads {
  list: Thread[] = [];
  private readonly seen: Uint32Array;
  private generation = 1;

  constructor(size: number) {
    this.seen = new Uint32Array(size);
  }

  clear(): void {
    this.list = [];
    this.generation++;
  }

  enter(at: number): boolean {
    if (this.seen[at] === this.generation) return false;
    this.seen[at] = this.generation;
    return true;
  }
}

/** @param onWork receives the number of instructions that were visited; it may throw to stop the search */
export function findMatch(
  program: Program,
  text: string,
  from: number,
  onWork: (instructions: number) => void,
): Match | undefined {
  const search = new Search(program, text);
  let found: Match | undefined;
  let position = from;
  for (;;) {
    if (search.isIdle) {
      const skipped = found ? -1 : text.indexOf(program.prefix, position);
      if (skipped === -1) return found;
      onWork((skipped - position) >> 4);
      position = skipped;
    }
    if (!found) search.begin(position);
    const rune = text.codePointAt(position) ?? NONE;
    const after = position + (rune > 0xffff ? 2 : 1);
    found = search.step(rune, position, after) ?? found;
    onWork(search.takeWork());
    if (rune === NONE) return found;
    position = after;
  }
}

class Search {
  private current: Threads;
  private next: Threads;
  private readonly unmatched: readonly number[];
  private work = 0;

  constructor(
    private readonly program: Program,
    private readonly text: string,
  ) {
    const size = program.instructions.length;
    [this.current, this.next] = [new Threads(size), new Threads(size)];
    this.unmatched = Array.from({ length: 2 * (program.groups + 1) }, () => NONE);
  }

  get isIdle(): boolean {
    return this.current.list.length === 0;
  }

  takeWork(): number {
    const { work } = this;
    this.work = 0;
    return work;
  }

  /** It has a lower priority than the matches that began earlier. */
  begin(position: number): void {
    this.add(this.current, this.program.start, this.unmatched.with(0, position), position);
  }

  step(rune: number, position: number, after: number): Match | undefined {
    const { current, next } = this;
    let found: Match | undefined;
    next.clear();
    for (const { at, captures } of current.list) {
      this.work++;
      const instruction = this.program.instructions[at];
      if (instruction?.op === MATCH) {
        // All search states after this one have a lower priority, so their matches do not count.
        found = captures.with(1, position);
        break;
      }
      if (rune !== NONE && instruction?.matchRune(rune)) this.add(next, instruction.out, captures, after);
    }
    [this.current, this.next] = [next, current];
    return found;
  }

  /** Follows all instructions that read no character. */
  private add(threads: Threads, at: number, captures: readonly number[], position: number): void {
    this.work++;
    const instruction = threads.enter(at) ? this.program.instructions[at] : undefined;
    if (!instruction) return;
    const { op, out, arg } = instruction;
    if (op === ALT || op === ALT_MATCH) {
      this.add(threads, out, captures, position);
      this.add(threads, arg, captures, position);
    } else if (op === NOP) this.add(threads, out, captures, position);
    else if (op === CAPTURE) this.add(threads, out, captures.with(arg, position), position);
    else if (op === EMPTY_WIDTH) {
      if ((arg & ~conditionsAt(this.text, position)) === 0) this.add(threads, out, captures, position);
    } else if (op !== FAIL) threads.list.push({ at, captures });
  }
}

/** Skips an empty match directly after another match. */
export function* findMatches(
  program: Program,
  text: string,
  onWork: (instructions: number) => void,
): Generator<Match, void> {
  let position = 0;
  let end = NONE;
  while (position <= text.length) {
    const match = findMatch(program, text, position, onWork);
    if (!match) return;
    const [start = 0, stop = 0] = match;
    const isEmpty = start === stop;
    if (!isEmpty || start !== end) yield match;
    position = isEmpty ? stop + ((text.codePointAt(stop) ?? 0) > 0xffff ? 2 : 1) : stop;
    end = stop;
  }
}

function conditionsAt(text: string, position: number): number {
  const [before, after] = [text.charCodeAt(position - 1), text.charCodeAt(position)];
  let conditions = 0;
  if (position === 0) conditions |= BEGIN_TEXT | BEGIN_LINE;
  if (position === text.length) conditions |= END_TEXT | END_LINE;
  if (before === LINE_FEED) conditions |= BEGIN_LINE;
  if (after === LINE_FEED) conditions |= END_LINE;
  return conditions | (isWord(before) === isWord(after) ? NO_WORD_BOUNDARY : WORD_BOUNDARY);
}

function isWord(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a) || unit === 0x5f
  );
}
