import { CompiledVersionsService, type EvaluationEntity } from '@app/agents';
import type { Assertion, CompiledDefinition, ModelChoice } from '@app/definition';
import { Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { TurnCost } from '@app/runs';
import { RunPrivaciesService } from '@app/runs';
import type { RunPrivacy } from '@app/runs';
import { type GradedRun, questionsAbout } from './grade.js';
import { inTurns } from './grading-work.js';
import { gradedRun, type RecordedTrace } from './graded-run.js';
import { JudgeService } from './judge.service.js';
import { isJudged, type Judgement } from './judgement.js';
import { JudgementsRepository } from './judgements.repository.js';
import { TrialsRepository } from './trials.repository.js';

const AT_ONCE = 8;

/**
 * Asks the judge model about trials whose runs have ended, before the trials are graded. A process claims each trial
 * for 150 seconds. If the process is killed, another process asks about the trial after that time.
 */
@Injectable()
export class JudgementsService {
  constructor(
    private readonly versions: CompiledVersionsService,
    private readonly trials: TrialsRepository,
    private readonly judgements: JudgementsRepository,
    private readonly transactions: Transactions,
    private readonly privacies: RunPrivaciesService,
    private readonly judge: JudgeService,
  ) {}

  /** Asks the judge model about up to {@link AT_ONCE} ended trials. Returns true if it judged at least one trial. */
  async judgeEnded(evaluation: EvaluationEntity): Promise<boolean> {
    const { workspaceId, agentId, version, id } = evaluation;
    const definition = await this.versions.get(workspaceId, agentId, version);
    const model = this.judge.modelFor(definition);
    const cases = judgedCases(definition);
    if (!model || cases.length === 0) return false;
    const claimed = await this.judgements.claim(workspaceId, id, cases, AT_ONCE);
    if (claimed.length === 0) return false;
    const runs = claimed.map(({ runId }) => runId);
    const traces = await this.transactions.run((transaction) => this.trials.traces(workspaceId, runs, transaction));
    const privacy = this.privacies.opener(evaluation);
    const judging = claimed.map(async ({ n, caseN, runId }) => {
      const trace = traces.get(runId);
      const assertions = definition.evaluation?.cases[caseN]?.assertions ?? [];
      const found = trace ? await this.ask(model, assertions, await this.opened(trace, privacy)) : NOTHING;
      await this.judgements.record(evaluation, n, definition.redactPaths.length > 0 ? withoutWords(found) : found);
    });
    await Promise.all(judging);
    return true;
  }

  private async opened(trace: RecordedTrace, privacy: RunPrivacy): Promise<GradedRun> {
    const { workspaceId, agentId, version } = trace.run;
    return gradedRun(trace, privacy, await this.versions.get(workspaceId, agentId, version));
  }

  private async ask(model: ModelChoice, assertions: readonly Assertion[], run: GradedRun): Promise<Found> {
    const questions = await inTurns(questionsAbout(assertions, run));
    const asked = questions.map(async (index) => {
      const assertion = assertions[index];
      if (!assertion || !isJudged(assertion)) return NOTHING;
      const { judgement, costs } = await this.judge.judge(model, assertion, run);
      return { judgements: [{ assertion: index, ...judgement }], costs };
    });
    const answers = await Promise.all(asked);
    return {
      judgements: answers.flatMap(({ judgements }) => judgements),
      costs: answers.flatMap(({ costs }) => costs),
    };
  }
}

interface Found {
  judgements: Judgement[];
  costs: TurnCost[];
}

const NOTHING: Found = { judgements: [], costs: [] };

/** Removes the texts of the judge model from its judgements, because these texts can repeat redacted values. */
function withoutWords(found: Found): Found {
  return { ...found, judgements: found.judgements.map((each) => ({ ...each, message: '' })) };
}

function judgedCases({ evaluation }: CompiledDefinition): number[] {
  return (evaluation?.cases ?? []).flatMap(({ assertions }, index) => (assertions.some(isJudged) ? [index] : []));
}
