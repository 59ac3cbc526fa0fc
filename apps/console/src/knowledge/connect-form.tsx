import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { aas, ApiError } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { ProblemAlert } from '../ui/problem.js';
import styles from './knowledge.module.css';
import { baseKey } from './knowledge-queries.js';
import type { Connector } from './knowledge-types.js';
import { openAuthorization } from './oauth-return.js';
import { ScheduleFields, scheduleOf, scheduleTexts } from './schedule-fields.js';
import { TestResult } from './test-result.js';
import { SchemaFields } from './schema-fields.js';
import { formOf, type FormTexts, valueOfForm } from './schema-form.js';

export interface ConnectFormProps {
  /** Id in the page URL: the id of the knowledge base, or `name:<name>`. */
  id: string;
  baseId: string;
  connector: Connector;
}

/** Form for the configuration of a connector, generated from its JSON Schema. */
export function ConnectForm({ id, baseId, connector }: ConnectFormProps): ReactNode {
  const entries = formOf(connector.config_schema);
  const [texts, setTexts] = useState<FormTexts>({});
  const [schedule, setSchedule] = useState(scheduleTexts());
  const connect = useConnect({ id, baseId, connector }, () => ({
    config: valueOfForm(entries, texts),
    schedule: scheduleOf(schedule),
  }));
  const test = useMutation({
    mutationFn: () => aas.sources.test(baseId, { connector: connector.kind, config: valueOfForm(entries, texts) }),
    onMutate: connect.reset,
  });
  const scope = useRefusal('knowledge:write');
  const refusal = scope ?? connector.unavailable_reason ?? (connect.isBusy ? 'The source is being connected.' : null);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (refusal === null) connect.run();
  };
  return (
    <form className={styles.fields} onSubmit={submit} noValidate>
      {connector.unavailable_reason !== null && (
        <Notice tone="amber" title={`${connector.title} is not available`}>
          <p>{connector.unavailable_reason}</p>
        </Notice>
      )}
      <SchemaFields
        entries={entries}
        texts={texts}
        onChange={setTexts}
        error={connect.error ?? test.error}
        at="/config"
      />
      <ScheduleFields schedule={schedule} onChange={setSchedule} error={connect.error} />
      <ProblemAlert error={connect.error ?? test.error} />
      <TestResult kind={connector.kind} result={test.data} />
      <div className={styles.bar}>
        <Button type="submit" look="primary" refusal={refusal}>
          Connect source
        </Button>
        {connector.auth !== 'oauth' && (
          <Button
            refusal={refusal ?? (test.isPending ? 'The source is being tested.' : null)}
            onClick={() => test.mutate()}
          >
            Test
          </Button>
        )}
        {test.isPending && <span role="status">The source is read, for at most 15 seconds.</span>}
        {scope !== null && <span className={styles.second}>{scope}</span>}
      </div>
    </form>
  );
}

type Wanted = Pick<Parameters<typeof aas.sources.create>[1], 'config' | 'schedule'>;

/**
 * Returns a mutation that adds the source and starts its first sync. If the API requires an authorisation, the mutation
 * opens the page of the provider instead. The API adds the source after the authorisation.
 */
function useConnect(
  { id, baseId, connector: { kind } }: ConnectFormProps,
  read: () => Wanted,
): { run: () => void; reset: () => void; isBusy: boolean; error: unknown } {
  const navigate = useNavigate();
  const [isLeaving, setLeaving] = useState(false);
  const connect = useMutation({
    mutationFn: async () => {
      const { id: source } = await aas.sources.create(baseId, { connector: kind, ...read() });
      // An error of the first sync is ignored, because the API has already added the source. The person can start a
      // sync on the next page.
      await aas.sources.sync(baseId, source).catch(() => undefined);
    },
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: baseKey(id) });
      void navigate({ to: '/knowledge/$id', params: { id }, search: { tab: 'sources' } });
    },
    onError: (error) => {
      const url = authorizeUrl(error);
      if (url === undefined) return;
      setLeaving(true);
      openAuthorization(url, `/console/knowledge/${baseId}/connect?connector=${encodeURIComponent(kind)}`);
    },
  });
  return {
    run: () => connect.mutate(),
    reset: connect.reset,
    isBusy: connect.isPending || isLeaving,
    error: isLeaving ? null : connect.error,
  };
}

/** Returns the URL of the authorisation page of the provider if the API requires an authorisation. */
function authorizeUrl(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.code !== 'oauth_required') return undefined;
  const { authorize_url: url } = error.problem;
  return typeof url === 'string' ? url : undefined;
}
