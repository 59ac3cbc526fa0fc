import { Inject, Injectable } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { isId, notFound } from '@app/kernel';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import {
  type ApprovalEntity,
  hasEnded,
  isHandedOff,
  isSuccess,
  RunQueriesService,
  type RunWithApprovals,
} from '@app/runs';
import { type Principal, seesAgent } from '@app/workspace';
import { openApproval, runShape } from './run-shape.js';

/** Reads the runs that assistants started, and presents them as results of tools. */
@Injectable()
export class RunAnswersService {
  constructor(
    private readonly queries: RunQueriesService,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  /**
   * Returns a run that this member started through this server.
   * @throws DomainError `not_found`
   */
  async read(principal: Principal, runId: string): Promise<RunWithApprovals> {
    if (!isId('run', runId)) throw notFound('run', runId);
    const read = await this.queries.getWithApprovals(principal.workspaceId, runId);
    const { trigger, initiator, agentId } = read.run;
    if (trigger.type !== 'mcp' || initiator !== principal.email || !seesAgent(principal, agentId))
      throw notFound('run', runId);
    return read;
  }

  /** Returns the result of a tool for the run as it is now. */
  present(principal: Principal, read: RunWithApprovals): CallToolResult {
    const { run } = read;
    const structuredContent = runShape(read, principal, this.address.consoleUrl);
    const content = [{ type: 'text' as const, text: JSON.stringify(structuredContent) }];
    if (!hasEnded(run.status)) {
      const call = `Not ended. Call get_run with {"run": "${run.id}", "wait": "50s"}.`;
      const open = openApproval(read);
      content.push({ type: 'text', text: open ? `${waitingSentence(open)}. ${call}` : call });
    }
    const isError = hasEnded(run.status) && !isSuccess(run.status) && !isHandedOff(run.status);
    return { content, structuredContent, ...(isError && { isError }) };
  }
}

/** Says for whom the run waits. */
export function waitingSentence({ kind, approvers, required, decisions }: ApprovalEntity): string {
  const groups = approvers.length === 0 ? 'the admins' : approvers.join(', ');
  if (kind === 'question') return `waits for an answer from ${groups}`;
  const approved = decisions.filter(({ decision }) => decision === 'approve' || decision === 'edit').length;
  return `waits for ${groups} (${approved} of ${required})`;
}
