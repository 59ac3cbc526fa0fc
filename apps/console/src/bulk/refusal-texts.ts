const TEXTS: Readonly<Record<string, string>> = {
  run_not_cancellable: 'The run had already ended.',
  not_found: 'The run does not exist.',
  unknown_reference: 'The run has not ended, or its steps have been deleted.',
  agent_archived: 'The agent is archived.',
  agent_paused: 'The agent is paused.',
  workspace_stopped: 'All agents are stopped.',
  budget_exceeded: 'The budget is used up.',
  input_invalid: 'The input does not match the input schema of the agent version.',
  rate_limited: 'Too many runs were waiting at the same time.',
  unavailable: 'The service was not available.',
  internal_error: 'An internal error occurred. The log of the service contains the details.',
};

/**
 * Returns the explanation of an error code, followed by the code in parentheses. Without an explanation, returns the
 * code.
 */
export function refusalText(code: string): string {
  const text = TEXTS[code];
  return text === undefined ? code : `${text} (${code})`;
}
