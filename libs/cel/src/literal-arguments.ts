import type { ASTNode } from '@marcbachmann/cel-js';
import { ExpressionError } from './expression.js';
import { regexProblem } from './safe-regex.js';
import { writtenName } from './function-registry.js';
import { localeProblem, numberPatternProblem } from './number-format.js';
import { FIELDS, timePatternProblem } from './time-pattern.js';
import { TIME_PARTS, zoneProblem } from './time-functions.js';

interface LiteralCheck {
  readonly index: number;
  readonly noun: string;
  readonly remedy: string;
  readonly problem: (text: string) => string | undefined;
}

const PATTERN = {
  noun: 'regular expression',
  remedy: 'Write it in RE2 syntax, which has no look-ahead, look-behind or back-references.',
  problem: regexProblem,
};

const TIME_PATTERN = {
  index: 1,
  noun: 'time pattern',
  remedy: `Known fields are ${FIELDS.map(({ letters }) => letters).join(' ')}. Put other text in single quotes.`,
  problem: timePatternProblem,
};
const ZONE = {
  index: 2,
  noun: 'time zone',
  remedy: 'Write an IANA name, such as `Europe/Berlin`, or an offset, such as `+02:00`.',
  problem: zoneProblem,
};
const NUMBER_PATTERN = {
  index: 1,
  noun: 'number pattern',
  remedy: 'Write a pattern such as `#,##0.00` or `0.0%`.',
  problem: numberPatternProblem,
};
const LOCALE = { index: 2, noun: 'locale', remedy: 'Write a BCP 47 tag, such as `en-US`.', problem: localeProblem };

const LITERALS: ReadonlyMap<string, readonly LiteralCheck[]> = new Map([
  ['matches', [{ index: 0, ...PATTERN }]],
  ['regex.extract', [{ index: 1, ...PATTERN }]],
  ['regex.extractAll', [{ index: 1, ...PATTERN }]],
  ['regex.replace', [{ index: 1, ...PATTERN }]],
  ['time.format', [TIME_PATTERN, ZONE]],
  ['time.parse', [TIME_PATTERN, ZONE]],
  ...TIME_PARTS.map((name): [string, LiteralCheck[]] => [name, [{ ...ZONE, index: 0 }]]),
  ['number.format', [NUMBER_PATTERN, LOCALE]],
]);

/** Throws {@link ExpressionError} for a literal argument that makes a call fail in every run. */
export function checkLiteral(source: string, node: ASTNode): void {
  if (node.op !== 'call' && node.op !== 'rcall') return;
  const args = node.op === 'call' ? node.args[1] : node.args[2];
  for (const { index, noun, remedy, problem } of LITERALS.get(writtenName(node.args[0])) ?? []) {
    const argument = args[index];
    if (argument?.op !== 'value' || typeof argument.args !== 'string') continue;
    const found = problem(argument.args);
    if (found === undefined) continue;
    const detail = `The ${noun} ${JSON.stringify(argument.args)} cannot be used: ${found}.`;
    throw new ExpressionError('syntax', detail, source, remedy, argument.start);
  }
}
