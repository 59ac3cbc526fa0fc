import type { ReactNode } from 'react';
import { CopyButton } from '../ui/copy-button.js';
import { Disclosure } from '../ui/page.js';
import { ConnectProvider, type Provider, providerUse, useAllProviders } from './connection-dialogs.js';
import styles from './settings.module.css';

export function ProviderTiles({ refusal }: { refusal: string | null }): ReactNode {
  const providers = useAllProviders();
  if (providers === undefined) return null;
  return (
    <ul className={styles.providers} aria-label="Providers">
      {providers.map((provider) => (
        <li key={provider.name}>
          <strong>{provider.title}</strong>
          <p>{providerUse(provider)}</p>
          {provider.available ? (
            <ConnectProvider provider={provider} refusal={refusal} />
          ) : (
            <OperatorSettings provider={provider} />
          )}
        </li>
      ))}
    </ul>
  );
}

function OperatorSettings({ provider: { name, title } }: { provider: Provider }): ReactNode {
  const secret = `${name.toUpperCase()}_CLIENT_SECRET`;
  const settings = `${secret}=<client secret>
OAUTH_PROVIDERS='providers: { ${name}: { client_id: <client id>, client_secret_env: ${secret} } }'`;
  return (
    <>
      <p>
        Ask the operator to set <code>OAUTH_PROVIDERS</code> and <code>{secret}</code>.
      </p>
      <Disclosure summary={`Settings for ${title}`}>
        <p>
          Register the service at {title} with the redirect address <code>{REDIRECT}</code>. Then add these variables
          and start the service again. One <code>OAUTH_PROVIDERS</code> can name several providers.
        </p>
        <pre>{settings}</pre>
        <CopyButton text={settings} name="Copy variables" />
      </Disclosure>
    </>
  );
}

const REDIRECT = `${location.origin}/v1/oauth/callback`;
