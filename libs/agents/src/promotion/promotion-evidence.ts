import { DomainError, type ErrorCode } from '@app/kernel';
import type { PromotionGate } from '@app/definition';
import type { EvaluationEntity } from '../evaluations/evaluation.entity.js';
import { isOpen } from '../records/evaluation-status.js';
import type { GateResult } from '../evaluations/promotion-gate.js';

export interface PromotionCandidate {
  version: number;
  gate: PromotionGate | null;
  productionVersion: number;
  wasInProduction: boolean;
  /** Cancelled evaluations are ignored. */
  evaluation: EvaluationEntity | null;
}

/**
 * Rejects a promotion without sufficient evidence. A version that was in production before needs no evidence.
 * @throws DomainError `evaluation_required`, `evaluation_in_progress`, `gate_failed`, `gate_inconclusive`, each with
 * `gate: {result, reasons}`
 */
export function requireEvidence(candidate: PromotionCandidate, now: Date): void {
  const { version, gate, evaluation, wasInProduction } = candidate;
  if (!gate || wasInProduction) return;
  if (!evaluation) {
    throw refusal('evaluation_required', candidate, null, [
      `Version ${version} has not been evaluated. Evaluate it first.`,
    ]);
  }
  if (isOpen(evaluation.status)) {
    throw refusal('evaluation_in_progress', candidate, null, [
      'The evaluation has not finished. Wait until it has finished, then promote the version.',
    ]);
  }
  const verdict = evaluation.gate ?? { result: 'inconclusive' as const, reasons: [] };
  if (verdict.result !== 'passed') {
    throw refusal(
      verdict.result === 'failed' ? 'gate_failed' : 'gate_inconclusive',
      candidate,
      verdict.result,
      verdict.reasons,
    );
  }
  const stale = staleness(candidate, gate, evaluation, now);
  if (stale !== undefined) throw refusal('evaluation_required', candidate, verdict.result, [stale]);
}

/** Returns why a passed evaluation no longer allows a promotion. Returns undefined if it still allows a promotion. */
function staleness(
  { productionVersion }: PromotionCandidate,
  { maxAgeMs, maxRegressions, maxCostIncrease, maxLatencyIncrease }: PromotionGate,
  { endedAt, baselineVersion }: EvaluationEntity,
  now: Date,
): string | undefined {
  if (maxAgeMs !== null && endedAt && now.getTime() - endedAt.getTime() > maxAgeMs) {
    return `The evaluation ended at ${endedAt.toISOString()}, which is longer ago than \`max_age\` allows. Evaluate the version again.`;
  }
  const compares = [maxRegressions, maxCostIncrease, maxLatencyIncrease].some((limit) => limit !== null);
  if (compares && baselineVersion !== productionVersion) {
    return `The evaluation compared the version with version ${baselineVersion}, but version ${productionVersion} is in production now. Evaluate the version again.`;
  }
  return undefined;
}

function refusal(
  code: Extract<ErrorCode, 'evaluation_required' | 'evaluation_in_progress' | 'gate_failed' | 'gate_inconclusive'>,
  { version, evaluation }: PromotionCandidate,
  result: GateResult | null,
  reasons: readonly string[],
): DomainError {
  return new DomainError(code, `Version ${version} cannot be promoted. ${reasons.join(' ')}`, {
    extensions: {
      gate: { result, reasons },
      evaluation: evaluation && { id: evaluation.id, status: evaluation.status },
    },
  });
}
