import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { one, type Search } from '../data/search.js';
import { documentTypeText, languageText } from '../data/words.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { Choice } from '../ui/field.js';
import { formatBytes, formatCount } from '../ui/format-values.js';
import { Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import table from '../ui/table.module.css';
import { Time } from '../ui/time.js';
import { DocumentView } from './document-view.js';
import styles from './knowledge.module.css';
import { UploadZone } from './upload-zone.js';
import { baseKey, useSourceTitle, useSources } from './knowledge-queries.js';
import type { BaseTabProps, StoredDocument } from './knowledge-types.js';

/** Shows the documents of a knowledge base, or one document if the page URL contains its id. */
export function DocumentsTab({ id }: BaseTabProps): ReactNode {
  const search: Search = useSearch({ strict: false });
  const document = one(search.document);
  return document === undefined ? (
    <DocumentList id={id} search={search} />
  ) : (
    <DocumentView
      key={document}
      base={id}
      id={document}
      version={one(search.version)}
      chunk={one(search.chunk)}
      source={one(search.source)}
    />
  );
}

function DocumentList({ id, search }: { id: string; search: Search }): ReactNode {
  const source = one(search.source) ?? '';
  const heldBy = one(search.held_by) ?? '';
  const filters = { ...(source !== '' && { source }), ...(heldBy !== '' && { held_by: heldBy }) };
  const list = usePagedList([...baseKey(id), 'documents', filters], (page) =>
    aas.documents.list(id, { ...page, ...filters, limit: 50 }),
  );
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <div className={styles.stack} aria-busy={list.isPending}>
      <UploadZone base={id} />
      <SourceFilter id={id} search={search} source={source} />
      <ProblemAlert error={list.error} />
      <PagedTable
        label="Documents"
        columns={columnsOf(id, source)}
        rowKey={(document) => document.id}
        list={list}
        empty={isFiltered ? <Empty title="No results" /> : <NoDocument />}
      />
    </div>
  );
}

function SourceFilter({ id, search, source }: { id: string; search: Search; source: string }): ReactNode {
  const navigate = useNavigate();
  const titleOf = useSourceTitle();
  const sources = useSources(id).data?.data ?? [];
  const named = sources.map((each) => ({ value: each.id, label: titleOf(each) }));
  const isKnown = source === '' || sources.some((each) => each.id === source);
  return (
    <div className={styles.bar}>
      <Choice
        compact
        label="Source"
        value={source}
        onChange={(value) =>
          void navigate({
            to: '/knowledge/$id',
            params: { id },
            search: { ...search, tab: 'documents', source: value === '' ? undefined : value },
          })
        }
        options={[{ value: '', label: 'Any source' }, ...named, ...(isKnown ? [] : [{ value: source }])]}
      />
    </div>
  );
}

function columnsOf(base: string, source: string): Column<StoredDocument>[] {
  const filter = source === '' ? {} : { source };
  return [
    {
      name: 'Document',
      cell: (document) => (
        <>
          <Link
            to="/knowledge/$id"
            params={{ id: base }}
            search={{ tab: 'documents', document: document.id, ...filter }}
            className={table.main}
          >
            {document.title}
          </Link>
          <div className={styles.second}>{document.key}</div>
        </>
      ),
    },
    { name: 'Type', kind: 'optional', cell: ({ content_type: type }) => documentTypeText(type) },
    { name: 'Language', kind: 'optional', cell: ({ language }) => languageText(language) },
    { name: 'Version', kind: 'optional-number', cell: ({ version }) => version },
    { name: 'Size', kind: 'optional-number', cell: ({ bytes }) => formatBytes(bytes) },
    { name: 'Passages', kind: 'number', cell: ({ chunk_count: count }) => formatCount(count) },
    { name: 'Changed', kind: 'optional', cell: ({ updated_at: at }) => <Time at={at} /> },
  ];
}

function NoDocument(): ReactNode {
  return (
    <Empty title="No document yet">
      <p>Upload files above. Documents of other sources appear after their first sync.</p>
    </Empty>
  );
}
