/** Opens the page of the provider in this tab. The provider sends the browser back to `path`. */
export function openAuthorization(authorizeUrl: string, path: string): void {
  const url = new URL(authorizeUrl, location.origin);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new Error('The service named an address that is no web page.');
  url.searchParams.set('return_to', path);
  location.assign(url.href);
}

const REASONS: Readonly<Record<string, readonly [detail: string, remedy: string]>> = {
  invalid_request: [
    'The permission was not given, or the attempt was begun in another browser, used twice, or left for too long.',
    'Connect again, stay in this tab, and allow the access.',
  ],
  unavailable: [
    'The provider could not be reached, or the operator no longer offers it.',
    'Try again in a minute. If it fails again, ask the operator of the installation.',
  ],
  not_found: ['The knowledge base or the source was deleted meanwhile.', 'Look at the list of knowledge bases.'],
  insufficient_scope: ['You may no longer change this knowledge base.', 'Ask an admin of the workspace.'],
};

/** Explanation and remedy for the error code with which a provider returned to the console. */
export function refusalOfProvider(code: string): { detail: string; remedy: string } {
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  const [detail, remedy] = known ?? [`The service answered ${code}.`, 'Connect again.'];
  return { detail, remedy };
}
