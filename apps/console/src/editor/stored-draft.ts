/** Unsaved text, and the version on which it is based. `base` is null if the agent has not been created yet. */
export interface StoredDraft {
  text: string;
  base: number | null;
  at: string;
}

/**
 * Returns the key of a draft in the local storage of the browser. It contains the id of the member, because several
 * people may use the browser.
 */
export function draftKey(owner: { workspace: string; member: string; agent: string }): string {
  return `console-draft:${owner.workspace}:${owner.member}:${owner.agent}`;
}

export function readDraft(key: string): StoredDraft | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<StoredDraft> | null;
    const { text, base = null, at = '' } = stored ?? {};
    return typeof text === 'string' ? { text, base, at } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Stores the draft, or removes it if `draft` is undefined. Returns false if the browser could not store it, for example
 * because its storage is full.
 */
export function storeDraft(key: string, draft: StoredDraft | undefined): boolean {
  try {
    if (draft === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}
