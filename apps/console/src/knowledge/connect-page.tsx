import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { one, type Search } from '../data/search.js';
import { Card, Page } from '../ui/page.js';
import { ConnectForm } from './connect-form.js';
import { ConnectorTiles } from './connector-tiles.js';
import { ConnectedSource } from './connected-source.js';
import styles from './knowledge.module.css';
import { useBase, useConnectors } from './knowledge-queries.js';
import type { Connector } from './knowledge-types.js';
import { OauthRefusal } from './reauthorise.js';

/**
 * Page that adds a source to a knowledge base. After an authorisation at a provider, the browser returns to this page.
 */
export function ConnectPage(): ReactNode {
  const { id = '' } = useParams({ strict: false });
  const search: Search = useSearch({ strict: false });
  const base = useBase(id);
  const connectors = useConnectors();
  const connected = one(search.connected);
  return (
    <Page
      title="Connect a source"
      above={<Above id={id} name={base.data?.name} />}
      busy={base.isPending || connectors.isPending}
      error={base.error ?? connectors.error}
    >
      <OauthRefusal code={one(search.error)} />
      {base.data &&
        connectors.data &&
        (connected === undefined ? (
          <Connect id={id} baseId={base.data.id} connectors={connectors.data.data} wanted={one(search.connector)} />
        ) : (
          <ConnectedSource base={id} source={connected} />
        ))}
    </Page>
  );
}

function Above({ id, name }: { id: string; name: string | undefined }): ReactNode {
  return (
    <>
      <Link to="/knowledge">Knowledge</Link> /{' '}
      <Link to="/knowledge/$id" params={{ id }}>
        {name ?? id}
      </Link>
    </>
  );
}

interface ConnectProps {
  id: string;
  baseId: string;
  connectors: readonly Connector[];
  /** Connector kind to preselect. The page URL contains it after a failed authorisation. */
  wanted: string | undefined;
}

function Connect({ id, baseId, connectors, wanted }: ConnectProps): ReactNode {
  const [kind, setKind] = useState(wanted ?? 'website');
  // Uploads need no form: the zone on the page of the base adds their source.
  const offered = connectors.filter((connector) => connector.kind !== 'upload');
  const chosen = offered.find((connector) => connector.kind === kind) ?? offered[0];
  return (
    <div className={styles.stack}>
      <ConnectorTiles connectors={offered} chosen={chosen?.kind} onChoose={setKind} />
      {chosen && (
        <Card title={chosen.title}>
          <p className={styles.second}>{authorisationText(chosen)}</p>
          <ConnectForm key={chosen.kind} id={id} baseId={baseId} connector={chosen} />
        </Card>
      )}
    </div>
  );
}

function authorisationText({ auth, title }: Connector): string {
  if (auth === 'oauth') return `You grant the permission at ${title} in this tab. Then you return to this page.`;
  if (auth === 'secret') return 'The connector uses a credential from the secrets of the workspace.';
  return 'The connector needs no credential.';
}
