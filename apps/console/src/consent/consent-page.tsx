import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { aas, isNotFound } from '../data/api.js';
import { one, type Search } from '../data/search.js';
import { useCaller } from '../data/session.js';
import { withRecentSignIn } from '../data/step-up.js';
import { Button } from '../ui/button.js';
import { Checklist, Choice } from '../ui/field.js';
import { Card, Facts, Page } from '../ui/page.js';
import { AlertBox, ProblemAlert } from '../ui/problem.js';
import styles from './consent.module.css';

type AccessRequest = Awaited<ReturnType<typeof aas.accessRequests.get>>;
type Decision = { decision: 'allow' | 'deny'; agents: string[] | null };

/** The page on which a person gives an MCP client access. The client sent the browser here. */
export function ConsentPage(): ReactNode {
  const search: Search = useSearch({ strict: false });
  const id = one(search.request) ?? '';
  const request = useQuery({
    queryKey: ['access-request', id],
    queryFn: () => withRecentSignIn(() => aas.accessRequests.get(id)),
    retry: false,
    staleTime: Infinity,
  });
  return (
    <Page title="Give access to an assistant" busy={request.isPending}>
      {isNotFound(request.error) ? (
        <AlertBox
          title="The request does not exist"
          detail="It has been decided, it is older than ten minutes, or it belongs to another person or workspace."
          remedy="Connect again in the assistant."
        />
      ) : (
        <ProblemAlert error={request.error} />
      )}
      {request.data && <Consent id={id} request={request.data} />}
    </Page>
  );
}

const SCOPES = [
  { value: 'some', label: 'only the chosen agents' },
  { value: 'all', label: 'all agents, also future ones' },
] as const;

function Consent({ id, request }: { id: string; request: AccessRequest }): ReactNode {
  const { agents } = request;
  const [scope, setScope] = useState<string>(agents.length === 0 ? 'all' : 'some');
  const [chosen, setChosen] = useState<string[]>([]);
  const decide = useMutation({
    mutationFn: (decision: Decision) => withRecentSignIn(() => aas.accessRequests.decide(id, decision)),
    onSuccess: ({ redirect_to: target }) => location.assign(target),
  });
  const isAuthoring = request.resource.endsWith('/author');
  const isSent = decide.isPending || decide.isSuccess;
  return (
    <Card title="Request">
      <RequestFacts request={request} isAuthoring={isAuthoring} />
      <Choice label="Access to" value={scope} onChange={setScope} options={SCOPES} />
      {scope === 'some' && (
        <Checklist
          label="Agents"
          chosen={chosen}
          onChange={setChosen}
          options={agents.map(({ id: value, name: label }) => ({ value, label }))}
        />
      )}
      <p>
        Allow the access only if you have just connected this assistant yourself. It never decides approvals. An admin
        can end its access under API keys.
      </p>
      <ProblemAlert error={decide.error} />
      {decide.isSuccess && <p role="status">Decided. You return to the assistant.</p>}
      <div className={styles.decisions}>
        <Button
          look="primary"
          refusal={refusalOf({
            isSent,
            mayAuthor: !isAuthoring || request.may_author,
            hasNone: scope === 'some' && chosen.length === 0,
          })}
          onClick={() => decide.mutate({ decision: 'allow', agents: scope === 'all' ? null : chosen })}
        >
          Allow
        </Button>
        <Button refusal={isSent ? SENT : null} onClick={() => decide.mutate({ decision: 'deny', agents: null })}>
          Deny
        </Button>
      </div>
    </Card>
  );
}

function RequestFacts({ request, isAuthoring }: { request: AccessRequest; isAuthoring: boolean }): ReactNode {
  const { client } = request;
  const caller = useCaller();
  return (
    <>
      <p>
        The assistant at <strong dir="auto">{client.host}</strong> requests access to{' '}
        {isAuthoring ? 'build agents' : 'use agents'} in your name.
      </p>
      <Facts
        facts={[
          ['Assistant', <bdi key="host">{client.host}</bdi>],
          ['Calls itself', <bdi key="name">{client.name}</bdi>],
          ['Returns to', <bdi key="redirect">{request.redirect_host}</bdi>],
          ['Address', <code key="resource">{request.resource}</code>],
          ['Workspace', caller?.workspace.name],
          ['Member', caller?.member],
        ]}
      />
    </>
  );
}

const SENT = 'The decision has been sent.';

function refusalOf(state: { isSent: boolean; mayAuthor: boolean; hasNone: boolean }): string | null {
  if (state.isSent) return SENT;
  if (!state.mayAuthor) return 'Only builders can give access to build agents.';
  return state.hasNone ? 'Choose an agent, or all agents.' : null;
}
