import type { ASTNode } from '@marcbachmann/cel-js';
import { didYouMean, ownMember } from '@app/kernel';
import { memberName, type Visit } from './cel-tree.js';
import { isLikeNamespace, unknownFunction } from './cel-functions.js';
import { isFunction, writtenName } from './function-registry.js';
import { type KnownShape, type KnownOutput, STEP_MEMBERS } from './cel-types.js';
import { type Expression, ExpressionError } from './expression.js';

export interface ExpressionScope {
  readonly names: ReadonlySet<string>;
  readonly shapes?: ReadonlyMap<string, KnownShape>;
  readonly stepOutput?: (id: string) => KnownOutput | undefined;
  readonly budget?: { environments: number };
  /** Cache of the expressions that were compiled with the same names in scope, by their source. */
  readonly compiled?: Map<string, Expression>;
  readonly onOptional?: (text: string, offset: number) => void;
  readonly stepProblem?: (id: string) => { detail: string; suggestion?: string } | undefined;
  readonly callbackProblem?: (id: string) => { detail: string; suggestion?: string } | undefined;
  readonly onMention?: (name: string, member: string | undefined) => void;
  readonly onSecret?: (name: string) => void;
  readonly isTrusted?: boolean;
}

/** Names that authors know from other languages, with a suggestion for each. */
const MISTAKEN: Readonly<Record<string, string>> = {
  and: 'In CEL, write `&&`.',
  or: 'In CEL, write `||`.',
  not: 'In CEL, write `!`.',
  True: 'In CEL, write `true`.',
  False: 'In CEL, write `false`.',
  None: 'In CEL, write `null`.',
  nil: 'In CEL, write `null`.',
  undefined: 'Use `has(…)` to check whether a field exists.',
};

export function checkNames(
  source: string,
  visits: readonly Visit[],
  scope: ExpressionScope,
  isBuiltIn: (name: string) => boolean,
): void {
  checkFunctions(source, visits, scope);
  const waits = waitsForCallbacks(visits);
  for (const { node, parent, bound, isBinder } of visits) {
    if (node.op !== 'id' || isBinder || bound.has(node.args)) continue;
    if (!scope.names.has(node.args)) {
      if (!isBuiltIn(node.args)) throw unknownName(source, node, node.args, scope);
      continue;
    }
    const member = memberName(node, parent);
    scope.onMention?.(node.args, member);
    if (node.args === 'secrets') useSecret(source, node, member, scope);
    if (node.args !== 'steps' || member === undefined) continue;
    if (parent && waits.has(parent)) checkCallbackUrl(source, node, member, scope);
    else checkStep(source, node, member, scope);
  }
  if (scope.names.has('steps')) checkStepMembers(source, visits);
}

/**
 * Throws for the first call of an unknown function. Functions are checked before names: in `list.al(x, x > 1)`, the
 * mistake is the function `al`, not the name `x`.
 */
function checkFunctions(source: string, visits: readonly Visit[], { names }: ExpressionScope): void {
  for (const { node, bound } of visits) {
    if (node.op !== 'call' && node.op !== 'rcall') continue;
    const name = writtenName(node.args[0]);
    const receiver = node.op === 'rcall' ? node.args[1] : undefined;
    const owner = receiver?.op === 'id' && !names.has(receiver.args) && !bound.has(receiver.args) ? receiver.args : '';
    if (owner === '' && !isFunction(name)) throw unknownFunction(source, node, name);
    if (isLikeNamespace(owner) && !isFunction(`${owner}.${name}`)) {
      throw unknownFunction(source, node, `${owner}.${name}`);
    }
  }
}

function unknownName(source: string, node: ASTNode, name: string, scope: ExpressionScope): ExpressionError {
  const names = [...scope.names];
  const detail =
    name === 'secrets'
      ? 'Secrets can only be used in a tool: in its `auth`, `headers`, `base_url`, `path`, `query` and `content`.'
      : `There is no name \`${name}\` here. Available names: ${names.map((known) => `\`${known}\``).join(', ')}.`;
  const hint = ownMember(MISTAKEN, name) ?? didYouMean(name, names) ?? quoteHint(source, node, name);
  return new ExpressionError('unknown_name', detail, source, hint, node.start);
}

function quoteHint(source: string, node: ASTNode, name: string): string | undefined {
  const isOperand = /[=!<>+]=?\s*$/.test(source.slice(0, node.start));
  return isOperand ? `A string needs quotes: \`"${name}"\`.` : undefined;
}

function checkStep(source: string, node: ASTNode, id: string, scope: ExpressionScope): void {
  const problem = scope.stepProblem?.(id);
  if (problem) throw new ExpressionError('unknown_name', problem.detail, source, problem.suggestion, node.start);
}

export function waitsForCallbacks(visits: readonly Visit[]): ReadonlySet<ASTNode> {
  const urls = visits.flatMap(({ node }) => (node.op === '.' && node.args[1] === 'callback_url' ? [node.args[0]] : []));
  return new Set(urls);
}

function checkCallbackUrl(source: string, node: ASTNode, id: string, scope: ExpressionScope): void {
  const elsewhere = {
    detail: `\`steps.${id}.callback_url\` can be read only in \`with\` of a step that calls a tool.`,
    suggestion: 'The run does not record callback URLs, so other steps cannot use them.',
  };
  const problem = scope.callbackProblem ? scope.callbackProblem(id) : elsewhere;
  if (problem) throw new ExpressionError('unknown_name', problem.detail, source, problem.suggestion, node.start);
}

/** Rejects `steps.lookup.total`, in which `.output` is missing. */
function checkStepMembers(source: string, visits: readonly Visit[]): void {
  for (const { node, bound } of visits) {
    if ((node.op !== '.' && node.op !== '.?') || STEP_MEMBERS.includes(node.args[1])) continue;
    // `callback_url` is checked together with its step.
    if (node.args[1] === 'callback_url') continue;
    const [step, member] = node.args;
    if (step.op !== '.' && step.op !== '.?') continue;
    const owner = step.args[0];
    if (owner.op !== 'id' || owner.args !== 'steps' || bound.has('steps')) continue;
    throw new ExpressionError(
      'unknown_name',
      `\`${source.slice(node.start, node.end)}\` does not exist. A step has only the fields \`output\`, \`status\` and \`error\`.`,
      source,
      `Write \`steps.${step.args[1]}.output.${member}\`.`,
      node.start,
    );
  }
}

/** Rejects `secrets` without a name, which could pass all secrets to a tool. */
function useSecret(source: string, node: ASTNode, member: string | undefined, scope: ExpressionScope): void {
  if (member !== undefined) return scope.onSecret?.(member);
  const detail = '`secrets` can only be used with the name of a secret.';
  throw new ExpressionError('unknown_name', detail, source, 'Write `secrets.NAME`.', node.start);
}
