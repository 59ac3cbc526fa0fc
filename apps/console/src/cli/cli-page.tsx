import { useMutation } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Caller } from '../data/api.js';
import type { Search } from '../data/search.js';
import { useCaller } from '../data/session.js';
import { Button } from '../ui/button.js';
import { formatDay } from '../ui/format-values.js';
import { Card, Facts, Page } from '../ui/page.js';
import { AlertBox, ProblemAlert } from '../ui/problem.js';
import { ShownOnce } from '../ui/copy-button.js';
import { useNow } from '../ui/time.js';
import { type CliRequest, cliRequest, faultOf, listenerUrl } from './cli-request.js';

/** The browser part of `aas login`. Creates a single-use code that the CLI exchanges for an API key. */
export function CliPage(): ReactNode {
  const search: Search = useSearch({ strict: false });
  const request = cliRequest(search);
  const caller = useCaller();
  const fault = faultOf(request);
  return (
    <Page title="Authorise the command line" busy={caller === undefined}>
      {fault !== undefined && (
        <AlertBox
          title="The address is not valid"
          detail={fault}
          remedy="Run `aas login` again, and open the address that the command prints."
        />
      )}
      {fault === undefined && caller && <Authorisation request={request} caller={caller} />}
    </Page>
  );
}

const KEY_MILLIS = 90 * 86_400_000;

function Authorisation({ request, caller }: { request: CliRequest; caller: Caller }): ReactNode {
  const { name, challenge, port } = request;
  const expiry = new Date(useNow(60_000) + KEY_MILLIS).toISOString();
  const authorise = useMutation({
    mutationFn: () => aas.auth.authorizeCli({ challenge, name }),
    onSuccess: ({ code }) => {
      if (port !== undefined) location.assign(listenerUrl(request, code));
    },
  });
  return (
    <Card title="Request">
      <p>
        The CLI on <strong dir="auto">{name}</strong> requests an API key that acts for you.
      </p>
      <Facts
        facts={[
          ['Host', <bdi key="host">{name}</bdi>],
          ['Service', location.host],
          ['Workspace', caller.workspace.name],
          ['Member', caller.member],
          ['Role', caller.role],
          ['Expires', <Expiry key="expiry" caller={caller} at={expiry} />],
        ]}
      />
      <p>
        Authorise the CLI only if you have just run <code>aas login</code> yourself.
      </p>
      <ProblemAlert error={authorise.error} />
      {authorise.data && port === undefined && (
        <ShownOnce label="Code" text={authorise.data.code}>
          Paste this code into the terminal. It works once, within 60 seconds.
        </ShownOnce>
      )}
      {authorise.data && port !== undefined && <p role="status">Authorised. Continue in the terminal.</p>}
      <div>
        <Button
          look="primary"
          refusal={authorise.isPending ? 'The service has not responded yet.' : null}
          onClick={() => authorise.mutate()}
        >
          Authorise
        </Button>
      </div>
    </Card>
  );
}

function Expiry({ caller, at }: { caller: Caller; at: string }): ReactNode {
  return (
    <>
      <time dateTime={at}>{formatDay(at)}</time>, in 90 days
      {caller.session?.method === 'key' && ', or with the API key that you signed in with'}
    </>
  );
}
