import type { ASTNode } from '@marcbachmann/cel-js';
import { invariant } from '@app/kernel';
import type { Scan } from './cel-tree.js';

/**
 * What one evaluation may spend. A step of the evaluation costs 1; an operand that an operator or a function scans costs
 * 1 per value and 1 per 64 characters besides. The budget lasts for some tens of milliseconds.
 */
export const MAX_EVALUATION_COST = 100_000;

type Evaluate = (this: ASTNode, evaluator: object, node: ASTNode, context: object) => unknown;
type EvaluableNode = ASTNode & { evaluate: Evaluate };

// Evaluation is synchronous and expressions cannot start one another, so one counter serves the process.
let remaining = 0;

/** Runs one evaluation of a metered expression with a full budget. */
export function withBudget<T>(evaluate: () => T): T {
  remaining = MAX_EVALUATION_COST;
  return evaluate();
}

export class CostExceeded extends Error {}

// One instance, because a comprehension may meet it once per item and a stack trace is the dear part of an error.
const COST_EXCEEDED = new CostExceeded('The evaluation used up its budget.');

/** Takes from the budget of the evaluation that is going on. */
export function spend(cost: number): void {
  remaining -= cost;
  if (remaining < 0) throw COST_EXCEEDED;
}

/**
 * Makes every evaluation of `node` count. The engine has no run-time limit of its own, but each node evaluates itself
 * through its `evaluate` member, which it replaces by a faster one on first use: hence an accessor in its place.
 */
export function meterNode(node: ASTNode, scan: Scan): void {
  invariant(isEvaluable(node), 'the nodes of the expression engine evaluate themselves');
  let inner: Evaluate = node.evaluate;
  const metered: Evaluate = (evaluator, ast, context) => {
    spend(1);
    const value = inner.call(node, evaluator, ast, context);
    if (scan === 'deep' && (typeof value === 'object' || typeof value === 'string')) weigh(value);
    else if (scan === 'shallow' && Array.isArray(value)) spend(value.length);
    return value;
  };
  Object.defineProperty(node, 'evaluate', {
    get: () => metered,
    set: (next: Evaluate) => {
      inner = next;
    },
  });
}

function isEvaluable(node: ASTNode): node is EvaluableNode {
  return 'evaluate' in node && typeof node.evaluate === 'function';
}

/** Spends the size of a value, and stops walking it as soon as the budget is used up. */
function weigh(value: unknown): void {
  if (typeof value === 'string') return spend(value.length >> 6);
  if (typeof value !== 'object' || value === null) return;
  const members = Array.isArray(value) ? value : value instanceof Map ? [...value.values()] : Object.values(value);
  spend(members.length);
  for (const member of members) if (typeof member === 'object' || typeof member === 'string') weigh(member);
}
