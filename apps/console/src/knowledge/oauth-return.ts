/** Opens the authorisation page of the provider in this tab. Afterwards, the browser returns to `path`. */
export function openAuthorization(authorizeUrl: string, path: string): void {
  const url = new URL(authorizeUrl, location.origin);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new Error('The service returned an authorisation address that does not begin with http: or https:.');
  url.searchParams.set('return_to', path);
  location.assign(url.href);
}

const REASONS: Readonly<Record<string, readonly [detail: string, remedy: string]>> = {
  invalid_request: [
    'The permission was not granted, or the authorisation was started in another browser, used twice or took too long.',
    'Connect the source again in this tab, and grant the permission.',
  ],
  unavailable: [
    'The provider could not be reached, or is no longer configured in this installation.',
    'Try again in a minute. If it fails again, ask the operator of the installation.',
  ],
  not_found: [
    'The knowledge base or the source was deleted during the authorisation.',
    'Open the list of knowledge bases.',
  ],
  insufficient_scope: [
    'You no longer have the permission to change this knowledge base.',
    'Ask an admin of the workspace for the permission.',
  ],
};

/** Returns why an authorisation failed and what to do. The service adds the error code to the page URL. */
export function refusalOfProvider(code: string): { detail: string; remedy: string } {
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  const [detail, remedy] = known ?? [
    `The authorisation failed with the error code ${code}.`,
    'Connect the source again.',
  ];
  return { detail, remedy };
}
