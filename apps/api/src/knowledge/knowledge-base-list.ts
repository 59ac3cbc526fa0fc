import type { IndexProgress, IndexProgresses, KnowledgeBase, KnowledgeBases } from '@app/knowledge';
import type { JsonObject } from '@app/kernel';
import type { ListSource } from '../http/list-pages.js';
import type { CreateKnowledgeBaseBody, KnowledgeBaseResource, ListKnowledgeBasesQuery } from './knowledge-base.dto.js';
import { presentKnowledgeBase } from './knowledge-base.presenter.js';

/** A base, and how far the work on its index is while there is some. */
interface ListedBase {
  id: string;
  base: KnowledgeBase;
  progress: IndexProgress | undefined;
}

/** The bases of a workspace, or the one of a name. */
export function knowledgeBaseList(
  bases: KnowledgeBases,
  indexes: IndexProgresses,
  workspaceId: string,
  { name }: ListKnowledgeBasesQuery,
): ListSource<ListedBase, KnowledgeBaseResource> {
  return {
    list: 'knowledge-bases',
    workspaceId,
    filters: { name: name ?? null },
    read: async (request) => {
      const page = await bases.list(workspaceId, { ...request, ...(name !== undefined && { name }) });
      const progress = await indexes.of(workspaceId, page.data);
      return { ...page, data: page.data.map((base) => ({ id: base.id, base, progress: progress.get(base.id) })) };
    },
    present: ({ base, progress }) => presentKnowledgeBase(base, progress),
  };
}

/** The content of a creation, for its claim. A body that leaves out a default is equal to one that gives it. */
export function creationContent({ name, description, region, settings }: CreateKnowledgeBaseBody): JsonObject {
  return { name, description: description ?? '', region: region ?? null, settings: settings ?? {} };
}
