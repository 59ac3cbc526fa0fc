import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { ExpressionScope } from './cel-names.js';
import { compileExpression } from './cel-environment.js';
import { type Expression, ExpressionError, type Scope, type Template } from './expression.js';

export type TemplatePath = readonly (string | number)[];

/** Called for each string that cannot be compiled; the template then keeps its text, so that all mistakes are found. */
export type OnTemplateError = (path: TemplatePath, error: ExpressionError) => void;

/**
 * Compiles a JSON value whose strings may hold `${{ CEL }}`: alone (white space around it does not count) an expression
 * keeps its type, inside text it is written as text: strings as they are, everything else as JSON.
 * Throws {@link ExpressionError} for the first bad expression, unless `onError` takes them.
 */
export function compileTemplate(source: JsonValue, scope: ExpressionScope, onError?: OnTemplateError): Template {
  const evaluate = compileValue(source, scope, [], onError);
  if (evaluate === undefined) return { source, isConstant: true, evaluate: () => source };
  return { source, isConstant: false, evaluate };
}

type Evaluate = (scope: Scope) => JsonValue;

/** The evaluation of `value`, or undefined where it is constant. */
function compileValue(
  value: JsonValue,
  scope: ExpressionScope,
  path: TemplatePath,
  onError: OnTemplateError | undefined,
): Evaluate | undefined {
  if (typeof value === 'string') return compileGuarded(value, scope, path, onError);
  if (Array.isArray(value)) return compileList(value, scope, path, onError);
  return isJsonObject(value) ? compileObject(value, scope, path, onError) : undefined;
}

function compileGuarded(
  text: string,
  scope: ExpressionScope,
  path: TemplatePath,
  onError: OnTemplateError | undefined,
): Evaluate | undefined {
  try {
    return compileText(text, scope);
  } catch (error) {
    if (!onError || !(error instanceof ExpressionError)) throw error;
    onError(path, error);
    return undefined;
  }
}

function compileList(
  list: JsonValue[],
  scope: ExpressionScope,
  path: TemplatePath,
  onError: OnTemplateError | undefined,
): Evaluate | undefined {
  const items = list.map((item, index) => compileValue(item, scope, [...path, index], onError));
  if (items.every((item) => item === undefined)) return undefined;
  return (values) => list.map((item, index) => items[index]?.(values) ?? item);
}

function compileObject(
  object: JsonObject,
  scope: ExpressionScope,
  path: TemplatePath,
  onError: OnTemplateError | undefined,
): Evaluate | undefined {
  const members = Object.entries(object).map(
    ([key, member]) => [key, member, compileValue(member, scope, [...path, key], onError)] as const,
  );
  if (members.every(([, , evaluate]) => evaluate === undefined)) return undefined;
  return (values) =>
    Object.fromEntries(members.map(([key, member, evaluate]) => [key, evaluate ? evaluate(values) : member]));
}

function compileText(text: string, scope: ExpressionScope): Evaluate | undefined {
  const parts = splitTemplate(text);
  if (parts.length === 0) return undefined;
  const compiled = parts.map((part) => (typeof part === 'string' ? part : compileExpression(part.expression, scope)));
  const visible = compiled.filter((part) => typeof part !== 'string' || part.trim() !== '');
  const [only] = visible;
  if (visible.length === 1 && only !== undefined && typeof only !== 'string') return (values) => only.evaluate(values);
  return (values) => compiled.map((part) => asText(part, values)).join('');
}

function asText(part: string | Expression, scope: Scope): string {
  if (typeof part === 'string') return part;
  const value = part.evaluate(scope);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type Part = string | { readonly expression: string };

/** The texts and expressions of a template in order; empty where it holds no expression. */
export function splitTemplate(text: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (let open = text.indexOf('${{'); open !== -1; open = text.indexOf('${{', from)) {
    const close = findClose(text, open + 3);
    if (close === -1) {
      throw new ExpressionError('syntax', '`${{` is opened and not closed.', text, 'Close it with `}}`.', open);
    }
    if (open > from) parts.push(text.slice(from, open));
    parts.push({ expression: text.slice(open + 3, close).trim() });
    from = close + 2;
  }
  if (parts.length > 0 && from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Where the `}}` is that ends an expression: not the ones inside quotes or of a map literal. */
function findClose(text: string, start: number): number {
  let braces = 0;
  let quote = '';
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote !== '') {
      if (char === '\\') at++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '{') braces++;
    else if (char === '}' && braces > 0) braces--;
    else if (char === '}' && text.charAt(at + 1) === '}') return at;
  }
  return -1;
}
