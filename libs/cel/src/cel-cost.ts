import type { ASTNode } from '@marcbachmann/cel-js';
import { invariant } from '@app/kernel';
import { fail } from './function-spec.js';
import { mapOf } from './map-literals.js';
import { isInRange } from './moments.js';
import type { Scan } from './cel-tree.js';

/** The largest value that an expression may compute, in bytes: 4 MiB. */
export const MAX_VALUE_BYTES = 4 * 1024 * 1024;

export class ValueTooLarge extends Error {
  constructor() {
    super('The value is too large.');
  }
}

/** Checks the length of a text before the text is built. */
export function checkLength(length: number): void {
  if (length > MAX_VALUE_BYTES) throw new ValueTooLarge();
}

export function checkValueSize(value: string | Uint8Array): void {
  checkLength(value.length);
  // A UTF-16 unit has at most three bytes in UTF-8, so the bytes of short texts need not be counted.
  if (typeof value === 'string' && value.length * 3 > MAX_VALUE_BYTES) checkLength(Buffer.byteLength(value));
}

/**
 * The maximum cost of one evaluation, in steps. Each byte of data that the expression reads raises this maximum by one
 * step. Each evaluated node costs one step. Scanning an operand costs one step for each value inside the operand, and
 * one more for each 64 characters. 100 000 steps take some tens of milliseconds.
 */
export const MAX_EVALUATION_COST = 100_000;

/**
 * The maximum total cost of the evaluations inside one call of {@link withSharedBudget}. Such a call evaluates, for
 * example, all expressions of one template. The maximum limits how long these evaluations block the thread together.
 */
export const MAX_SHARED_COST = 500_000;

/** The maximum number of steps that data can add to a shared budget. Each byte that is read adds one step. */
const MAX_SHARED_ALLOWANCE = 8 * 1024 * 1024;

/** The maximum total size of the results inside one call of {@link withSharedBudget}, in characters of JSON. */
export const MAX_SHARED_CHARACTERS = 8 * 1024 * 1024;

export interface EvaluationWork {
  readonly cost: number;
  /** Approximate size of the results, in characters of JSON. */
  readonly characters: number;
}

type Evaluate = (this: ASTNode, evaluator: object, node: ASTNode, context: object) => unknown;
type EvaluableNode = ASTNode & { evaluate: Evaluate };

// Evaluation is synchronous, and no evaluation starts another one, so one counter serves the whole process.
let remaining = 0;
/** Undefined after the first call, because the steps are added only once per evaluation. */
let allowance: (() => number) | undefined;
/** The unused part of the shared budgets; undefined outside of {@link withSharedBudget}. */
let shared: { cost: number; characters: number; allowance: number } | undefined;
const total = { cost: 0, characters: 0 };

export function evaluationWork(): EvaluationWork {
  return { ...total };
}

/**
 * Runs one evaluation of a metered expression with a full budget, or with the rest of the shared budget if that is
 * smaller.
 */
export function withBudget<T>(evaluate: () => T, bytesRead: () => number): T {
  const budget = shared ? Math.min(MAX_EVALUATION_COST, shared.cost) : MAX_EVALUATION_COST;
  let granted = 0;
  remaining = budget;
  allowance = () => (granted = Math.min(bytesRead(), shared?.allowance ?? Infinity));
  try {
    return evaluate();
  } finally {
    const spent = budget + granted - remaining;
    allowance = undefined;
    total.cost += spent;
    if (shared) {
      shared.cost = Math.max(0, shared.cost - Math.min(spent, budget));
      shared.allowance = Math.max(0, shared.allowance - Math.max(0, spent - budget));
    }
  }
}

/** A nested call uses the budget of the outer call. */
export function withSharedBudget<T>(evaluate: () => T): T {
  if (shared) return evaluate();
  shared = { cost: MAX_SHARED_COST, characters: MAX_SHARED_CHARACTERS, allowance: MAX_SHARED_ALLOWANCE };
  try {
    return evaluate();
  } finally {
    shared = undefined;
  }
}

export function spendCharacters(characters: number): void {
  total.characters += characters;
  total.cost += characters >> 4;
  if (shared && (shared.characters -= characters) < 0) throw SHARED_CHARACTERS_EXCEEDED;
}

export class CostExceeded extends Error {
  constructor(readonly exceeded: 'evaluation' | 'shared_cost' | 'shared_characters') {
    super('The evaluation used up its budget.');
  }
}

// The errors are reused, because a comprehension may throw one for each item, and creating a stack trace is slow.
const COST_EXCEEDED = new CostExceeded('evaluation');
const SHARED_COST_EXCEEDED = new CostExceeded('shared_cost');
const SHARED_CHARACTERS_EXCEEDED = new CostExceeded('shared_characters');

export function spend(cost: number): void {
  remaining -= cost;
  if (remaining >= 0) return;
  if (allowance) {
    const grant = allowance;
    allowance = undefined;
    remaining += grant();
    if (remaining >= 0) return;
  }
  throw shared && shared.cost < MAX_EVALUATION_COST ? SHARED_COST_EXCEEDED : COST_EXCEEDED;
}

/**
 * Counts every evaluation of `node`, because the engine has no run-time limit of its own. A node evaluates itself
 * through its property `evaluate`, which the engine replaces by a faster function on first use. The property becomes an
 * accessor, so that the replacement is counted too.
 */
export function meterNode(node: ASTNode, scan: Scan): void {
  invariant(isEvaluable(node), 'the nodes of the expression engine evaluate themselves');
  let inner: Evaluate = node.op === 'map' ? evaluateMap : node.evaluate;
  const metered: Evaluate = (evaluator, ast, context) => {
    spend(1);
    const value = inner.call(node, evaluator, ast, context);
    if (typeof value === 'string' || value instanceof Uint8Array) checkValueSize(value);
    else if (value instanceof Date && !isInRange(value)) fail('is a time before the year 1 or after the year 9999');
    if (scan === 'deep' && (typeof value === 'object' || typeof value === 'string')) weigh(value);
    else if (scan === 'shallow' && Array.isArray(value)) spend(value.length);
    else if (scan === 'size' && typeof value === 'string') spend(value.length >> 6);
    return value;
  };
  Object.defineProperty(node, 'evaluate', {
    get: () => metered,
    set: (next: Evaluate) => {
      inner = next;
    },
  });
}

/** The engine itself would leave out members such as `constructor`. */
const evaluateMap: Evaluate = function (evaluator, node, context) {
  invariant(node.op === 'map', 'only map literals are evaluated here');
  const run = (part: ASTNode): unknown => {
    invariant(isEvaluable(part), 'the nodes of the expression engine evaluate themselves');
    return part.evaluate(evaluator, part, context);
  };
  return mapOf(node.args.map(([key, value]) => [run(key), run(value)]));
};

function isEvaluable(node: ASTNode): node is EvaluableNode {
  return 'evaluate' in node && typeof node.evaluate === 'function';
}

function weigh(value: unknown): void {
  if (typeof value === 'string') return spend(value.length >> 6);
  if (typeof value !== 'object' || value === null) return;
  const members = Array.isArray(value) ? value : value instanceof Map ? [...value.values()] : Object.values(value);
  spend(members.length);
  for (const member of members) if (typeof member === 'object' || typeof member === 'string') weigh(member);
}
