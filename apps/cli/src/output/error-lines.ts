import { ApiError, ConnectionError, TimeoutError } from '../../../../packages/sdk/src/index.js';
import { CommandError } from '../errors/command-error.js';
import { escapedText } from './escaped-text.js';

/** Maximum number of places in a rejected request that are printed. */
const MAX_PLACES = 20;

interface Failure {
  what: string;
  where: string;
  remedy: string;
  requestId?: string | undefined;
}

/**
 * Returns the lines of an error: what is wrong, where, and what to do. If the error has a request id, adds a line with
 * this id. The operator can search the logs for it.
 */
export function errorLines(error: unknown, address: string | undefined): string[] {
  const { what, where, remedy, requestId } = failureOf(error, address);
  const lines = [`Error: ${what}`, `Where: ${where}`];
  if (error instanceof ApiError) lines.push(...placeLines(error));
  lines.push(`What to do: ${remedy}`);
  if (requestId !== undefined) lines.push(`Request: ${requestId}`);
  return lines.map((line) => escapedText(withoutKeys(line)));
}

/** Removes API keys that a person may have typed as an argument. They must not appear in the logs of a pipeline. */
function withoutKeys(line: string): string {
  return line.replace(/\baas_(live|test)_[\w-]+/g, 'aas_$1_…');
}

function failureOf(error: unknown, address = 'the command line'): Failure {
  if (error instanceof CommandError) {
    const { message, where = 'the command line', remedy = 'Run `aas help`.' } = error;
    return { what: message, where, remedy };
  }
  if (error instanceof ApiError) {
    const { problem, status, code, requestId } = error;
    // The detail of some errors begins with the title.
    const what = problem.detail.startsWith(`${problem.title}.`)
      ? problem.detail
      : `${problem.title}. ${problem.detail}`;
    return { what, where: `${address} (${status} ${code})`, remedy: remedyOf(error), requestId };
  }
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    const remedy = 'Check the address, and that the service is running (`aas status`).';
    return { what: error.message, where: address, remedy };
  }
  const what = error instanceof Error ? error.message : String(error);
  return { what, where: address, remedy: 'Run `aas help` for the commands and their arguments.' };
}

interface Place {
  pointer?: string;
  parameter?: string;
  detail?: string;
  suggestion?: string;
  line?: number;
}

function placeLines({ problem }: ApiError): string[] {
  const places: readonly Place[] = problem.errors ?? [];
  const gate = problem.gate as { reasons?: string[] } | undefined;
  const lines = places.slice(0, MAX_PLACES).map(({ pointer, parameter, detail = '', suggestion, line }) => {
    const place = parameter ?? (pointer === '' || pointer === undefined ? 'the body' : pointer);
    const near = suggestion === undefined ? '' : ` ${suggestion}`;
    return `  ${place}${line === undefined ? '' : ` (line ${line})`}: ${detail}${near}`;
  });
  if (places.length > MAX_PLACES) lines.push(`  and ${places.length - MAX_PLACES} more`);
  return [...lines, ...(gate?.reasons ?? []).map((reason) => `  gate: ${reason}`)];
}

const REMEDIES: Readonly<Record<string, string>> = {
  missing_api_key: 'Sign in with `aas login <address>`, or set AAS_API_KEY.',
  invalid_api_key: 'Sign in again with `aas login <address>`, or set AAS_API_KEY to a valid key.',
  expired_api_key: 'Sign in again with `aas login <address>`.',
  invalid_sign_in: 'Run `aas login` again. A code works once, within 60 seconds.',
  gate_failed: 'Apply an improved definition, then evaluate the new version with `aas evaluate <agent>@<n> --wait`.',
  gate_inconclusive: 'Evaluate the version with more trials or cases.',
  evaluation_required: 'Run `aas evaluate <agent>@<n> --wait` first.',
  evaluation_in_progress: 'Wait for the evaluation: `aas evaluate <agent>@<n> --wait`.',
  workspace_stopped: 'See who stopped it with `aas status`. An admin can resume it with `aas resume`.',
  agent_paused: 'Resume the agent with `aas agents resume <agent>`.',
  agent_archived: 'Use another agent: `aas agents list`.',
  test_key_production_mode:
    'Use a live key. To start a run with this key, use mode test: `aas runs start <agent> --test`.',
  automation_key: 'Let a person decide: `aas login`, then `aas approvals approve <id>`.',
  not_an_approver: 'Ask a member of the groups in `aas approvals show <id>` to decide.',
  self_approval_forbidden: 'Ask another member of the groups in `aas approvals show <id>` to decide.',
  approval_already_decided: 'Read the decision with `aas approvals show <id>`.',
  precondition_failed: 'The resource has changed. Read it again, then repeat the command.',
  run_not_cancellable: 'The run has ended already. Read it with `aas runs get <id>`.',
  definition_invalid: 'Correct the places above. `aas validate <paths>` checks a file.',
  input_invalid: 'Correct the places above. The schema is in the definition of the agent.',
  file_deleted: 'See the files that exist: `aas files list`.',
  file_missing: 'The storage has lost the bytes. Upload the file again: `aas files upload <path>`.',
  file_in_use: 'Wait until the runs that use the file have ended, or cancel them. `aas files get <id>` shows them.',
  file_too_large: 'Choose a smaller file, or ask the operator to raise MAX_FILE_BYTES.',
  file_quota_exceeded: 'Delete files that you no longer need: `aas files list`, then `aas files delete <id>`.',
  redirect_refused: 'Run `aas login` with the address to which the service redirects.',
};

function remedyOf({ code, status, retryAfter }: ApiError): string {
  const known = REMEDIES[code];
  if (known !== undefined) return known;
  if (retryAfter !== undefined) return `Run the command again in ${retryAfter} s.`;
  if (code === 'unexpected_response' && status < 500) {
    return 'Check the address of the service: AAS_URL, or the context (`aas context list`).';
  }
  if (status === 401) return 'Sign in with `aas login <address>`.';
  if (status === 403) return 'Ask an admin of the workspace for a role that allows this.';
  if (status === 404) return 'Check the name or id, and the workspace with `aas whoami`.';
  if (status === 409) return 'Read the current state, and run the command again if it is still needed.';
  if (status >= 500) return 'Run the command again later, or give the request id to the operator.';
  return 'Correct the arguments. Add `--help` to the command to see them.';
}
