import { AgentsService, CompiledVersionsService } from '@app/agents';
import { type AgentTool, type CompiledDefinition, withoutUnnamed } from '@app/definition';
import { RunFilesService } from '@app/files';
import {
  DomainError,
  fileValuesBelow,
  isFileValue,
  isId,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  newId,
} from '@app/kernel';
import { JobQueueService } from '@app/platform/queue';
import { Injectable } from '@nestjs/common';
import { type CallingRun, ChildRunStore, type ChildVerdict, type StartedChild } from '../children/child-run.store.js';
import { childTrigger } from '../records/evaluated-case.js';
import { requestPlaces } from '../privacy/private-run-store.js';
import { RunPrivaciesService } from '../privacy/run-privacies.service.js';
import type { RunPrivacy } from '../privacy/run-privacy.js';
import { isSealed, replaceValues } from '../privacy/sealed-value.js';
import { fileRunOf } from '../records/file-run.js';
import { type AcceptedValue, InputFilesService } from '../start/input-files.service.js';
import { NewRunsService } from '../start/new-runs.service.js';
import { hasEnded, isSuccess } from '../records/run-status.js';
import { executeRun } from '../store/run.jobs.js';
import { summaryText } from '../calls/recorded-value.js';
import { orLater } from './sent-files.service.js';
import type { ToolAdapter } from './tool-adapter.js';
import { UnusableRequest } from './unusable-request.js';
import { agentIdOf, type PreparedCall, refused, type ToolCallResult } from '../calls/tool-call.js';

const pending = (child: string): ToolCallResult => ({ kind: 'pending', detail: { child } });

/**
 * The first call starts a child run and returns `pending`. The calling run is then suspended and occupies no worker.
 * When the calling run resumes, it repeats the call. When the child run has ended, the call returns the result of the
 * child run.
 */
@Injectable()
export class AgentToolAdapter implements ToolAdapter<AgentTool> {
  constructor(
    private readonly children: ChildRunStore,
    private readonly agents: AgentsService,
    private readonly versions: CompiledVersionsService,
    private readonly newRuns: NewRunsService,
    private readonly privacies: RunPrivaciesService,
    private readonly queue: JobQueueService,
    private readonly inputs: InputFilesService,
    private readonly files: RunFilesService,
  ) {}

  async call(tool: AgentTool, call: PreparedCall): Promise<ToolCallResult> {
    const { runId, attempt } = call.origin;
    const by = { runId, attempt, callKey: call.idempotencyKey, budgetMicros: call.budgetMicros };
    try {
      const child = await this.children.takeChildRun(call.workspaceId, by);
      if (child) return hasEnded(child.status) ? resultOf(tool, child, this.outputOf(child, call)) : pending(child.id);
      return await this.start(tool, call, by);
    } catch (error) {
      if (error instanceof UnusableRequest) return error.asResult(`${tool.name}: `);
      if (!(error instanceof DomainError)) throw error;
      // A call key starts at most one child run. If the response of the start was lost, the retry finds this child run.
      return error.kind === 'unavailable' ? { kind: 'not_started' } : refused(`${tool.name}: ${error.message}`);
    }
  }

  private async start(tool: AgentTool, call: PreparedCall, by: CallingRun): Promise<ToolCallResult> {
    const { workspaceId, mode, request, privacy, operation } = call;
    const initiator = call.initiator === null ? null : { email: call.initiator };
    const agentId = isId('agent', tool.agent) ? tool.agent : await this.agents.idByName(workspaceId, tool.agent);
    if (agentId === undefined) return refused(`There is no agent ${JSON.stringify(tool.agent)}.`);
    const trigger = childTrigger(by.runId, call.context.trigger);
    return this.versions.withProduction<ToolCallResult>(workspaceId, agentId, async () => {
      const { version, definition } = await this.versions.production(workspaceId, agentId);
      const accepted = await orLater(() => this.acceptedInput(call, definition));
      const { files } = accepted;
      const { value: input, errors } = definition.input?.complete(accepted.value, undefined, files) ?? {
        value: accepted.value,
        errors: [],
      };
      const [misfit] = errors;
      if (misfit)
        return refused(
          `The request does not match the input schema of ${tool.agent} at ${misfit.pointer || 'its root'}: ${misfit.detail}`,
        );
      const redaction = privacy?.handedDown(request, ...requestPlaces(operation.fullName));
      const start = { workspaceId, agentId, input, files, trigger, initiator, redaction };
      const run = this.newRuns.prepare(start, { id: newId('run'), mode, version, definition });
      if (!call.mayStart()) return { kind: 'not_started' };
      const { verdict, runId } = await this.children.createChildRun(run, by);
      if (verdict === 'created') this.queue.enqueue(executeRun, { runId: run.id });
      if (verdict === 'created' || verdict === 'replayed') return pending(runId ?? run.id);
      return verdict === 'version_changed' ? verdict : resultOfStart(tool, verdict);
    });
  }

  /** The child run may use the files of this run. */
  private async acceptedInput(call: PreparedCall, definition: CompiledDefinition): Promise<AcceptedValue> {
    const { workspaceId, request, origin, context } = call;
    const schema = definition.input?.schema;
    const fitted = schema ? withoutUnnamed(schema, request, addedWithFiles) : request;
    const value = isJsonObject(fitted) ? fitted : request;
    const trigger = isJsonObject(context.trigger) ? context.trigger : {};
    const run = fileRunOf({ id: origin.runId, agentId: agentIdOf(context), trigger });
    const ids = fileValuesBelow(value).map(({ id }) => id);
    return this.inputs.accept({
      workspaceId,
      member: 'request',
      value,
      schema,
      caller: null,
      known: await this.files.usable(workspaceId, run, ids),
      source: { type: 'run', run: origin.runId },
    });
  }

  /**
   * Values that the definition of the child run redacts are also redacted in the calling run. The calling run gets the
   * original of a value that it redacts itself, because it gave this value to the child run and seals it again.
   */
  private outputOf({ agentId, output }: StartedChild, { workspaceId, privacy }: PreparedCall): JsonValue {
    const opener: RunPrivacy = this.privacies.opener({ workspaceId, agentId });
    return replaceValues(output, (each) => {
      if (!isSealed(each)) return undefined;
      if (!privacy || privacy.redactsNothing || !opener.wasSealed(each)) return each.shown;
      const original = opener.opened(each);
      return privacy.showsAs(original, each.shown) ? original : each.shown;
    });
  }
}

/** Members of a file that the service writes. An answer or an attachment may have had its content without them. */
const WRITTEN = ['file', 'status', 'detected_content_type', 'filename', 'content_type', 'bytes', 'sha256'];

function addedWithFiles(object: JsonObject): readonly string[] {
  const hadContent = ['base64', 'content', 'data'].some((name) => Object.hasOwn(object, name));
  if (!hadContent || !(isFileValue(object) || object.file === null)) return [];
  return WRITTEN;
}

type RefusedStart = Exclude<ChildVerdict, 'version_changed' | 'created' | 'replayed'>;

function resultOfStart(tool: AgentTool, verdict: RefusedStart): ToolCallResult {
  switch (verdict) {
    case 'fenced':
    case 'stopped':
      return { kind: 'not_started' };
    case 'budget_exceeded':
      return refused(`${tool.agent} was not started: the budget of the run is used up.`, verdict);
    default:
      return refused(WHY_NOT[verdict](tool.agent));
  }
}

const WHY_NOT = {
  too_deep: (agent: string) => `${agent} was not started: agents can call each other at most five levels deep.`,
  not_found: (agent: string) => `There is no agent ${JSON.stringify(agent)}.`,
  archived: (agent: string) => `The agent ${agent} is archived and starts no more runs.`,
  version_unknown: (agent: string) => `The version of the agent ${agent} that this run calls does not exist.`,
  conflict: (agent: string) => `The agent ${agent} was not started: it has as many runs as its \`concurrency\` allows.`,
};

function resultOf(
  tool: AgentTool,
  { id, agentId, status, error }: Omit<StartedChild, 'output'>,
  output: JsonValue,
): ToolCallResult {
  const child = { child: id, run: id, agent: agentId, status };
  if (isSuccess(status)) {
    const detail = { ...child, response_summary: `${id} ${status}: ${summaryText(output)}` };
    return { kind: 'answered', output, response: { body: output }, detail };
  }
  const why = error ? `${error.code}: ${error.message}` : output === null ? '' : summaryText(output);
  const message = `The run ${id} of ${tool.agent} ended as ${status}${why ? ` (${why})` : ''}.`;
  return {
    kind: 'refused',
    code: 'tool_error',
    message,
    detail: { ...child, response_summary: message },
    // Not retryable: a retry would use the same call key, so it would find the same ended child run.
    permanent: true,
  };
}
