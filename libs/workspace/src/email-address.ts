// Deliberately permissive, because only sending a message can prove that an address works.
const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

/**
 * Returns the address trimmed and in lower case, as the members table stores it. Returns undefined if it is malformed.
 */
export function parseEmailAddress(text: string): string | undefined {
  const address = text.trim().toLowerCase();
  return ADDRESS.test(address) ? address : undefined;
}
