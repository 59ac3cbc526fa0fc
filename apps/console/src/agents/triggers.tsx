import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Agent } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';
import { ActionMenu } from '../ui/action-menu.js';
import { Button } from '../ui/button.js';
import { Card, Facts } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import styles from './agents.module.css';
import { cronText } from './cron-text.js';
import { triggerDetails } from './trigger-details.js';
import { TriggerLog } from './trigger-log.js';
import { rotateSecret, WebhookAddress } from './webhook-address.js';

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
  const refusal = useRefusal('agents:write');
  return (
    <>
      <div className={styles.triggerHead}>
        <strong>{id}</strong>
        <Word kind="trigger" value={type} />
        <Status value={enabled ? health : 'paused'} />
        {type === 'webhook' && (
          <ActionMenu label={`Actions of ${id}`} actions={[rotateSecret(agent)]} refusal={refusal} />
        )}
      </div>
      <Facts
        facts={[
          declared?.cron === undefined ? null : ['When', <When key="when" {...declared} cron={declared.cron} />],
          declared?.mailbox === undefined ? null : ['Mailbox', <code key="mailbox">{declared.mailbox}</code>],
          ['Starts', `v${agent.production_version}, in production`],
          ['Last fired', last === null ? 'never' : <Time key="last" at={last} />],
          next === undefined ? null : ['Next fire', next === null ? 'not while paused' : <Time key="next" at={next} />],
        ]}
      />
    </>
  );
}

function When({ cron, timezone = 'UTC' }: { cron: string; timezone?: string }): ReactNode {
  const text = cronText(cron);
  return (
    <>
      {text && `${text}, ${timezone} `}
      <code>{text ? cron : `${cron} ${timezone}`}</code>
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
