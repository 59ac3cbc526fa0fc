import type { DocumentWithPassages, KnowledgeDocuments } from '@app/knowledge';
import type { ListSource } from '../http/list-pages.js';
import type { DocumentResource, ListDocumentsQuery } from './documents.dto.js';
import { presentDocument } from './documents.presenter.js';

/** The documents of a base, or of one of its sources. */
export function documentList(
  documents: KnowledgeDocuments,
  workspaceId: string,
  base: string,
  { source }: ListDocumentsQuery,
): ListSource<DocumentWithPassages['document'], DocumentResource> {
  return {
    list: `knowledge-bases/${base}/documents`,
    workspaceId,
    filters: { source: source ?? null },
    read: (page) => documents.list(workspaceId, base, { ...page, ...(source !== undefined && { source }) }),
    present: presentDocument,
  };
}
