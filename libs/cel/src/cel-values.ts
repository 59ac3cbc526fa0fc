import { isUtf8 } from 'node:buffer';
import { type ASTNode, EvaluationError, TypeError as CelTypeError } from '@marcbachmann/cel-js';
import { type Changeable, hasNoType } from './cel-operators.js';
import { fail } from './function-spec.js';
import { writtenName } from './function-registry.js';

/** Lets an expression read a field of a value without a type: the missing entry of an empty map literal. */
export function correctAccess(node: Changeable): void {
  if (node.op !== '.' && node.op !== '.?' && node.op !== '[]' && node.op !== '[?]') return;
  const { check } = node.meta;
  const [owner] = node.args;
  node.setMeta('check', (checker, ast, context) => {
    try {
      return check(checker, ast, context);
    } catch (error) {
      const type = checker.check(owner, context);
      if (!isTypeError(error) || !hasNoType(type)) throw error;
      return checker.getType(node.op.includes('?') || type.kind === 'optional' ? 'optional<dyn>' : 'dyn');
    }
  });
}

function isTypeError(error: unknown): boolean {
  return error instanceof EvaluationError || error instanceof CelTypeError;
}

const SCALAR_KEYS: ReadonlySet<string | undefined> = new Set(['int', 'uint', 'double', 'bool']);

/** Declares the keys of a map literal as strings, because that is what they become. */
export function correctMap(node: Changeable): void {
  if (node.op !== 'map' || node.args.length === 0) return;
  const { check } = node.meta;
  node.setMeta('check', (checker, ast, context) => {
    const type = check(checker, ast, context);
    const { keyType, valueType } = type;
    if (!SCALAR_KEYS.has(keyType?.name)) return type;
    return checker.getType(`map<string, ${valueType?.name ?? 'dyn'}>`);
  });
}

/** Makes `string(b)` and `b.string()` fail for bytes that are not UTF-8. The engine writes U+FFFD instead. */
export function correctText(node: Changeable): void {
  const bytes = convertedBytes(node);
  if (!bytes) return;
  const { evaluate } = node.meta;
  node.setMeta('evaluate', (evaluator, ast, context) => {
    const text = evaluate(evaluator, ast, context);
    if (typeof text !== 'string' || !text.includes('\ufffd')) return text;
    const value = evaluator.run(bytes, context);
    return value instanceof Uint8Array && !isUtf8(value) ? fail('converts bytes that are not UTF-8') : text;
  });
}

function convertedBytes(node: ASTNode): ASTNode | undefined {
  if (node.op !== 'call' && node.op !== 'rcall') return undefined;
  if (writtenName(node.args[0]) !== 'string') return undefined;
  return node.op === 'call' ? node.args[1][0] : node.args[1];
}
