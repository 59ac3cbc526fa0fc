import type { ReactNode } from 'react';
import { aas, type Agent } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { useRefusal } from '../data/session.js';
import { PagedTable } from '../ui/data-table.js';
import { ConfirmButton } from '../ui/dialog-button.js';
import { Card, Empty } from '../ui/page.js';
import { Time } from '../ui/time.js';

type Entry = Awaited<ReturnType<typeof aas.agents.listState>>['data'][number];

/** Shows the values that the agent keeps between its runs. Renders nothing if there are none. */
export function StateCard({ agent }: { agent: Agent }): ReactNode {
  const queryKey = ['agent', agent.id, 'state'];
  const refusal = useRefusal('agents:write');
  const list = usePagedList<Entry>(queryKey, (page) => aas.agents.listState(agent.id, page));
  if (list.items.length === 0) return null;
  return (
    <Card
      title="State"
      flush
      actions={
        <ConfirmButton
          name="Delete all"
          title="Delete the state of the agent?"
          refusal={refusal}
          run={() => aas.agents.deleteState(agent.id)}
          changes={queryKey}
        >
          The next run of the agent begins without these values.
        </ConfirmButton>
      }
    >
      <PagedTable
        label="State"
        list={list}
        rowKey={({ key }) => key}
        columns={[
          { name: 'Key', cell: ({ key }) => <code>{key}</code> },
          { name: 'Value', cell: ({ value }) => <code>{shortText(value)}</code> },
          { name: 'Version', cell: ({ version }) => version },
          { name: 'Written', cell: ({ updated_at: at }) => <Time at={at} /> },
          {
            name: 'Expires',
            kind: 'optional',
            cell: ({ expires_at: at }) => (at === null ? 'never' : <Time at={at} />),
          },
          {
            name: 'Actions',
            kind: 'actions',
            cell: ({ key }) => (
              <ConfirmButton
                name="Delete"
                title="Delete the value?"
                refusal={refusal}
                run={() => aas.agents.deleteState(agent.id, { key })}
                changes={queryKey}
              >
                The next run of the agent finds no value for <code>{key}</code>.
              </ConfirmButton>
            ),
          },
        ]}
        empty={<Empty title="No value yet" />}
      />
    </Card>
  );
}

const LONGEST = 200;

function shortText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
