import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { ConfirmButton } from '../ui/dialog-button.js';
import { Notice } from '../ui/notice.js';
import { ProblemAlert } from '../ui/problem.js';
import { counted } from './base-health.js';
import styles from './knowledge.module.css';
import { baseKey } from './knowledge-queries.js';
import type { SourceProps } from './knowledge-types.js';

/**
 * Lists documents that are missing in the source. The service deletes them only after a person has confirmed the
 * deletion.
 */
export function HeldDeletions({ base, source }: SourceProps): ReactNode {
  const sync = source.last_sync;
  const held = sync?.held_deletions;
  const refusal = useRefusal('knowledge:write');
  if (!sync || !held || held.confirmed_at !== null) return null;
  const documents = counted(held.count, 'document');
  return (
    <Notice tone="amber" title="Deletions wait for a decision">
      <p>
        {documents} of {source.document_count} are missing from the source. This is more than the deletion guard allows
        a sync to delete. Searches still find these documents until you confirm the deletion. If the source had a
        temporary failure, sync it again instead.
      </p>
      <HeldDocuments base={base} sync={sync.id} />
      <ConfirmButton
        name="Confirm deletions"
        title={`Delete ${documents}?`}
        look="danger"
        refusal={refusal}
        run={() => aas.syncs.confirmDeletions(base, source.id, sync.id)}
        changes={baseKey(base)}
      >
        Runs can no longer find these documents. A later sync adds the documents that are in the source again.
      </ConfirmButton>
    </Notice>
  );
}

function HeldDocuments({ base, sync }: { base: string; sync: string }): ReactNode {
  const list = usePagedList([...baseKey(base), 'held', sync], (page) =>
    aas.documents.list(base, { ...page, held_by: sync, limit: 25 }),
  );
  return (
    <>
      <ProblemAlert error={list.error} />
      <ul className={styles.items} aria-label="Documents to delete">
        {list.items.map((document) => (
          <li key={document.id}>
            <Link to="/knowledge/$id" params={{ id: base }} search={{ tab: 'documents', document: document.id }}>
              {document.title}
            </Link>
            <code>{document.key}</code>
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <Button onClick={list.readMore} refusal={list.isReadingMore ? 'The next page is being read.' : null}>
          Show more
        </Button>
      )}
    </>
  );
}
