/**
 * What an error says, for people. Connecting to a name with several addresses fails with an error of its own whose message is
 * empty: then what the attempts say, each once.
 */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return [...new Set(error.errors.map(errorText))].join('; ');
  return error instanceof Error ? error.message : String(error);
}
