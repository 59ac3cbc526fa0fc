import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { ExpressionScope } from './cel-names.js';
import { compileExpression } from './cel-environment.js';
import { explainEvaluationFailure } from './cel-explain.js';
import { spendCharacters, withSharedBudget } from './cel-cost.js';
import { type CelType, fieldTypes, jsonTypeOf, typeOfValue } from './cel-types.js';
import { type Expression, ExpressionError, type Scope, type Template } from './expression.js';

export type TemplatePath = readonly (string | number)[];

/** The first form is an expression of this service. The other forms belong to other template languages. */
const PLACEHOLDER = /\$?\{\{\s*([A-Za-z_]\w*)[^{}]*\}\}|\$\{\s*([A-Za-z_]\w*)[^{}]*\}/g;

export function foreignPlaceholders(text: string, names: ReadonlySet<string>): string[] {
  const found = [...text.matchAll(PLACEHOLDER)].filter(
    ([placeholder, inBraces, afterDollar]) =>
      !placeholder.startsWith('${{') && names.has(inBraces ?? afterDollar ?? ''),
  );
  return found.map(([placeholder]) => placeholder);
}

/** Compilation then continues with the next string, so that the author sees all errors at once. */
export type OnTemplateError = (path: TemplatePath, error: ExpressionError) => void;

/**
 * A string that contains only one expression and white space is replaced by the result of the expression, which keeps
 * its type. Inside other text, the result is inserted as text: strings unchanged, all other values as JSON.
 */
export function compileTemplate(source: JsonValue, scope: ExpressionScope, onError?: OnTemplateError): Template {
  const computed = compileValue(source, scope, [], onError);
  if (!computed) return { source, type: typeOfValue(source), isConstant: true, evaluate: () => source };
  const { evaluate, type } = computed;
  return { source, type, isConstant: false, evaluate: (values) => withSharedBudget(() => evaluate(values)) };
}

interface Computed {
  readonly evaluate: (scope: Scope) => JsonValue;
  readonly type: CelType;
}

function compileValue(
  value: JsonValue,
  scope: ExpressionScope,
  path: TemplatePath,
  onError: OnTemplateError | undefined,
): Computed | undefined {
  if (typeof value === 'string') return compileGuarded(value, scope, path, onError);
  if (Array.isArray(value)) return compileList(value, scope, path, onError);
  return isJsonObject(value) ? compileObject(value, scope, path, onError) : undefined;
}

function compileGuarded(
  text: string,
  scope: ExpressionScope,
  path: TemplatePath,
  onError: OnTemplateError | undefined,
): Computed | undefined {
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
): Computed | undefined {
  const items = list.map((item, index) => [item, compileValue(item, scope, [...path, index], onError)] as const);
  if (items.every(([, computed]) => computed === undefined)) return undefined;
  const evaluate = (values: Scope): JsonValue =>
    items.map(([item, computed]) => (computed ? computed.evaluate(values) : item));
  return { evaluate, type: 'list' };
}

function compileObject(
  object: JsonObject,
  scope: ExpressionScope,
  path: TemplatePath,
  onError: OnTemplateError | undefined,
): Computed | undefined {
  const members = Object.entries(object).map(
    ([key, member]) => [key, member, compileValue(member, scope, [...path, key], onError)] as const,
  );
  if (members.every(([, , computed]) => computed === undefined)) return undefined;
  return {
    evaluate: (values) =>
      Object.fromEntries(
        members.map(([key, member, computed]) => [key, computed ? computed.evaluate(values) : member]),
      ),
    type: fieldTypes(members.map(([key, member, computed]) => [key, computed?.type ?? typeOfValue(member)])),
  };
}

function compileText(text: string, scope: ExpressionScope): Computed | undefined {
  const parts = splitTemplate(text);
  if (parts.length === 0) return undefined;
  const compiled = parts.map((part) => (typeof part === 'string' ? part : compileExpression(part.expression, scope)));
  const visible = compiled.filter((part) => typeof part !== 'string' || part.trim() !== '');
  const [only] = visible;
  if (visible.length === 1 && only !== undefined && typeof only !== 'string') {
    return { evaluate: (values) => only.evaluate(values), type: jsonTypeOf(only.type) };
  }
  return { evaluate: (values) => compiled.map((part) => asText(part, values)).join(''), type: 'string' };
}

/** Counts the text against the budget in addition to the result, because both are in memory at the same time. */
function asText(part: string | Expression, scope: Scope): string {
  if (typeof part === 'string') return part;
  const value = part.evaluate(scope);
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value);
  try {
    spendCharacters(text.length);
  } catch (error) {
    throw explainEvaluationFailure(error, part.source);
  }
  return text;
}

export type Part = string | { readonly expression: string };

/** @throws ExpressionError if an expression has no closing `}}` */
export function splitTemplate(text: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (let open = text.indexOf('${{'); open !== -1; open = text.indexOf('${{', from)) {
    const close = findClose(text, open + 3);
    if (close === -1) {
      throw new ExpressionError('syntax', '`${{` has no closing `}}`.', text, 'Close it with `}}`.', open);
    }
    if (open > from) parts.push(text.slice(from, open));
    parts.push({ expression: text.slice(open + 3, close).trim() });
    from = close + 2;
  }
  if (parts.length > 0 && from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Finds the `}}` that ends an expression. Skips `}}` inside quotes and map literals. */
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

/** Also true if the text cannot be parsed, because another check reports that error. */
export function isWholeExpression(text: string): boolean {
  try {
    const parts = splitTemplate(text).filter((part) => typeof part !== 'string' || part.trim() !== '');
    return parts.length === 1 && typeof parts[0] !== 'string';
  } catch {
    return true;
  }
}
