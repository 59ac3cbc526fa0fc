import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { formatCount } from '../ui/format-values.js';
import { Empty, Page } from '../ui/page.js';
import { Status } from '../ui/status.js';
import table from '../ui/table.module.css';
import { Time } from '../ui/time.js';
import { baseHealth, grantsText } from './base-health.js';
import { CreateBase } from './base-form.js';
import styles from './knowledge.module.css';
import { BASES } from './knowledge-queries.js';
import type { KnowledgeBase } from './knowledge-types.js';

export function KnowledgePage(): ReactNode {
  const list = usePagedList([...BASES, 'list'], (page) => aas.knowledgeBases.list({ ...page, limit: 100 }));
  return (
    <Page title="Knowledge" busy={list.isPending} error={list.error} actions={<CreateBase />}>
      <PagedTable label="Knowledge bases" columns={COLUMNS} rowKey={({ id }) => id} list={list} empty={<NoBase />} />
    </Page>
  );
}

const COLUMNS: readonly Column<KnowledgeBase>[] = [
  { name: 'Knowledge base', cell: (base) => <Name base={base} /> },
  { name: 'Health', cell: (base) => <Health base={base} /> },
  { name: 'Documents', kind: 'number', cell: ({ document_count: count }) => formatCount(count) },
  { name: 'Sources', kind: 'optional-number', cell: ({ sources }) => formatCount(sources.total) },
  { name: 'Last sync', kind: 'optional', cell: ({ last_synced_at: at }) => (at === null ? 'none' : <Time at={at} />) },
  { name: 'Granted to', kind: 'optional', cell: ({ grants }) => grantsText(grants) },
];

function Name({ base }: { base: KnowledgeBase }): ReactNode {
  return (
    <>
      <Link to="/knowledge/$id" params={{ id: base.id }} className={table.main}>
        {base.name}
      </Link>
      <div className={styles.second}>{base.description}</div>
    </>
  );
}

function Health({ base }: { base: KnowledgeBase }): ReactNode {
  const { status, text } = baseHealth(base);
  return (
    <span className={styles.health}>
      <Status value={status} /> {text !== '' && <span className={styles.second}>{text}</span>}
    </span>
  );
}

function NoBase(): ReactNode {
  return (
    <Empty title="No knowledge base yet">
      <p>
        A knowledge base contains the documents that agents search. Create one with the button above, the CLI or the
        API. Then connect a source and grant access.
      </p>
      <pre tabIndex={0}>{`aas kb create refund-policy
aas kb push refund-policy handbook/*.md

curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"name": "refund-policy"}' ${location.origin}/v1/knowledge-bases`}</pre>
    </Empty>
  );
}
