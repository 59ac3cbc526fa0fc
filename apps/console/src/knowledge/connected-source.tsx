import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent } from 'react';
import { aas } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { Card } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import styles from './knowledge.module.css';
import { baseKey, useConnectorTitle } from './knowledge-queries.js';
import type { Source } from './knowledge-types.js';
import { useSourceForm } from './source-form.js';

/**
 * Form that is shown after a person has authorised a new source. In this form, the person chooses what the source
 * reads, and starts the first sync.
 */
export function ConnectedSource({ base, source: id }: { base: string; source: string }): ReactNode {
  const { data: source, error } = useQuery({
    queryKey: [...baseKey(base), 'source', id],
    queryFn: () => aas.sources.get(base, id),
  });
  return (
    <>
      <ProblemAlert error={error} />
      {source && <ScopeForm base={base} source={source} />}
    </>
  );
}

function ScopeForm({ base, source }: { base: string; source: Source }): ReactNode {
  const title = useConnectorTitle()(source.connector);
  const form = useSourceForm(source);
  const refusal = useRefusal('knowledge:write');
  const navigate = useNavigate();
  const sync = useMutation({
    mutationFn: async () => {
      const change = form.change();
      if (Object.keys(change).length > 0) await aas.sources.update(base, source.id, change);
      await aas.sources.sync(base, source.id);
    },
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: baseKey(base) });
      void navigate({ to: '/knowledge/$id', params: { id: base }, search: { tab: 'sources' } });
    },
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (refusal === null && !sync.isPending) sync.mutate();
  };
  return (
    <>
      <Notice tone="green" title={`${title} is connected`}>
        <p>
          Choose what the source reads, then sync it. If you choose nothing, the source reads everything that the
          permission covers, if {title} can list it.
        </p>
      </Notice>
      <Card title="What it reads">
        <form className={styles.fields} onSubmit={submit} noValidate>
          {form.fields(sync.error)}
          <ProblemAlert error={sync.error} />
          <div className={styles.bar}>
            <Button
              type="submit"
              look="primary"
              refusal={refusal ?? (sync.isPending ? 'The sync is being started.' : null)}
            >
              Sync now
            </Button>
          </div>
        </form>
      </Card>
    </>
  );
}
