import type { Assertion } from '@app/definition';

/** An assertion that only a model can decide. */
export type JudgedAssertion = Extract<Assertion, { kind: 'similar' | 'llm_rubric' }>;

/** What a model found about one assertion; `score` is null where nothing was found out, and `message` says why. */
export type Judgement = {
  /** Index of the assertion in its case. */
  assertion: number;
  score: number | null;
  message: string;
};

export function isJudged(assertion: Assertion): assertion is JudgedAssertion {
  return assertion.kind === 'similar' || assertion.kind === 'llm_rubric';
}
