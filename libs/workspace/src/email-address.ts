// This pattern is permissive, because only sending a message can prove that an address works.
const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/;
const MAX_SHOWN = 320;

/**
 * Returns the address trimmed and in lower case, as the members table stores it. Returns undefined if it is malformed.
 */
export function parseEmailAddress(text: string): string | undefined {
  const address = text.trim().toLowerCase();
  return ADDRESS.test(address) ? address : undefined;
}

export function unknownMember(address: string): string {
  const shown = JSON.stringify(address.slice(0, MAX_SHOWN));
  return `There is no member ${shown}. Add the person with \`aas members add\` or POST /v1/members.`;
}
