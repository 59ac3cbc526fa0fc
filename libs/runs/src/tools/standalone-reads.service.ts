import type { CompiledDefinition, ToolOperation } from '@app/definition';
import { invariant, type JsonObject, type JsonValue } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { ToolCall, ToolCallResult } from '../calls/tool-call.js';
import { judge } from '../interpreter/policy.js';
import type { RunContext } from '../interpreter/step-scope.js';
import { ToolDispatcherService } from './tool-dispatcher.service.js';

export interface StandaloneRead extends Pick<
  ToolCall,
  'workspaceId' | 'request' | 'idempotencyKey' | 'origin' | 'signal' | 'mayStart'
> {
  operation: string;
  facts: RunContext;
}

/** `not_started`: nothing was sent, because `mayStart` returned false or the database was unavailable. */
export type StandaloneReadResult =
  { kind: 'answered'; output: JsonValue } | { kind: 'failed'; message: string } | { kind: 'not_started' };

/**
 * The policies of the definition apply as in a run. A call that requires an approval fails, because there is no run
 * that could wait for the approval.
 */
@Injectable()
export class StandaloneReadsService {
  constructor(private readonly tools: ToolDispatcherService) {}

  async read(definition: CompiledDefinition, read: StandaloneRead): Promise<StandaloneReadResult> {
    const { facts, operation: name, ...call } = read;
    const operation = definition.operations.get(name);
    invariant(operation?.scope === 'read', 'a standalone call is a read operation of the definition');
    const problem = requestProblem(operation, read.request) ?? policyProblem(definition, operation, read);
    if (problem !== undefined) return { kind: 'failed', message: problem };
    const { timeoutMs } = operation;
    const end = new AbortController();
    const further = {
      mode: 'production' as const,
      initiator: null,
      budgetMicros: null,
      stateBegin: null,
      hidden: [],
      context: facts,
      released: end.signal,
    };
    try {
      return resultOf(await this.tools.callTool(definition, { ...call, ...further, operation, timeoutMs }));
    } finally {
      end.abort('released');
    }
  }
}

function requestProblem({ fullName, request: schema }: ToolOperation, request: JsonObject): string | undefined {
  const [problem] = schema?.validate(request) ?? [];
  return (
    problem &&
    `The request of ${fullName} does not match its schema at ${problem.pointer || 'its root'}: ${problem.detail}`
  );
}

function policyProblem(
  definition: CompiledDefinition,
  operation: ToolOperation,
  { request, facts }: StandaloneRead,
): string | undefined {
  const judgement = judge(definition, { operation, request, steps: {} }, facts);
  switch (judgement.action) {
    case 'allow':
      return undefined;
    case 'deny':
      return judgement.message;
    case 'require_approval':
      return `The policy ${judgement.policy} requires an approval for ${operation.fullName}, but a poll cannot wait for an approval. Change the policy, or call another operation.`;
  }
}

function resultOf(result: ToolCallResult): StandaloneReadResult {
  switch (result.kind) {
    case 'answered':
      return { kind: 'answered', output: result.output };
    case 'not_started':
      return { kind: 'not_started' };
    case 'refused':
    case 'unknown':
      return { kind: 'failed', message: result.message };
    case 'pending':
      return {
        kind: 'failed',
        message: 'The call did not return its result at once, and a poll cannot wait for a later result.',
      };
  }
}
