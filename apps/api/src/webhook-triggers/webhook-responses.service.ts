import { CompiledVersionsService } from '@app/agents';
import { type CompiledDefinition, ExpressionError, isStatus, type WebhookResponse } from '@app/definition';
import { type ApiConfig, apiConfig } from '@app/installation/settings';
import { abortWithin, DomainError, type JsonValue } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import {
  FileLinkTokensService,
  isHandedOff,
  isSuccess,
  openedRun,
  RunPrivaciesService,
  type RunEntity,
  RunQueriesService,
  RunWatcherService,
} from '@app/runs';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';

/** The answer to a webhook caller, computed from the `respond` of the trigger. */
export interface ComputedAnswer {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: string;
}

/** A call that started a run, or a repetition of such a call. */
export interface AwaitedCall {
  workspaceId: string;
  agentId: string;
  runId: string;
  body: JsonValue;
}

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Computes the answers to webhook callers from the outputs of runs. */
@Injectable()
export class WebhookResponsesService {
  private readonly shutdown = new AbortController();
  private waiting = 0;

  constructor(
    private readonly versions: CompiledVersionsService,
    private readonly queries: RunQueriesService,
    private readonly privacies: RunPrivaciesService,
    private readonly watcher: RunWatcherService,
    private readonly links: FileLinkTokensService,
    @Inject(apiConfig.KEY) private readonly config: ApiConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Waits for the end of the run and computes the answer from the `respond` of its trigger. Returns undefined:
   * - if the trigger has no `respond`, or if no webhook trigger of the production version has a `respond`;
   * - if the run does not end in time, waits for people, or was handed off.
   * @throws DomainError `run_failed` with the id of the run, if the run did not succeed or the answer is invalid
   */
  async answer(call: AwaitedCall, response: Response): Promise<ComputedAnswer | undefined> {
    const { workspaceId, agentId, runId } = call;
    const production = await this.versions.production(workspaceId, agentId);
    if (!production.definition.triggers.some((trigger) => trigger.kind === 'webhook' && trigger.respond))
      return undefined;
    const started = await this.queries.get(workspaceId, runId);
    const respond = respondOf(await this.versions.get(workspaceId, agentId, started.version), started);
    if (!respond) return undefined;
    await this.waitForEnd(runId, respond.waitMs, response);
    const run = await this.queries.get(workspaceId, runId);
    if (!run.endedAt || isHandedOff(run.status)) return undefined;
    if (!isSuccess(run.status)) throw runFailed(runId, 'The run that answers this call did not succeed.');
    const opened = openedRun(run, this.privacies.opener({ workspaceId, agentId }));
    const { value: output } = this.links.revealed(workspaceId, opened.output);
    return this.computed(call, respond, Object.assign(opened, { output }));
  }

  /** For the shutdown: answers all waiting callers from the current state of their runs. */
  endAll(): void {
    this.shutdown.abort();
  }

  private computed({ agentId, body }: AwaitedCall, respond: WebhookResponse, run: RunEntity): ComputedAnswer {
    try {
      return compute(respond, run, body);
    } catch (error) {
      if (!(error instanceof ExpressionError) && !(error instanceof UnusableAnswer)) throw error;
      this.logger.warn({ err: error, agentId, runId: run.id }, 'webhook triggers: computing the response failed');
      // Only the log has the cause, because the sender must learn only the values that the definition sends.
      throw runFailed(run.id, 'The run succeeded, but the response that `respond` describes cannot be computed.');
    }
  }

  /**
   * Returns when the run has ended or waits for people. Returns earlier if `millis` have passed, if the caller
   * disconnects, or at shutdown. Does not wait if too many requests are already waiting.
   */
  private async waitForEnd(runId: string, millis: number, response: Response): Promise<void> {
    if (this.waiting >= this.config.runEventsMaxStreams) return;
    const gone = new AbortController();
    const onClose = (): void => gone.abort();
    response.once('close', onClose);
    const signal = abortWithin(millis, gone.signal, this.shutdown.signal);
    this.waiting++;
    try {
      await this.watcher.untilSettled(runId, signal);
    } finally {
      this.waiting--;
      response.off('close', onClose);
    }
  }
}

function respondOf({ triggers }: CompiledDefinition, { trigger }: RunEntity): WebhookResponse | null {
  const found = triggers.find(({ id }) => id === trigger.id);
  return found?.kind === 'webhook' ? found.respond : null;
}

/** Thrown if a value of `respond` cannot be part of an HTTP response. */
class UnusableAnswer extends Error {}

function compute(respond: WebhookResponse, run: RunEntity, body: JsonValue): ComputedAnswer {
  const { id, status, mode, output, trigger, initiator } = run;
  const times = { started_at: run.createdAt.toISOString(), ended_at: run.endedAt?.toISOString() ?? null };
  const scope = { output, run: { id, status, mode, initiator, ...times }, body, trigger };
  const content = respond.body ? respond.body.evaluate(scope) : output;
  const isText = typeof content === 'string';
  const headers = new Map([['content-type', isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8']]);
  for (const [name, template] of respond.headers) {
    const value = template.evaluate(scope);
    if (value !== null) headers.set(name, headerText(name, value));
  }
  return {
    status: statusOf(respond.status?.evaluate(scope) ?? 200),
    headers,
    body: isText ? content : JSON.stringify(content),
  };
}

function statusOf(value: JsonValue): number {
  if (isStatus(value)) return value;
  throw new UnusableAnswer(
    `The status of the response is ${JSON.stringify(value)}, not a whole number from 200 to 599.`,
  );
}

function headerText(name: string, value: JsonValue): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (isScalar && HEADER_VALUE.test(String(value))) return String(value);
  throw new UnusableAnswer(`The header ${name} of the response has a value that HTTP does not allow in a header.`);
}

function runFailed(run: string, detail: string): DomainError {
  return new DomainError('run_failed', detail, { extensions: { run } });
}
