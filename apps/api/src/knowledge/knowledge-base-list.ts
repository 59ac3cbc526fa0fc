import type { KnowledgeBase, KnowledgeBases } from '@app/knowledge';
import type { ListSource } from '../http/list-pages.js';
import type { KnowledgeBaseResource, ListKnowledgeBasesQuery } from './knowledge-base.dto.js';
import { presentKnowledgeBase } from './knowledge-base.presenter.js';

/** The bases of a workspace, or the one of a name. */
export function knowledgeBaseList(
  bases: KnowledgeBases,
  workspaceId: string,
  { name }: ListKnowledgeBasesQuery,
): ListSource<KnowledgeBase, KnowledgeBaseResource> {
  return {
    list: 'knowledge-bases',
    workspaceId,
    filters: { name: name ?? null },
    read: (page) => bases.list(workspaceId, { ...page, ...(name !== undefined && { name }) }),
    present: presentKnowledgeBase,
  };
}
