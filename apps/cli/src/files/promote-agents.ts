import { type AgentAutomation, ApiError } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { evaluationExitCode, untilEvaluated } from '../waiting/evaluation-wait.js';
import { exitCodeOf } from '../errors/command-error.js';
import { EXIT, type ExitCode } from '../errors/exit-codes.js';
import { errorLines } from '../output/error-lines.js';
import type { AppliedAgent } from './apply-agents.js';

type Outcome = AppliedAgent & { evaluation?: string; production_version?: number };

export interface ReleaseOptions {
  evaluate?: boolean;
  promote?: boolean;
}

/** Evaluates and promotes the latest version of each agent. If one agent is rejected, continues with the others. */
export async function releaseAgents(
  aas: AgentAutomation,
  cli: Cli,
  applied: readonly { outcome: AppliedAgent; hasEvaluation: boolean }[],
  { evaluate = false, promote = false }: ReleaseOptions,
): Promise<{ outcomes: Outcome[]; exitCode: ExitCode }> {
  const outcomes: Outcome[] = [];
  const codes: ExitCode[] = [];
  for (const { outcome, hasEvaluation } of applied) {
    const released: Outcome = { ...outcome };
    outcomes.push(released);
    if (outcome.version === null) continue;
    try {
      const options = { evaluate: evaluate && hasEvaluation, promote };
      codes.push(await releaseAgent(aas, cli, released, outcome.version, options));
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
      for (const line of errorLines(error, `${cli.address ?? ''}, agent ${outcome.agent}`)) cli.output.report(line);
      codes.push(exitCodeOf(error));
    }
  }
  return { outcomes, exitCode: gravest(codes) };
}

async function releaseAgent(
  aas: AgentAutomation,
  cli: Cli,
  outcome: Outcome,
  version: number,
  { evaluate, promote }: Required<ReleaseOptions>,
): Promise<ExitCode> {
  if (evaluate) outcome.evaluation = (await aas.versions.get(outcome.agent, version)).evaluation?.status;
  const hasPassed = evaluate && outcome.evaluation === 'passed';
  if (evaluate && !hasPassed) {
    const code = await evaluateAgent(aas, cli, outcome, version);
    if (code !== EXIT.done) return code;
  }
  if (!promote) return EXIT.done;
  try {
    await promoteAgent(aas, cli, outcome, version);
  } catch (error) {
    // The promotion gate rejects a passed evaluation that is too old, so the version is evaluated again.
    if (!(hasPassed && isEvaluationRequired(error))) throw error;
    const code = await evaluateAgent(aas, cli, outcome, version);
    if (code !== EXIT.done) return code;
    await promoteAgent(aas, cli, outcome, version);
  }
  return EXIT.done;
}

function isEvaluationRequired(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'evaluation_required';
}

async function evaluateAgent(aas: AgentAutomation, cli: Cli, outcome: Outcome, version: number): Promise<ExitCode> {
  const { agent } = outcome;
  const { evaluation } = await untilEvaluated(aas, cli, await aas.versions.evaluate(agent, version));
  outcome.evaluation = evaluation.status;
  cli.output.words(`Evaluation of ${agent}@${version}: ${evaluation.status}.`);
  for (const reason of evaluation.gate.reasons) cli.output.words(`  gate: ${reason}`);
  return evaluationExitCode(evaluation);
}

async function promoteAgent(aas: AgentAutomation, cli: Cli, outcome: Outcome, version: number): Promise<void> {
  const { agent } = outcome;
  const present = await aas.agents.get(agent);
  outcome.production_version = present.production_version;
  if (present.production_version === version) return;
  const { production_version: production } = await aas.versions.promote(present.id, version);
  outcome.production_version = production;
  cli.output.words(`Promoted ${agent}@${version}.`);
}

/** Returns the most serious exit code. A failure is more serious than an undecided evaluation. */
function gravest(codes: readonly ExitCode[]): ExitCode {
  for (const code of [EXIT.unsuccessful, EXIT.conflict, EXIT.undecided]) if (codes.includes(code)) return code;
  return EXIT.done;
}
