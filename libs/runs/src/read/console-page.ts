/** URL of the console without a trailing slash. Null if the operator has not set PUBLIC_URL. */
export type ConsoleUrl = string | null;

/** Returns the field `console_url` of a resource: the URL of its page in the console. */
export function consolePage(
  consoleUrl: ConsoleUrl,
  page: 'runs' | 'approvals' | 'evaluations',
  id: string,
): { console_url?: string } {
  return consoleUrl === null ? {} : { console_url: `${consoleUrl}/${page}/${id}` };
}
