import type { JsonObject } from '@app/kernel';
import { type ConsoleUrl, presentRun, type RunWithApprovals } from '@app/runs';
import type { Principal } from '@app/workspace';

/** The form in which the MCP server shows a run. */
export interface RunShape extends Record<string, unknown> {
  run: string;
  status: string;
  output: unknown;
  error: { code: string; message: string } | null;
  waiting: { for: string; until: string | null } | null;
  console_url: string | null;
}

const TEXT_OR_NULL = { type: ['string', 'null'] };

export const RUN_SHAPE_SCHEMA: JsonObject = {
  type: 'object',
  required: ['run', 'status', 'output', 'error', 'waiting', 'console_url'],
  properties: {
    run: { type: 'string', description: 'Id of the run.' },
    status: { type: 'string', description: 'Status of the run.' },
    output: { description: 'Output of an ended run, else null.' },
    error: {
      type: ['object', 'null'],
      description: 'Error of a failed run, else null.',
      properties: { code: { type: 'string' }, message: { type: 'string' } },
    },
    waiting: {
      type: ['object', 'null'],
      description: 'What the run waits for, and until when.',
      properties: { for: { type: 'string' }, until: TEXT_OR_NULL },
    },
    console_url: { ...TEXT_OR_NULL, description: 'Page for people. Null if the operator has set no address.' },
  },
};

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
