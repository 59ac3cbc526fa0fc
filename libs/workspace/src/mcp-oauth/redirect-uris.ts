/** `localhost` is a name, but clients register it as an address of this computer (RFC 8252, section 8.3). */
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Whether a client may be redirected to this address: an https address, or an http address on loopback. */
export function isRedirectUri(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  if (text.includes('#') || username !== '' || password !== '') return false;
  return protocol === 'https:' || isLoopbackUri(text);
}

/** Whether the address is an http address on loopback, at which a program on the computer of the person listens. */
export function isLoopbackUri(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && LOOPBACK.has(hostname);
}
