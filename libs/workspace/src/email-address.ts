// One @ with something on both sides and no white space: whether mail arrives there, only sending can tell.
const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

/** An e-mail address as members are known by it: trimmed, in lower case. Undefined where the text is none. */
export function parseEmailAddress(text: string): string | undefined {
  const address = text.trim().toLowerCase();
  return ADDRESS.test(address) ? address : undefined;
}
