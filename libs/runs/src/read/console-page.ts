/** Address of the console without a slash at the end; null if the operator has not set PUBLIC_URL. */
export type ConsoleUrl = string | null;

/** The address of a page of the console, as a member of the resource that it shows. */
export function consolePage(
  consoleUrl: ConsoleUrl,
  page: 'runs' | 'approvals' | 'evaluations',
  id: string,
): { console_url?: string } {
  return consoleUrl === null ? {} : { console_url: `${consoleUrl}/${page}/${id}` };
}
