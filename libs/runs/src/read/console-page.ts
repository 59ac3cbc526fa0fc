/** Null if the operator has not set PUBLIC_URL. */
export type ConsoleUrl = string | null;

export function consolePage(
  consoleUrl: ConsoleUrl,
  page: 'runs' | 'approvals' | 'evaluations',
  id: string,
): { console_url?: string } {
  return consoleUrl === null ? {} : { console_url: `${consoleUrl}/${page}/${id}` };
}
