import {
  type ApprovalEntity,
  consolePage,
  type ConsoleUrl,
  presentRun,
  type RunWithApprovals,
  waitsForPeople,
} from '@app/runs';
import type { Principal } from '@app/workspace';

/** The form in which the MCP server shows a run. */
interface RunShape extends Record<string, unknown> {
  run: string;
  status: string;
  output: unknown;
  error: { code: string; message: string } | null;
  waiting: { for: string; until: string | null } | null;
  console_url: string | null;
}

/** While the run waits for people, `console_url` is the page of the approval. A caller who reads no runs gets no output. */
export function runShape(read: RunWithApprovals, principal: Principal, consoleUrl: ConsoleUrl): RunShape {
  const { id, status, output, error, waiting } = presentRun(read, consoleUrl);
  const open = openApproval(read);
  const page = open ? consolePage(consoleUrl, 'approvals', open.id) : consolePage(consoleUrl, 'runs', id);
  return {
    run: id,
    status,
    output: principal.scopes.has('runs:read') ? (output ?? null) : null,
    error: error && { code: error.code, message: error.message },
    waiting: waiting && { for: waiting.for, until: waiting.until ?? null },
    console_url: page.console_url ?? null,
  };
}

/** Returns the approval or question that the run waits for. */
export function openApproval({ run, approvals }: RunWithApprovals): ApprovalEntity | undefined {
  return waitsForPeople(run.status) ? approvals.find(({ status }) => status === 'open') : undefined;
}
