import type { ASTNode } from '@marcbachmann/cel-js';
import { didYouMean, ownMember } from '@app/kernel';
import { memberName, type Visit } from './cel-tree.js';
import type { CelType, KnownShape } from './cel-types.js';
import { type Expression, ExpressionError } from './expression.js';

/** The names that an expression may use at its place in the definition. */
export interface ExpressionScope {
  readonly names: ReadonlySet<string>;
  /** The known types of names. Other names may have any type. */
  readonly shapes?: ReadonlyMap<string, KnownShape>;
  /** The type of `steps.<id>.output`; undefined if it is unknown. */
  readonly outputType?: (id: string) => CelType | undefined;
  /**
   * The number of typed environments that may still be created for the definition. Without it, the number is not
   * limited.
   */
  readonly budget?: { environments: number };
  /** Cache of the expressions that were compiled with the same names, by their source. */
  readonly compiled?: Map<string, Expression>;
  /** Receives each optional field that is read without `has()`, with its offset. */
  readonly onOptional?: (text: string, offset: number) => void;
  /**
   * Returns why `steps.<id>` cannot be read here, or undefined if it can. If the function is absent, every step id is
   * accepted.
   */
  readonly stepProblem?: (id: string) => { detail: string; suggestion?: string } | undefined;
  /** Receives each secret that is mentioned. */
  readonly onSecret?: (name: string) => void;
  /** True for stored definitions, which were checked when they were created. Skips checks that only find mistakes. */
  readonly isTrusted?: boolean;
}

/** Names that authors know from other languages, with a suggestion for each. */
const MISTAKEN: Readonly<Record<string, string>> = {
  and: 'CEL writes `&&`.',
  or: 'CEL writes `||`.',
  not: 'CEL writes `!`.',
  True: 'CEL writes `true`.',
  False: 'CEL writes `false`.',
  None: 'CEL writes `null`.',
  nil: 'CEL writes `null`.',
  undefined: 'Use `has(…)` to check whether a field exists.',
};

/** Throws {@link ExpressionError} at the first name that is not in scope. */
export function checkNames(
  source: string,
  visits: readonly Visit[],
  scope: ExpressionScope,
  isBuiltIn: (name: string) => boolean,
): void {
  for (const { node, parent, bound, isBinder } of visits) {
    if (node.op !== 'id' || isBinder || bound.has(node.args)) continue;
    if (!scope.names.has(node.args)) {
      if (!isBuiltIn(node.args)) throw unknownName(source, node, node.args, scope);
      continue;
    }
    const member = memberName(node, parent);
    if (node.args === 'secrets') useSecret(source, node, member, scope);
    if (node.args === 'steps' && member !== undefined) checkStep(source, node, member, scope);
  }
  if (scope.names.has('steps')) checkStepMembers(source, visits);
}

function unknownName(source: string, node: ASTNode, name: string, scope: ExpressionScope): ExpressionError {
  const names = [...scope.names];
  const detail =
    name === 'secrets'
      ? "Secrets can only be used in a tool's `auth` and `headers`."
      : `There is no name \`${name}\` here. Available names: ${names.map((known) => `\`${known}\``).join(', ')}.`;
  const hint = ownMember(MISTAKEN, name) ?? didYouMean(name, names) ?? quoteHint(source, node, name);
  return new ExpressionError('unknown_name', detail, source, hint, node.start);
}

/** A single unknown word is usually a string without quotes. */
function quoteHint(source: string, node: ASTNode, name: string): string | undefined {
  const isOperand = /[=!<>+]=?\s*$/.test(source.slice(0, node.start));
  return isOperand ? `A string needs quotes: \`"${name}"\`.` : undefined;
}

function checkStep(source: string, node: ASTNode, id: string, scope: ExpressionScope): void {
  const problem = scope.stepProblem?.(id);
  if (problem) throw new ExpressionError('unknown_name', problem.detail, source, problem.suggestion, node.start);
}

/** Rejects `steps.lookup.total`, which lacks `.output`, the only field of a step. */
function checkStepMembers(source: string, visits: readonly Visit[]): void {
  for (const { node, bound } of visits) {
    if (node.op !== '.' || node.args[0].op !== '.' || node.args[1] === 'output') continue;
    const [step, member] = node.args;
    const owner = step.args[0];
    if (owner.op !== 'id' || owner.args !== 'steps' || bound.has('steps')) continue;
    throw new ExpressionError(
      'unknown_name',
      `\`${source.slice(node.start, node.end)}\` does not exist. A step has only the field \`output\`.`,
      source,
      `Write \`steps.${step.args[1]}.output.${member}\`.`,
      node.start,
    );
  }
}

/** Records the use of a secret. Rejects `secrets` without a name, which could pass all secrets to a tool. */
function useSecret(source: string, node: ASTNode, member: string | undefined, scope: ExpressionScope): void {
  if (member !== undefined) return scope.onSecret?.(member);
  const detail = '`secrets` can only be used with the name of a secret.';
  throw new ExpressionError('unknown_name', detail, source, 'Write `secrets.NAME`.', node.start);
}
