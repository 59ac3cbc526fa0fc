import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Agent } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import styles from './agents.module.css';
import { triggerDetails } from './trigger-details.js';
import { TriggerLog } from './trigger-log.js';
import { WebhookAddress } from './webhook-address.js';

type Trigger = Awaited<ReturnType<typeof aas.triggers.list>>['data'][number];

export function Triggers({ agent, definition }: { agent: Agent; definition: unknown }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['agent', agent.id, 'triggers'],
    queryFn: () => aas.triggers.list(agent.id),
  });
  const triggers = data?.data ?? [];
  const webhooks = triggers.filter(({ type }) => type === 'webhook');
  const details = triggerDetails(definition);
  return (
    <Card title="Triggers">
      <ProblemAlert error={error} />
      {data?.data.length === 0 && (
        <p>The production version has no trigger. Start runs here, with the CLI or with the API.</p>
      )}
      {triggers.map((trigger) => (
        <div key={trigger.id} className={styles.trigger} role="group" aria-label={`Trigger ${trigger.id}`}>
          <TriggerHead agent={agent} trigger={trigger} />
          {details.get(trigger.id)?.map((detail) => (
            <p key={detail}>{detail}</p>
          ))}
          {trigger.last_error !== null && <p className={styles.failed}>{trigger.last_error}</p>}
          {trigger.type === 'webhook' && (
            <WebhookAddress agent={agent} definition={definition} trigger={trigger.id} isOnly={webhooks.length === 1} />
          )}
          {trigger.type === 'schedule' && <RunNow agent={agent} trigger={trigger} />}
        </div>
      ))}
      <TriggerLog agent={agent} triggers={triggers.map(({ id }) => id)} />
    </Card>
  );
}

function TriggerHead({ agent, trigger }: { agent: Agent; trigger: Trigger }): ReactNode {
  const { id, type, enabled, health, next_fire_at: next, last_event_at: last } = trigger;
  const declared = agent.triggers.find((each) => each.id === id);
  return (
    <div className={styles.triggerHead}>
      <strong>{id}</strong>
      <Word kind="trigger" value={type} />
      <Status value={enabled ? health : 'paused'} />
      {declared?.cron !== undefined && (
        <code>
          {declared.cron} {declared.timezone}
        </code>
      )}
      {declared?.mailbox !== undefined && <code>{declared.mailbox}</code>}
      {next !== undefined && next !== null && (
        <span>
          next <Time at={next} />
        </span>
      )}
      <span className={styles.second}>{last === null ? 'no event yet' : <LastEvent at={last} />}</span>
    </div>
  );
}

function LastEvent({ at }: { at: string }): ReactNode {
  return (
    <>
      last <Time at={at} />
    </>
  );
}

/** Button that starts a run with the input of a schedule trigger. The next scheduled time does not change. */
function RunNow({ agent, trigger }: { agent: Agent; trigger: Trigger }): ReactNode {
  const refusal = useRefusal('agents:run');
  const run = useMutation({
    mutationFn: () => aas.triggers.run(agent.id, trigger.id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['runs'] }),
  });
  return (
    <>
      <div className={styles.buttons}>
        <Button refusal={refusal ?? (run.isPending ? 'The run is being started.' : null)} onClick={() => run.mutate()}>
          Run now
        </Button>
        <span role="status">
          {run.data && (
            <>
              Started{' '}
              <Link to="/runs/$id" params={{ id: run.data.id }}>
                {run.data.id}
              </Link>
            </>
          )}
        </span>
      </div>
      <ProblemAlert error={run.error} />
    </>
  );
}
