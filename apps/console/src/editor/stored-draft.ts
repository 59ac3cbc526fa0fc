/** Text that was not saved, and the version that it is based on; null for a new agent. */
export interface StoredDraft {
  text: string;
  base: number | null;
  at: string;
}

/** Drafts belong to one person in one workspace: another one who signs in on this browser must not see them. */
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

/** Without a draft, what is stored is removed. False if the browser keeps nothing, as when its storage is full. */
export function storeDraft(key: string, draft: StoredDraft | undefined): boolean {
  try {
    if (draft === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}
