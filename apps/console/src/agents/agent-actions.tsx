import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Agent } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { useRefusal } from '../data/session.js';
import { actionLink, Button } from '../ui/button.js';
import { ConfirmButton } from '../ui/dialog-button.js';
import { hashOf, useLinked } from '../ui/linked.js';
import { ProblemAlert } from '../ui/problem.js';

export function AgentActions({ agent }: { agent: Agent }): ReactNode {
  const refusal = useRefusal('agents:write');
  const isPaused = agent.status === 'paused';
  const pausing = isPaused ? 'Resume' : 'Pause';
  useLinked(pausing, () => document.getElementById(hashOf(pausing))?.focus());
  const change = useMutation({
    mutationFn: (): Promise<unknown> => (isPaused ? aas.agents.resume(agent.id) : aas.agents.pause(agent.id)),
    onSettled: () =>
      Promise.all([['agent', agent.id], ['agents']].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
  const lasting = refusal ?? (agent.status === 'archived' ? 'The agent is archived.' : null);
  return (
    <>
      <Link className={actionLink} to="/$" params={{ _splat: `agents/${agent.id}/edit` }}>
        {refusal === null ? 'Edit definition' : 'Show definition'}
      </Link>
      <Button
        id={hashOf(pausing)}
        refusal={lasting ?? (change.isPending ? 'The change is being sent.' : null)}
        onClick={() => change.mutate()}
      >
        {pausing}
      </Button>
      <ConfirmButton
        name="Archive"
        title={`Archive ${agent.name}?`}
        refusal={lasting}
        run={() => aas.agents.archive(agent.id)}
        changes={['agent', agent.id]}
        onDone={() => void queryClient.invalidateQueries({ queryKey: ['agents'] })}
      >
        Queued runs are cancelled. Running runs finish. An archived agent can still be read, but it can no longer start
        runs and cannot be restored.
      </ConfirmButton>
      <ProblemAlert error={change.error} />
    </>
  );
}
