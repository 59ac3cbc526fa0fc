import { Inject, Injectable } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { isId, notFound } from '@app/kernel';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import {
  type ApprovalEntity,
  consolePage,
  hasEnded,
  isHandedOff,
  isSuccess,
  presentRun,
  RunQueriesService,
  type RunWithApprovals,
  waitsForPeople,
} from '@app/runs';
import { type Principal, seesAgent } from '@app/workspace';

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
    const structuredContent = this.shape(principal, read);
    const content = [{ type: 'text' as const, text: JSON.stringify(structuredContent) }];
    if (!hasEnded(run.status)) {
      const call = `Not ended. Call get_run with {"run": "${run.id}", "wait": "50s"}.`;
      const open = openApproval(read);
      content.push({ type: 'text', text: open ? `${waitingSentence(open)}. ${call}` : call });
    }
    const isError = hasEnded(run.status) && !isSuccess(run.status) && !isHandedOff(run.status);
    return { content, structuredContent, ...(isError && { isError }) };
  }

  private shape(principal: Principal, read: RunWithApprovals) {
    const { consoleUrl } = this.address;
    const { id, status, output, error, waiting } = presentRun(read, consoleUrl);
    const open = openApproval(read);
    const page = open ? consolePage(consoleUrl, 'approvals', open.id) : consolePage(consoleUrl, 'runs', id);
    return {
      run: id,
      status,
      output: principal.scopes.has('runs:read') ? output : null,
      error: error && { code: error.code, message: error.message },
      waiting: waiting && { for: waiting.for, until: waiting.until ?? null },
      console_url: page.console_url ?? null,
    };
  }
}

/** Returns the approval or question that the run waits for. */
export function openApproval({ run, approvals }: RunWithApprovals): ApprovalEntity | undefined {
  return waitsForPeople(run.status) ? approvals.find(({ status }) => status === 'open') : undefined;
}

/** Says for whom the run waits. */
export function waitingSentence({ kind, approvers, required, decisions }: ApprovalEntity): string {
  const groups = approvers.length === 0 ? 'the admins' : approvers.join(', ');
  if (kind === 'question') return `waits for an answer from ${groups}`;
  const approved = decisions.filter(({ decision }) => decision === 'approve' || decision === 'edit').length;
  return `waits for ${groups} (${approved} of ${required})`;
}
