import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import { aas } from '../data/api.js';
import { one, type Search } from '../data/search.js';
import { useRefusal } from '../data/session.js';
import { ConfirmButton } from '../ui/dialog-button.js';
import { Page } from '../ui/page.js';
import { AlertBox } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Tabs } from '../ui/tabs.js';
import { AccessTab } from './access-tab.js';
import { ChangeBase } from './base-form.js';
import { counted, indexText } from './base-health.js';
import { DocumentsTab } from './documents-tab.js';
import { BASES, useBase } from './knowledge-queries.js';
import type { BaseTabProps, KnowledgeBase } from './knowledge-types.js';
import { SearchTab } from './search-tab.js';
import { SourcesTab } from './sources-tab.js';

const TABS: readonly { value: string; label: string; content: ComponentType<BaseTabProps> }[] = [
  { value: 'sources', label: 'Sources', content: SourcesTab },
  { value: 'documents', label: 'Documents', content: DocumentsTab },
  { value: 'search', label: 'Search', content: SearchTab },
  { value: 'access', label: 'Access', content: AccessTab },
];

export function BasePage(): ReactNode {
  const { id = '' } = useParams({ strict: false });
  const { data: base, error, isPending } = useBase(id);
  return (
    <Page
      title={base?.name ?? 'Knowledge base'}
      above={<Link to="/knowledge">Knowledge</Link>}
      busy={isPending}
      error={error}
      facts={base && <BaseFacts base={base} />}
      actions={base && <BaseActions base={base} />}
    >
      {base && <BaseTabs id={id} base={base} />}
    </Page>
  );
}

function BaseFacts({ base }: { base: KnowledgeBase }): ReactNode {
  const { index } = base;
  return (
    <>
      {index && <Status value={index.status === 'failing' ? 'error' : index.status} />}
      {index && <span>{index.error?.message ?? indexText(index)}</span>}
      <span>{counted(base.document_count, 'document')}</span>
      <span>{counted(base.chunk_count, 'passage')}</span>
      <span>region {base.region}</span>
      {base.description !== '' && <span>{base.description}</span>}
    </>
  );
}

function BaseActions({ base }: { base: KnowledgeBase }): ReactNode {
  const refusal = useRefusal('knowledge:write');
  const navigate = useNavigate();
  return (
    <>
      <ChangeBase base={base} />
      <ConfirmButton
        name="Delete knowledge base"
        title={`Delete ${base.name}?`}
        refusal={refusal}
        run={() => aas.knowledgeBases.delete(base.id)}
        changes={[...BASES, 'list']}
        onDone={() => void navigate({ to: '/knowledge' })}
      >
        Its sources and {counted(base.document_count, 'document')} are deleted. Runs can no longer find them. This
        cannot be undone.
      </ConfirmButton>
    </>
  );
}

function BaseTabs({ id, base }: BaseTabProps): ReactNode {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const wanted = one(search.tab) ?? (search.document === undefined ? 'sources' : 'documents');
  const shown = TABS.find(({ value }) => value === wanted);
  if (!shown) {
    const detail = `There is no tab ${JSON.stringify(wanted)}.`;
    const names = TABS.map(({ value }) => value).join(', ');
    return <AlertBox title="Unknown tab" detail={detail} remedy={`Tabs of a knowledge base are ${names}.`} />;
  }
  const { content: Content } = shown;
  return (
    <Tabs
      label="Knowledge base"
      tabs={TABS}
      selected={wanted}
      onSelect={(tab) => void navigate({ to: '/knowledge/$id', params: { id }, search: { tab } })}
    >
      <Content id={id} base={base} />
    </Tabs>
  );
}
