import type { Assertion } from '@app/definition';

export type JudgedAssertion = Extract<Assertion, { kind: 'similar' | 'llm_rubric' }>;

/** Answer of the judge model for one assertion. `score` is null without an answer; `message` then states why. */
export type Judgement = {
  assertion: number;
  score: number | null;
  message: string;
};

export function isJudged(assertion: Assertion): assertion is JudgedAssertion {
  return assertion.kind === 'similar' || assertion.kind === 'llm_rubric';
}
