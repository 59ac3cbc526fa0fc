import { type CompiledDefinition, ExpressionError, type ModelChoice } from '@app/definition';
import { Clock } from '@app/kernel';
import { type EvaluationConfig, evaluationConfig } from './evaluation.config.js';
import { type ModelProvider, type ModelsConfig, modelsConfig } from '@app/platform/models';
import { egressFetch, type EgressClient, MODEL_EGRESS } from '@app/platform/egress';
import { Inject, Injectable } from '@nestjs/common';
import type { Prompt } from '@app/runs';
import type { TurnCost } from '@app/runs';
import { AdaptedTurn, askModel, RunTurns } from '@app/runs';
import { turnCost } from '@app/runs';
import { turnFailure } from '@app/runs';
import { WatchedFetch } from '@app/runs';
import { SecretRedaction } from '@app/platform/observability';
import type { GradedRun, JudgedAssertion, Judgement } from './grade.js';
import { judgementPrompt, readJudgement } from './judgement-prompt.js';

const TURN_MILLIS = 60_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Maximum number of attempts. If the model is busy or its response is not a judgement, the request is repeated. */
const TRIES = 2;
const PAUSE_MILLIS = 1_000;

export interface Judged {
  judgement: Omit<Judgement, 'assertion'>;
  costs: TurnCost[];
}

/** The judge model is JUDGE_MODEL or, if that is not set, the model of the definition. */
@Injectable()
export class JudgeService {
  constructor(
    @Inject(evaluationConfig.KEY) private readonly config: EvaluationConfig,
    @Inject(modelsConfig.KEY) private readonly models: ModelsConfig,
    @Inject(MODEL_EGRESS) private readonly egress: EgressClient,
    private readonly clock: Clock,
  ) {}

  modelFor({ model }: Pick<CompiledDefinition, 'model'>): ModelChoice | undefined {
    const choice = this.config.judgeModel ?? model;
    return choice && this.models.modelProviders.has(choice.provider) ? choice : undefined;
  }

  /**
   * Asks the judge model for the score of an assertion. Never rejects. If the judge model returns no judgement, `score`
   * is null.
   */
  async judge(model: ModelChoice, assertion: JudgedAssertion, run: GradedRun): Promise<Judged> {
    const provider = this.models.modelProviders.get(model.provider);
    if (!provider)
      return {
        judgement: {
          score: null,
          message:
            'The provider of the judge model is not in MODEL_PROVIDERS. Set JUDGE_MODEL to a model of a configured provider.',
        },
        costs: [],
      };
    const costs: TurnCost[] = [];
    let problem = '';
    for (let round = 1; round <= TRIES; round++) {
      if (round > 1) await this.clock.sleep(PAUSE_MILLIS);
      try {
        const answer = await this.ask(provider, model, judgementPrompt(assertion, run));
        costs.push(answer.cost);
        const found = readJudgement(answer.text);
        if ('score' in found) return { judgement: found, costs };
        problem = `The response of the judge model is not a valid judgement. ${found.problem}`;
      } catch (error) {
        if (error instanceof ExpressionError)
          return { judgement: { score: null, message: `The assertion cannot be evaluated: ${error.message}` }, costs };
        const failure = turnFailure(provider.name, error, this.clock.now().getTime());
        problem = `The request to the judge model failed: ${redacted(provider, failure.message)}`;
        if (failure.permanent) break;
      }
    }
    return { judgement: { score: null, message: problem }, costs };
  }

  private async ask(
    provider: ModelProvider,
    choice: ModelChoice,
    prompt: Prompt,
  ): Promise<{ text: string; cost: TurnCost }> {
    const limits = { timeoutMs: TURN_MILLIS, headersTimeoutMs: TURN_MILLIS, maxResponseBytes: MAX_ANSWER_BYTES };
    const network = new WatchedFetch(egressFetch(this.egress, limits), provider);
    const model = { provider, name: choice.name, fetch: network.fetch };
    const signal = AbortSignal.timeout(TURN_MILLIS);
    const turn = new AdaptedTurn({ model: choice, params: { temperature: 0 }, turns: new RunTurns() }, prompt);
    try {
      const { text, usage } = await turn.ask((content) =>
        askModel(model, { ...content, signal }, prompt, () => undefined),
      );
      return { text, cost: turnCost(choice, provider.prices.get(choice.name), usage) };
    } catch (error) {
      throw network.failure ?? error;
    }
  }
}

function redacted({ secrets }: ModelProvider, text: string): string {
  return new SecretRedaction(secrets).text(text);
}
