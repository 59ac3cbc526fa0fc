/** What the refusal of one run means, by its code. */
const TEXTS: Readonly<Record<string, string>> = {
  run_not_cancellable: 'The run had already ended.',
  not_found: 'There is no such run.',
  unknown_reference: 'The run has not ended, or its steps were deleted.',
  agent_archived: 'The agent is archived.',
  agent_paused: 'The agent is paused.',
  workspace_stopped: 'All agents are stopped.',
  budget_exceeded: 'The budget is used up.',
  input_invalid: 'The input does not fit the version.',
  rate_limited: 'Too many runs were waiting.',
  unavailable: 'The service was not available.',
  internal_error: 'An internal error: the operator finds it in the log.',
};

/** The code, and what it means where the console knows it. */
export function refusalText(code: string): string {
  const text = TEXTS[code];
  return text === undefined ? code : `${text} (${code})`;
}
