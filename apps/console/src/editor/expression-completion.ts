import type { DefinitionPlace } from './definition-place.js';
import { namesAt, type Shape, shapeAt } from './expression-names.js';
import type { Suggestion, Suggestions } from './suggestion.js';

/** A row of the tables of functions: its forms, such as `s.charAt(i)`, and what it does. */
export interface FunctionRow {
  forms: readonly string[];
  does: string;
  example: string;
  gives: string;
}

export interface ExpressionKnowledge {
  functions: readonly FunctionRow[];
  secrets: readonly string[];
  /** Full names of the operations, for comparisons with `tool.name`. */
  operations: readonly string[];
}

/** Longest expression that the service accepts. */
const MAX_LENGTH = 1_024;

/**
 * Returns the part of an expression that is before the cursor, or undefined if the cursor is not in an expression.
 * `isExpression` is true if the whole value is an expression, without `${{ }}`.
 */
export function expressionBefore(
  text: string,
  offset: number,
  { path, start }: DefinitionPlace,
  isExpression: boolean,
): string | undefined {
  const opening = text.lastIndexOf('${{', offset - 3);
  const written = text.slice(opening + 3, offset);
  if (opening >= start && !written.includes('}}') && written.length <= MAX_LENGTH) return written;
  if (!isExpression) return undefined;
  const value = text.slice(start, offset).replace(/^[|>][-+\d]*\s*\n/, '');
  const own = typeof path.at(-1) === 'number' ? value.slice(lastItem(value)) : value;
  return own.replace(/^\s*["']?/, '');
}

/** Returns the offset after the last comma that separates items of a list in brackets. */
function lastItem(value: string): number {
  return /["')\]]/.test(value) ? 0 : value.lastIndexOf(',') + 1;
}

const CHAIN =
  /((?:[A-Za-z_]\w*|\["[^"]*"\]|\['[^']*'\]|\[\d+\])(?:\.\??[A-Za-z_]\w*|\["[^"]*"\]|\['[^']*'\]|\[\??\d+\])*)?(\.\??)?([A-Za-z_]\w*)?$/;
const MACRO_NAME = /\.(?:all|exists|exists_one|filter|map|sortBy|groupBy|optMap|optFlatMap)\(\s*([A-Za-z_]\w*)\s*,/g;

/** Returns what an expression can continue with. `offset` is the offset of the cursor in the text. */
export function expressionSuggestions(
  expression: string,
  offset: number,
  place: DefinitionPlace,
  known: ExpressionKnowledge,
): Suggestions | undefined {
  const literal = openLiteral(expression);
  if (literal !== undefined) {
    if (!/tool\.name\s*(?:==|!=|in)\s*\[?[^\]]*$/.test(expression.slice(0, -literal.length - 1))) return undefined;
    return { from: offset - literal.length, items: known.operations.map((name) => suggested(name, 'operation')) };
  }
  const { chain, partial } = chainBefore(expression);
  const names = namesAt(place, known.secrets);
  for (const [, name = ''] of expression.matchAll(MACRO_NAME)) names.set(name, {});
  const from = offset - partial.length;
  if (chain === undefined)
    return {
      from,
      items: [
        ...[...names].map(([name, shape]) => suggested(name, detailOf(shape), shape.description)),
        ...functionsOf(known.functions, (owner) => owner === ''),
        ...[...namespaces(known.functions)].map((name) => ({ ...suggested(name, 'functions'), insert: `${name}.` })),
      ],
    };
  const [root = ''] = chain;
  if (chain.length === 1 && !names.has(root) && namespaces(known.functions).has(root))
    return { from, items: functionsOf(known.functions, (owner) => owner === root) };
  const shape = shapeAt(names, chain);
  const members = Object.entries(shape?.properties ?? {}).map(([name, member]) =>
    suggested(name, detailOf(member), member.description),
  );
  const receivers = receiversOf(shape?.type);
  return { from, items: [...members, ...functionsOf(known.functions, (owner) => receivers.includes(owner))] };
}

/** Returns the text of a string literal that the expression has opened and not closed. */
function openLiteral(expression: string): string | undefined {
  let quote = '';
  let start = 0;
  for (let at = 0; at < expression.length; at++) {
    const character = expression[at] ?? '';
    if (quote !== '' && character === '\\') at++;
    else if (character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) [quote, start] = [character, at + 1];
  }
  return quote === '' ? undefined : expression.slice(start);
}

/** Splits `a.b.c` at the end of an expression into the members before the last dot, and what follows it. */
function chainBefore(expression: string): { chain: readonly string[] | undefined; partial: string } {
  const word = /[A-Za-z_]\w*$/.exec(expression)?.[0] ?? '';
  const before = expression.slice(0, expression.length - word.length);
  if (!/\.\??$/.test(before)) return { chain: undefined, partial: word };
  const owner = before.replace(/\.\??$/, '');
  const [path = ''] = CHAIN.exec(owner) ?? [];
  const members = Array.from(path.matchAll(/[A-Za-z_]\w*|\d+/g), ([member]) => member);
  return { chain: members.length > 0 ? members : [''], partial: word };
}

/** The letters that stand for the receiver of a method in the tables, by the type of the value. */
const RECEIVERS: Readonly<Record<string, readonly string[]>> = {
  string: ['s', 'x'],
  array: ['l', 'x'],
  object: ['m'],
  number: [],
  integer: [],
  boolean: [],
};
const ANY_RECEIVER = ['s', 'l', 'x', 'b', 'o', 'm', 't'];

function receiversOf(type: unknown): readonly string[] {
  return (typeof type === 'string' && RECEIVERS[type]) || ANY_RECEIVER;
}

function ownerOf(form: string): string {
  return /^([a-z][a-z0-9]*)\.\w+\(/.exec(form)?.[1] ?? '';
}

function namespaces(functions: readonly FunctionRow[]): Set<string> {
  return new Set(functions.flatMap(({ forms }) => forms.map(ownerOf)).filter((owner) => owner.length > 1));
}

function functionsOf(functions: readonly FunctionRow[], isWanted: (owner: string) => boolean): Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const { forms, does, example, gives } of functions)
    for (const form of forms) {
      if (!isWanted(ownerOf(form))) continue;
      const signature = form.replace(/^[a-z][a-z0-9]*\./, '');
      const name = signature.slice(0, signature.indexOf('('));
      const info = `${form}: ${does}\n${example} gives ${gives}`;
      if (!found.has(name))
        found.set(name, { label: name, insert: `${name}(`, detail: signature.slice(name.length), info, rank: -1 });
    }
  return [...found.values()];
}

function detailOf({ type, properties }: Shape): string {
  if (typeof type === 'string') return type;
  return properties === undefined ? '' : 'object';
}

function suggested(name: string, detail: string, info: unknown = ''): Suggestion {
  return { label: name, insert: name, detail, info: typeof info === 'string' ? info : '' };
}
