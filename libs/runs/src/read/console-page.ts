/** Address of the console without a trailing slash. Null if the operator has not set PUBLIC_URL. */
export type ConsoleUrl = string | null;

/** Returns the address of the console page of a resource, as a field of the resource. */
export function consolePage(
  consoleUrl: ConsoleUrl,
  page: 'runs' | 'approvals' | 'evaluations',
  id: string,
): { console_url?: string } {
  return consoleUrl === null ? {} : { console_url: `${consoleUrl}/${page}/${id}` };
}
