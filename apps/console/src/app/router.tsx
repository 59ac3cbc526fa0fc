import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { OverviewPage } from '../overview/overview-page.js';
import { RunsPage } from '../runs/runs-page.js';
import { NotFound, Page, PageFailure } from '../ui/page.js';
import { parseSearch, type Search, stringifySearch } from '../data/search.js';
import { lazyPage } from './page-chunks.js';
import { Shell } from './shell.js';

const root = createRootRoute({ notFoundComponent: NotFound, validateSearch: (search): Search => search as Search });
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });
const inShell = () => shell;

/** A page whose code is loaded when it is opened. */
function page<const Path extends string, Module extends Record<string, unknown>, Name extends keyof Module & string>(
  path: Path,
  load: () => Promise<Module>,
  name: Name,
) {
  return createRoute({ getParentRoute: inShell, path, component: lazyPage(load, name) });
}

const routes = [
  createRoute({ getParentRoute: inShell, path: '/', component: OverviewPage }),
  createRoute({ getParentRoute: inShell, path: '/runs', component: RunsPage }),
  page('/runs/$id', () => import('../run/run-page.js'), 'RunPage'),
  page('/runs/errors', () => import('../runs/errors-page.js'), 'ErrorsPage'),
  page('/runs/bulk/$id', () => import('../bulk/bulk-page.js'), 'BulkPage'),
  page('/approvals', () => import('../approvals/approvals-page.js'), 'ApprovalsPage'),
  page('/approvals/$id', () => import('../approvals/approval-page.js'), 'ApprovalPage'),
  page('/agents', () => import('../agents/agents-page.js'), 'AgentsPage'),
  page('/agents/$id', () => import('../agents/agent-page.js'), 'AgentPage'),
  page('/agents/new', () => import('../editor/edit-page.js'), 'NewAgentPage'),
  page('/agents/$id/edit', () => import('../editor/edit-page.js'), 'EditAgentPage'),
  page('/agents/$id/compare/$range', () => import('../compare/compare-page.js'), 'ComparePage'),
  page('/evaluations/$id', () => import('../evaluations/evaluation-page.js'), 'EvaluationPage'),
  page('/knowledge', () => import('../knowledge/knowledge-page.js'), 'KnowledgePage'),
  page('/knowledge/$id', () => import('../knowledge/base-page.js'), 'BasePage'),
  page('/knowledge/$id/connect', () => import('../knowledge/connect-page.js'), 'ConnectPage'),
  page('/stop', () => import('../stop/stop-page.js'), 'StopPage'),
  page('/settings', () => import('../settings/settings-page.js'), 'SettingsPage'),
  page('/settings/sessions', () => import('../settings/sessions-page.js'), 'SessionsPage'),
  page('/settings/members', () => import('../settings/members-page.js'), 'MembersPage'),
  page('/settings/mcp', () => import('../settings/mcp-page.js'), 'McpPage'),
  page('/settings/groups', () => import('../settings/groups-page.js'), 'GroupsPage'),
  page('/settings/keys', () => import('../settings/keys-page.js'), 'KeysPage'),
  page('/settings/secrets', () => import('../settings/secrets-page.js'), 'SecretsPage'),
  page('/settings/files', () => import('../settings/files-page.js'), 'FilesPage'),
  page('/settings/connections', () => import('../settings/connections-page.js'), 'ConnectionsPage'),
  page('/settings/webhooks', () => import('../settings/webhooks-page.js'), 'WebhooksPage'),
  page('/settings/webhooks/$id', () => import('../settings/webhook-page.js'), 'WebhookPage'),
  page('/settings/audit', () => import('../settings/audit-page.js'), 'AuditPage'),
  page('/usage', () => import('../usage/usage-page.js'), 'UsagePage'),
  page('/cli', () => import('../cli/cli-page.js'), 'CliPage'),
  page('/consent', () => import('../consent/consent-page.js'), 'ConsentPage'),
] as const;

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyPage(() => import('../sign-in/sign-in-page.js'), 'SignInPage'),
});
/** Route for unknown paths. It is a child of the shell, so that the navigation stays visible. */
const unknown = createRoute({ getParentRoute: inShell, path: '$', component: NotFound });

export const router = createRouter({
  routeTree: root.addChildren([shell.addChildren([...routes, unknown]), signIn]),
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 300,
  defaultPendingComponent: () => <Page title="Loading" busy />,
  defaultErrorComponent: ({ error }) => <PageFailure error={error} />,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
