import { Inject, Injectable } from '@nestjs/common';
import { ProtocolError, ProtocolErrorCode, type Result, type ServerContext } from '@modelcontextprotocol/server';
import { Clock, DomainError, type JsonObject } from '@app/kernel';
import {
  hasEnded,
  isCancelled,
  type RetentionConfig,
  retentionConfig,
  RunIntakeService,
  type RunStatus,
  type RunWithApprovals,
} from '@app/runs';
import type { Principal } from '@app/workspace';
import { InputRequestsService } from './input-requests.service.js';
import type { McpAddressServer, McpExchange } from './mcp-address.js';
import { clientOf, type McpClient, requireTasks } from './mcp-client.js';
import { RunAnswersService, waitingSentence } from './run-answers.service.js';
import { openApproval } from './run-shape.js';

const DAY_MILLIS = 86_400_000;
const MAX_TTL_MILLIS = 7 * DAY_MILLIS;

type Method = (principal: Principal, runId: string, params: JsonObject, context: ServerContext) => Promise<Result>;

/** The extension Tasks: a task is a run that a tool has started, and its id is the id of the run. */
@Injectable()
export class McpTasksService {
  constructor(
    private readonly answers: RunAnswersService,
    private readonly people: InputRequestsService,
    private readonly intake: RunIntakeService,
    private readonly clock: Clock,
    @Inject(retentionConfig.KEY) private readonly retention: RetentionConfig,
  ) {}

  register(server: McpAddressServer, { principal }: McpExchange): void {
    const handle = (method: string, answer: Method): void =>
      server.handle(method, (params, context) => this.handled(answer, principal, params, context));
    handle('tasks/get', (...call) => this.getTask(...call));
    handle('tasks/update', (...call) => this.updateTask(...call));
    handle('tasks/cancel', (caller, runId) => this.cancelTask(caller, runId));
  }

  /** Returns the task of the run. What it asks people and its result are only in the answer of `tasks/get`. */
  async describe(principal: Principal, client: McpClient, read: RunWithApprovals): Promise<JsonObject> {
    const { inputRequests: _, result: __, ...task } = await this.detailed(principal, client, read);
    return task;
  }

  private async detailed(principal: Principal, client: McpClient, read: RunWithApprovals): Promise<JsonObject> {
    const { run } = read;
    const open = openApproval(read);
    const asked = await this.people.of(principal, client, read);
    const result = hasEnded(run.status) && !isCancelled(run.status) && this.answers.present(principal, read);
    return {
      taskId: run.id,
      status: asked ? 'input_required' : statusOf(run.status),
      ...(open && !asked && { statusMessage: waitingSentence(open) }),
      createdAt: run.createdAt.toISOString(),
      lastUpdatedAt: lastChange(read).toISOString(),
      ttlMs: this.ttl(read),
      pollIntervalMs: open ? 60_000 : this.clock.now().getTime() - run.createdAt.getTime() < 60_000 ? 2_000 : 10_000,
      ...(asked && { inputRequests: { [asked.key]: asked.request as JsonObject } }),
      ...(result && { result: { resultType: 'complete', ...result } as JsonObject }),
    };
  }

  /** @throws ProtocolError -32021, -32602 */
  private async handled(
    answer: Method,
    principal: Principal,
    params: JsonObject,
    context: ServerContext,
  ): Promise<Result> {
    requireTasks(context);
    try {
      return await answer(principal, typeof params.taskId === 'string' ? params.taskId : '', params, context);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'not_found')
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task.');
      throw error;
    }
  }

  private async getTask(principal: Principal, runId: string, _: JsonObject, context: ServerContext): Promise<Result> {
    return this.detailed(principal, clientOf(context), await this.answers.read(principal, runId));
  }

  private async updateTask(
    principal: Principal,
    runId: string,
    _: JsonObject,
    context: ServerContext,
  ): Promise<Result> {
    const read = await this.answers.read(principal, runId);
    await this.people.take(principal, clientOf(context), read, context.mcpReq.inputResponses ?? {});
    return {};
  }

  /** A task that has ended is acknowledged, too. */
  private async cancelTask(principal: Principal, runId: string): Promise<Result> {
    const { run } = await this.answers.read(principal, runId);
    if (!principal.scopes.has('runs:cancel'))
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The key lacks the scope runs:cancel.', {
        code: 'insufficient_scope',
      });
    if (hasEnded(run.status)) return {};
    await this.intake
      .cancelRun(principal.workspaceId, runId, { reason: null, actor: principal.email })
      .catch((error: unknown) => {
        if (!(error instanceof DomainError) || error.code !== 'run_not_cancellable') throw error;
      });
    return {};
  }

  /** Time until retention may delete the run, which begins at its end. */
  private ttl({ run: { endedAt } }: RunWithApprovals): number {
    const { runRetentionDays } = this.retention;
    if (runRetentionDays === 0) return MAX_TTL_MILLIS;
    const passed = endedAt ? this.clock.now().getTime() - endedAt.getTime() : 0;
    return Math.max(0, Math.min(MAX_TTL_MILLIS, runRetentionDays * DAY_MILLIS - passed));
  }
}

function statusOf(status: RunStatus): 'working' | 'completed' | 'cancelled' {
  if (!hasEnded(status)) return 'working';
  return isCancelled(status) ? 'cancelled' : 'completed';
}

function lastChange({ run, approvals }: RunWithApprovals): Date {
  const times = [
    run.createdAt,
    run.claimedAt,
    run.endedAt,
    ...approvals.flatMap(({ openedAt, decidedAt }) => [openedAt, decidedAt]),
  ];
  return new Date(Math.max(...times.map((time) => time?.getTime() ?? 0)));
}
