import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { NotFound, Page, PageFailure } from '../ui/page.js';
import { parseSearch, type Search, stringifySearch } from '../data/search.js';
import { lazyPage } from './page-chunks.js';
import { Shell } from './shell.js';

const root = createRootRoute({ notFoundComponent: NotFound, validateSearch: (search): Search => search as Search });
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });
const inShell = () => shell;

const routes = [
  createRoute({
    getParentRoute: inShell,
    path: '/',
    component: lazyPage(() => import('../overview/overview-page.js'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/runs',
    component: lazyPage(() => import('../runs/runs-page.js'), 'RunsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/runs/$id',
    component: lazyPage(() => import('../run/run-page.js'), 'RunPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/runs/errors',
    component: lazyPage(() => import('../runs/errors-page.js'), 'ErrorsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/runs/bulk/$id',
    component: lazyPage(() => import('../bulk/bulk-page.js'), 'BulkPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/approvals',
    component: lazyPage(() => import('../approvals/approvals-page.js'), 'ApprovalsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/approvals/$id',
    component: lazyPage(() => import('../approvals/approval-page.js'), 'ApprovalPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/agents',
    component: lazyPage(() => import('../agents/agents-page.js'), 'AgentsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/agents/$id',
    component: lazyPage(() => import('../agents/agent-page.js'), 'AgentPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/agents/new',
    component: lazyPage(() => import('../editor/edit-page.js'), 'NewAgentPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/agents/$id/edit',
    component: lazyPage(() => import('../editor/edit-page.js'), 'EditAgentPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/agents/$id/compare/$range',
    component: lazyPage(() => import('../compare/compare-page.js'), 'ComparePage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/evaluations/$id',
    component: lazyPage(() => import('../evaluations/evaluation-page.js'), 'EvaluationPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/knowledge',
    component: lazyPage(() => import('../knowledge/knowledge-page.js'), 'KnowledgePage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/knowledge/$id',
    component: lazyPage(() => import('../knowledge/base-page.js'), 'BasePage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/knowledge/$id/connect',
    component: lazyPage(() => import('../knowledge/connect-page.js'), 'ConnectPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/stop',
    component: lazyPage(() => import('../stop/stop-page.js'), 'StopPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings',
    component: lazyPage(() => import('../settings/settings-page.js'), 'SettingsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/sessions',
    component: lazyPage(() => import('../settings/sessions-page.js'), 'SessionsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/members',
    component: lazyPage(() => import('../settings/members-page.js'), 'MembersPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/mcp',
    component: lazyPage(() => import('../settings/mcp-page.js'), 'McpPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/groups',
    component: lazyPage(() => import('../settings/groups-page.js'), 'GroupsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/keys',
    component: lazyPage(() => import('../settings/keys-page.js'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/secrets',
    component: lazyPage(() => import('../settings/secrets-page.js'), 'SecretsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/files',
    component: lazyPage(() => import('../settings/files-page.js'), 'FilesPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/connections',
    component: lazyPage(() => import('../settings/connections-page.js'), 'ConnectionsPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/webhooks',
    component: lazyPage(() => import('../settings/webhooks-page.js'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/webhooks/$id',
    component: lazyPage(() => import('../settings/webhook-page.js'), 'WebhookPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/settings/audit',
    component: lazyPage(() => import('../settings/audit-page.js'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/usage',
    component: lazyPage(() => import('../usage/usage-page.js'), 'UsagePage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/cli',
    component: lazyPage(() => import('../cli/cli-page.js'), 'CliPage'),
  }),
  createRoute({
    getParentRoute: inShell,
    path: '/consent',
    component: lazyPage(() => import('../consent/consent-page.js'), 'ConsentPage'),
  }),
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
