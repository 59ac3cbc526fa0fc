import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from './page.js';

export function NotFound(): ReactNode {
  return (
    <Page title="Not found">
      <p>
        The console has no page at this address. Check the address, or start from the <Link to="/">overview</Link>.
      </p>
    </Page>
  );
}

/** Shown if a page fails to load or render, for example because the console was updated while the page was open. */
export function PageFailure({ error }: { error: unknown }): ReactNode {
  return (
    <Page title="The page cannot be shown" error={error}>
      <p>
        <a href={location.href}>Load the page again</a>. The console may have been updated.
      </p>
    </Page>
  );
}
