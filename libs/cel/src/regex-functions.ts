import { Optional } from '@marcbachmann/cel-js';
import { spend, checkLength } from './cel-cost.js';
import { findMatch, findMatches, type Match, type Program } from './regex-search.js';
import { regexProblem, type SafeRegex, safeRegex } from './safe-regex.js';
import { fail, type FunctionSpec } from './function-spec.js';

const INSTRUCTIONS_PER_STEP = 32;

function compiled(pattern: string): SafeRegex {
  spend(pattern.length);
  // The pattern may be data here, so the message does not quote it.
  if (regexProblem(pattern) !== undefined) {
    fail('has a pattern that is not a valid RE2 regular expression, or that is too large');
  }
  return safeRegex(pattern);
}

function matches(text: string, pattern: string): boolean {
  const regex = compiled(pattern);
  spend((text.length * (regex.size + 64)) >> 9);
  return regex.test(text);
}

function meter(): (instructions: number) => void {
  let open = 0;
  return (instructions) => {
    open += instructions;
    if (open < INSTRUCTIONS_PER_STEP) return;
    spend(Math.floor(open / INSTRUCTIONS_PER_STEP));
    open %= INSTRUCTIONS_PER_STEP;
  };
}

function extraction(pattern: string): Program {
  const { program } = compiled(pattern);
  if (program.groups > 1) {
    fail(
      'has a pattern with more than one group',
      'failed',
      'Keep one capturing group, and write `(?:…)` for the others.',
    );
  }
  return program;
}

/** If the pattern has no group, returns the text of the match. */
function extracted(text: string, match: Match, { groups }: Program): string | undefined {
  if (groups === 0) return text.slice(match[0], match[1]);
  const [, , start = -1, end = -1] = match;
  return start < 0 || start === end ? undefined : text.slice(start, end);
}

function extract(text: string, pattern: string): Optional {
  const program = extraction(pattern);
  const match = findMatch(program, text, 0, meter());
  const part = match && extracted(text, match, program);
  return part === undefined ? Optional.none() : Optional.of(part);
}

function extractAll(text: string, pattern: string): string[] {
  const program = extraction(pattern);
  const parts: string[] = [];
  for (const match of findMatches(program, text, meter())) {
    spend(1);
    const part = extracted(text, match, program);
    if (part !== undefined) parts.push(part);
  }
  return parts;
}

/** Splits a replacement into texts and numbers of groups. */
function replacementParts(replacement: string, groups: number): (string | number)[] {
  return replacement.split(/(\\[\s\S]?)/).map((part) => {
    if (!part.startsWith('\\')) return part;
    if (part === '\\\\') return '\\';
    const group = /^\\([0-9])$/.exec(part)?.[1];
    if (group === undefined) {
      fail('has a replacement with a `\\` that is followed by neither a digit nor a `\\`', 'failed', HINT);
    }
    if (Number(group) > groups) fail('has a replacement with a group that the pattern does not have');
    return Number(group);
  });
}

const HINT = 'Write `\\\\1` for the first group in a string with quotes, or `r"\\1"`.';

function replace(text: string, pattern: string, replacement: string, limit = -1n): string {
  const { program } = compiled(pattern);
  const parts = replacementParts(replacement, program.groups);
  if (limit === 0n) return text;
  const pieces: string[] = [];
  let [from, length, count] = [0, text.length, 0n];
  for (const match of findMatches(program, text, meter())) {
    const [start = 0, end = 0] = match;
    const written = parts.map((part) => (typeof part === 'string' ? part : groupText(text, match, part))).join('');
    pieces.push(text.slice(from, start), written);
    length += written.length - (end - start);
    checkLength(length);
    spend(1 + (written.length >> 6));
    from = end;
    if (++count === limit) break;
  }
  return [...pieces, text.slice(from)].join('');
}

function groupText(text: string, match: Match, group: number): string {
  const [start = -1, end = -1] = match.slice(2 * group, 2 * group + 2);
  return start < 0 ? '' : text.slice(start, end);
}

export const REGEX_FUNCTIONS: readonly FunctionSpec[] = [
  ['string.matches(string): bool', matches],
  ['regex.extract(string, string): optional<string>', extract],
  ['regex.extractAll(string, string): list<string>', extractAll],
  ['regex.replace(string, string, string): string', replace],
  ['regex.replace(string, string, string, int): string', replace],
];
