import type { KnowledgeBase } from './knowledge-types.js';

type Counted = Pick<KnowledgeBase, 'sources' | 'index'>;

/** Returns the most urgent problem of a knowledge base, or its current state if it has no problem. */
export function baseHealth({ sources, index }: Counted): { status: string; text: string } {
  const { total, expired, failing, syncing } = sources;
  if (expired > 0) return { status: 'expired', text: `${counted(expired, 'permission')} to renew` };
  if (failing > 0) return { status: 'error', text: `${counted(failing, 'source')} cannot be read` };
  if (index?.status === 'failing') return { status: 'error', text: index.error?.message ?? 'indexing fails' };
  if (syncing > 0) return { status: 'syncing', text: '' };
  if (index) return { status: index.status, text: indexText(index) };
  return total === 0 ? { status: 'pending', text: 'no source' } : { status: 'ok', text: '' };
}

export function indexText({ documents, passages_waiting: waiting }: NonNullable<KnowledgeBase['index']>): string {
  if (documents) return `${documents.done} of ${documents.total} documents in the new index`;
  return `${counted(waiting, 'passage')} without a vector`;
}

/** Returns the number of grants of each type as text, for example `2 agents, 1 group`. */
export function grantsText({ agents, users, groups, channels }: KnowledgeBase['grants']): string {
  const parts = [
    [agents, 'agent'],
    [users, 'person'],
    [groups, 'group'],
    [channels, 'channel'],
  ] as const;
  const named = parts.filter(([count]) => count > 0).map(([count, noun]) => counted(count, noun));
  return named.length === 0 ? 'no grants' : named.join(', ');
}

export function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun === 'person' ? 'people' : `${noun}s`}`;
}
