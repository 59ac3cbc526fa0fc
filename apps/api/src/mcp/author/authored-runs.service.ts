import { Inject, Injectable } from '@nestjs/common';
import { VersionEvaluationsService } from '@app/evaluation';
import { type JsonObject, notFound } from '@app/kernel';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { presentTrace, RunIntakeService, RunQueriesService } from '@app/runs';
import { agentsOf, type IdempotencyClaim, type Principal, seesAgent } from '@app/workspace';
import { presentEvaluation } from '../../evaluations/evaluations.view.js';
import { waitMillis } from '../held-wait.js';
import { McpWaitsService } from '../mcp-waits.service.js';
import { runShape } from '../run-shape.js';
import { AuthoredAgentsService, type Definition, sourceOf, type ToolData } from './authored-agents.service.js';
import { DEFAULT_WAIT } from './authoring-tools.js';

const MAX_STEPS = 200;
const SHOWN = ['n', 'type', 'id', 'path', 'at', 'duration_ms', 'status', 'tool', 'scope', 'error'] as const;
const OF_CALLS = ['request', 'response_summary'] as const;

type TestedDefinition = {
  definition: Definition;
  input?: JsonObject;
  mock?: JsonObject;
  wait?: string;
};

/** The tools that try definitions and evaluate versions. Each method is the tool of the same name. */
@Injectable()
export class AuthoredRunsService {
  constructor(
    private readonly authored: AuthoredAgentsService,
    private readonly intake: RunIntakeService,
    private readonly queries: RunQueriesService,
    private readonly waits: McpWaitsService,
    private readonly evaluations: VersionEvaluationsService,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  /** @param gone aborts when the client has closed the connection; the run continues */
  async testDefinition(
    principal: Principal,
    { definition, input = {}, mock = {}, wait = DEFAULT_WAIT }: TestedDefinition,
    { gone, claim }: { gone: AbortSignal; claim: IdempotencyClaim | undefined },
  ): Promise<ToolData> {
    const { workspaceId, email, kind, limits } = principal;
    const millis = waitMillis(wait);
    const { run, replayed } = await this.intake.startDraft({
      workspaceId,
      initiator: { email, keyKind: kind },
      caller: principal,
      definition: sourceOf(definition),
      input,
      mock,
      narrowedKey: agentsOf(principal) && (limits?.keyId ?? null),
      ...(claim && { idempotency: claim }),
    });
    // Another key may have started the run of a repeated call.
    if (replayed && !seesAgent(principal, run.agentId)) throw notFound('run', run.id);
    await this.waits.wait({ runId: run.id, millis, gone });
    const shape = runShape(
      await this.queries.getWithApprovals(workspaceId, run.id),
      principal,
      this.address.consoleUrl,
    );
    const trace = principal.scopes.has('runs:read') ? await this.steps(workspaceId, run.id, 0) : { steps: [] };
    return { ...shape, ...trace, untrusted: true };
  }

  async getTrace(
    principal: Principal,
    { run: id, after_n: afterN = 0 }: { run: string; after_n?: number },
  ): Promise<ToolData> {
    const { agentId, status } = await this.queries.get(principal.workspaceId, id);
    if (!seesAgent(principal, agentId)) throw notFound('run', id);
    return { run: id, status, ...(await this.steps(principal.workspaceId, id, afterN)), untrusted: true };
  }

  async startEvaluation(
    principal: Principal,
    { agent: wanted, version }: { agent: string; version: number },
    claim: IdempotencyClaim | undefined,
  ): Promise<ToolData> {
    const agent = await this.authored.find(principal, wanted);
    return this.shown(await this.evaluations.evaluate(principal, agent.id, version, claim));
  }

  async getEvaluation(principal: Principal, { evaluation: id }: { evaluation: string }): Promise<ToolData> {
    const found = await this.evaluations.get(principal.workspaceId, id);
    if (!seesAgent(principal, found.evaluation.agentId)) throw notFound('evaluation', id);
    return this.shown(found);
  }

  private shown(found: Awaited<ReturnType<VersionEvaluationsService['get']>>) {
    const { id, status, cases, gate, results } = presentEvaluation(found, this.address.consoleUrl);
    return { evaluation: id, status, cases, gate, results, untrusted: true };
  }

  private async steps(workspaceId: string, runId: string, afterN: number) {
    const part = { afterN, limit: MAX_STEPS };
    const { steps, next_after_n } = presentTrace(await this.queries.shownTrace(workspaceId, runId, part), part);
    return { steps: steps.map(shownStep), ...(next_after_n !== undefined && { next_after_n }) };
  }
}

function shownStep(step: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = step.type === 'tool_call' ? [...SHOWN, ...OF_CALLS] : SHOWN;
  return Object.fromEntries(names.flatMap((name) => (name in step ? [[name, step[name]]] : [])));
}
