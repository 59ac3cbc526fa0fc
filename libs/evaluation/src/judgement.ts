import type { Assertion } from '@app/definition';

export type JudgedAssertion = Extract<Assertion, { kind: 'similar' | 'llm_rubric' }>;

/**
 * Judgement of one assertion by the judge model. If the judge model returned no judgement, `score` is null and
 * `message` states the reason.
 */
export type Judgement = {
  assertion: number;
  score: number | null;
  message: string;
};

export function isJudged(assertion: Assertion): assertion is JudgedAssertion {
  return assertion.kind === 'similar' || assertion.kind === 'llm_rubric';
}
