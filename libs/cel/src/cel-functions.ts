import type { ASTNode } from '@marcbachmann/cel-js';
import { closest, nearest } from '@app/kernel';
import { ExpressionError } from './expression.js';
import {
  FUNCTION_NAMES,
  isFunction,
  isStandard,
  type Signature,
  SIGNATURES,
  takesNamespace,
  writtenName,
} from './function-registry.js';
import { NAMESPACES } from './function-spec.js';
import type { Visit } from './cel-tree.js';

/** Names of functions in other languages, each with the function of this service that does the same. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['toLowerCase', 'lowerAscii'],
  ['lower', 'lowerAscii'],
  ['toUpperCase', 'upperAscii'],
  ['upper', 'upperAscii'],
  ['length', 'size'],
  ['len', 'size'],
  ['count', 'size'],
  ['strip', 'trim'],
  ['includes', 'contains'],
  ['push', 'merge'],
  ['some', 'exists'],
  ['any', 'exists'],
  ['every', 'all'],
  ['fold', 'reduce'],
  ['unique', 'distinct'],
  ['orElse', 'orValue'],
  ['test', 'matches'],
  ['toString', 'string'],
  ['transformList', 'map'],
  ['transformMap', 'map'],
  ['transformMapEntry', 'map'],
  ['str', 'string'],
  ['number', 'double'],
  ['float', 'double'],
  ['json.parse', 'json.decode'],
  ['json.stringify', 'json.encode'],
  ['math.max', 'math.greatest'],
  ['math.min', 'math.least'],
]);

const CLOCKS: ReadonlySet<string> = new Set([
  'now',
  'today',
  'time.now',
  'time.today',
  'currentTime',
  'getCurrentTime',
  'timestamp.now',
  'Date.now',
]);
const CLOCK_HINT = 'An expression has no clock. The run began at `run.started_at`: write `timestamp(run.started_at)`.';

export function isLikeNamespace(name: string): boolean {
  return NAMESPACES.has(name) || closest(name, NAMESPACES) !== undefined;
}

export function unknownFunction(source: string, node: ASTNode, name: string): ExpressionError {
  const text = source.slice(node.start, node.end);
  const known = FOREIGN.get(name) ?? nearest(name, candidatesFor(name));
  const detail = `\`${text}\` calls the function \`${name}\`, which does not exist.`;
  const suggestion = CLOCKS.has(name) ? CLOCK_HINT : `Did you mean \`${known}\`?`;
  return new ExpressionError('type', detail, source, suggestion, node.start);
}

function candidatesFor(name: string): readonly string[] {
  const [namespace = ''] = name.split('.');
  if (!name.includes('.')) return FUNCTION_NAMES;
  const inside = FUNCTION_NAMES.filter((known) => known.startsWith(`${namespace}.`));
  return inside.length > 0 ? inside : FUNCTION_NAMES;
}

export function unfittingCall(source: string, node: ASTNode, given: readonly string[]): ExpressionError {
  const text = source.slice(node.start, node.end);
  const name = node.op === 'call' || node.op === 'rcall' ? writtenName(node.args[0]) : 'function';
  if (!isFunction(name)) return unknownFunction(source, node, name);
  const detail = `\`${text}\` calls \`${name}\` with arguments that the function does not accept.`;
  const suggestion = intHint(source, node, given) ?? methodHint(source, node, name) ?? signatureHint(name);
  return new ExpressionError('type', detail, source, suggestion, node.start);
}

function intHint(source: string, node: ASTNode, given: readonly string[]): string | undefined {
  const args = argumentsOf(node);
  const index = args.findIndex((_, at) => given[at] === 'double' && isWholeParameter(node, at));
  const part = args[index];
  return part && `Numbers from data are doubles. Write \`int(${source.slice(part.start, part.end)})\`.`;
}

function argumentsOf(node: ASTNode): readonly ASTNode[] {
  if (node.op === 'call') return node.args[1];
  return node.op === 'rcall' ? node.args[2] : [];
}

function methodHint(source: string, node: ASTNode, name: string): string | undefined {
  const isMethod = signaturesOf(name).some(({ receiver }) => receiver !== undefined);
  const [first, ...rest] = node.op === 'call' ? node.args[1] : [];
  if (!isMethod || !first || signaturesOf(name).some(({ receiver }) => receiver === undefined)) return undefined;
  const texts = rest.map((argument) => source.slice(argument.start, argument.end));
  return `Write \`${source.slice(first.start, first.end)}.${name}(${texts.join(', ')})\`.`;
}

function signatureHint(name: string): string | undefined {
  // The signatures that the engine itself has for a standard function such as `string` are not known here.
  if (isStandard(name)) return undefined;
  const forms = new Set(signaturesOf(name).slice(0, 4).map(writtenSignature));
  return forms.size === 0 ? undefined : `Write the call as ${[...forms].map((form) => `\`${form}\``).join(' or ')}.`;
}

function writtenSignature({ name, receiver, parameters }: Signature): string {
  const written = (takesNamespace(name) ? parameters.slice(1) : parameters).map(nameOfType);
  return `${receiver === undefined ? '' : `${nameOfType(receiver)}.`}${name}(${written.join(', ')})`;
}

function nameOfType(type: string): string {
  return TYPE_NAMES[type] ?? type.replace(/<.*/, '');
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  dyn: 'value',
  ast: 'expression',
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Duration': 'duration',
};

function signaturesOf(name: string): readonly Signature[] {
  return SIGNATURES.filter((signature) => signature.name === name);
}

function isWholeParameter(node: ASTNode, index: number): boolean {
  if (node.op !== 'call' && node.op !== 'rcall') return false;
  const count = argumentsOf(node).length;
  const fitting = signaturesOf(writtenName(node.args[0])).filter(({ parameters }) => parameters.length === count);
  return fitting.length > 0 && fitting.every(({ parameters }) => isWhole(parameters[index]));
}

function isWhole(type: string | undefined): boolean {
  return type === 'int' || type === 'uint';
}

/**
 * Rejects calls such as `input.text.substring(input.n)` when the definition is created. Numbers from data are doubles,
 * but a position must be a whole number, so the call would fail in every run. Needs a type-checked tree.
 */
export function findDoublePositions(source: string, visits: readonly Visit[], names: ReadonlySet<string>): void {
  for (const { node, bound } of visits) {
    argumentsOf(node).forEach((argument, index) => {
      if (!isWholeParameter(node, index) || !(isData(argument, bound, names) || isDouble(argument))) return;
      const text = source.slice(argument.start, argument.end);
      throw new ExpressionError(
        'type',
        `\`${source.slice(node.start, node.end)}\` needs a whole number, but \`${text}\` is a double. All numbers from data are doubles.`,
        source,
        `Write \`int(${text})\`.`,
        argument.start,
      );
    });
  }
}

function isData(node: ASTNode, bound: ReadonlySet<string>, names: ReadonlySet<string>): boolean {
  if (node.op === '.' || node.op === '[]') return isData(node.args[0], bound, names);
  return node.op === 'id' && names.has(node.args) && !bound.has(node.args);
}

function isDouble(node: ASTNode): boolean {
  const type: unknown = 'checkedType' in node ? node.checkedType : undefined;
  return typeof type === 'object' && type !== null && 'name' in type && type.name === 'double';
}
