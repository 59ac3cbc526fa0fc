import { type ConsoleUrl, presentRun, type RunWithApprovals } from '@app/runs';
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
  const { id, status, output, error, waiting, approvals, console_url } = presentRun(read, consoleUrl);
  const open = approvals.find((approval) => approval.status === 'open');
  const mayRead = principal.scopes.has('runs:read');
  return {
    run: id,
    status,
    output: mayRead ? (output ?? null) : null,
    error: error && { code: error.code, message: error.message },
    waiting: waiting && { for: waiting.for, until: waiting.until ?? null },
    console_url: open?.console_url ?? console_url ?? null,
  };
}
