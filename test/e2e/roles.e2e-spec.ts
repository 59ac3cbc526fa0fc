import { type Role, ROLES, type Scope, SCOPES } from '@app/workspace';
import { ConsoleClient } from '../support/console-client.js';
import { type ApiDocument, type DescribedOperation, OpenApiContract } from '../support/openapi-contract.js';
import type { CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

/** Operations that a caller without a key may call. */
const OPEN: readonly string[] = [
  'allowWebhookSender',
  'authorizeMcpClient',
  'beginAuthorization',
  'beginOidcSignIn',
  'callCallback',
  'decideAuthorization',
  'finishOidcSignIn',
  'finishAuthorization',
  'getAgentSchema',
  'getHealth',
  'getMcpAuthorResourceMetadata',
  'getMcpAuthorizationServer',
  'getMcpResourceMetadata',
  'getMetrics',
  'getOpenApiDocument',
  'getReadiness',
  'getSignInMethods',
  'issueMcpToken',
  'openFileLink',
  'redeemCliCode',
  'registerMcpClient',
  'requestSignInMail',
  'revokeMcpToken',
  'signInWithCode',
  'signInWithKey',
  'signInWithLink',
  'signOut',
];
/** Operations that a caller with the webhook secret of the agent may call. */
const WITH_SECRET: readonly string[] = ['triggerAgent', 'verifyWebhook'];
/** Operations that every key and every session may call, whatever its scopes are. */
const WITHOUT_SCOPE: readonly string[] = [
  'authorizeCli',
  'callMcpServer',
  'decideMcpAccessRequest',
  'endSession',
  'getMcpAccessRequest',
  'getMe',
  'getWorkspace',
  'listSessions',
  'switchWorkspace',
];

/** The weakest role that has a scope. */
const FIRST_ROLE: Readonly<Record<Scope, Role>> = {
  'agents:read': 'viewer',
  'runs:read': 'viewer',
  'approvals:read': 'viewer',
  'approvals:decide': 'viewer',
  'knowledge:read': 'viewer',
  'connections:read': 'viewer',
  'files:read': 'viewer',
  'agents:run': 'operator',
  'runs:cancel': 'operator',
  'files:write': 'operator',
  'agents:write': 'builder',
  'agents:promote': 'builder',
  'knowledge:write': 'builder',
  'knowledge:grant': 'builder',
  'webhooks:manage': 'builder',
  'secrets:write': 'builder',
  'connections:write': 'builder',
  'runs:reveal': 'admin',
  'keys:manage': 'admin',
  'members:manage': 'admin',
  'audit:read': 'admin',
  'workspace:stop': 'admin',
};

/** Operations that a key with only this scope may call, in addition to those that every key may call. */
const FIRST_SCOPE: Readonly<Record<Scope, readonly string[]>> = {
  'agents:read': [
    'compareAgentVersions',
    'compareDefinition',
    'getAgent',
    'getAgentVersion',
    'getEvaluation',
    'getFixture',
    'listAgentState',
    'listAgentVersions',
    'listAgents',
    'listFixtures',
    'listModels',
    'listTriggerEvents',
    'listTriggers',
    'listVersionEvaluations',
    'listWorkspaceState',
    'validateDefinition',
  ],
  'agents:write': [
    'callAuthoringServer',
    'archiveAgent',
    'checkModel',
    'createAgent',
    'createAgentVersion',
    'deleteAgentState',
    'deleteFixture',
    'deleteWorkspaceState',
    'pauseAgent',
    'putFixture',
    'resumeAgent',
    'rotateAgentWebhookSecret',
  ],
  'agents:promote': ['promoteAgentVersion'],
  // `createBulkAction` also needs the scope of its action.
  'agents:run': ['createBulkAction', 'evaluateAgentVersion', 'runTriggerNow', 'startRun'],
  'runs:read': [
    'followRun',
    'getBulkAction',
    'getRun',
    'getRunPlan',
    'getRunTrace',
    'listRunFiles',
    'getRunTraceStep',
    'getRunTranscript',
    'getErrorGroups',
    'getRunStatistics',
    'getUsage',
    'listEvents',
    'listRuns',
    // Shared views also need `agents:run`.
    'changeSavedView',
    'createSavedView',
    'deleteSavedView',
    'getSavedView',
    'listSavedViews',
  ],
  'runs:cancel': ['cancelEvaluation', 'cancelRun', 'createBulkAction'],
  'runs:reveal': [],
  'approvals:read': ['getApproval', 'getRunApproval', 'listApprovals', 'listRunApprovals'],
  'approvals:decide': ['decideRunApproval'],
  'knowledge:read': [
    'listConnectors',
    'getDocument',
    'getKnowledgeBase',
    'getKnowledgeBaseAccess',
    'getSource',
    'getSync',
    'getSyncInBase',
    'listDocuments',
    'listKnowledgeBases',
    'listSources',
    'listSyncs',
    'searchKnowledgeBase',
  ],
  'knowledge:write': [
    'authorizeSource',
    'listSourceScopes',
    'cancelSync',
    'changeKnowledgeBase',
    'changeSource',
    'confirmDeletions',
    'createKnowledgeBase',
    'createSource',
    'testSource',
    'deleteKnowledgeBase',
    'deleteSource',
    'pushDocument',
    'removeDocument',
    'syncSource',
  ],
  'knowledge:grant': ['replaceKnowledgeBaseAccess'],
  'webhooks:manage': [
    'createWebhookEndpoint',
    'deleteWebhookEndpoint',
    'getWebhookDelivery',
    'getWebhookEndpoint',
    'listWebhookDeliveries',
    'listWebhookEndpoints',
    'retryWebhookDeliveries',
    'retryWebhookDelivery',
    'rotateWebhookSecret',
    'testWebhookEndpoint',
    'updateWebhookEndpoint',
  ],
  'connections:read': ['getConnection', 'listConnectionProviders', 'listConnections'],
  'connections:write': ['authorizeConnection', 'changeConnection', 'createConnection', 'deleteConnection'],
  'files:read': ['downloadFile', 'getFile', 'listFiles', 'readFileText'],
  'files:write': ['createFileLink', 'deleteFile', 'revokeFileLinks', 'uploadFile'],
  'secrets:write': ['deleteSecret', 'listSecrets', 'putSecret'],
  'keys:manage': [
    'createApiKey',
    'createOauthClient',
    'deleteOauthClient',
    'getApiKey',
    'listApiKeys',
    'listOauthClients',
    'revokeApiKey',
    'rotateApiKey',
  ],
  'members:manage': [
    'changeGroup',
    'changeMember',
    'createGroup',
    'createMember',
    'deleteGroup',
    'getGroup',
    'getMember',
    'inviteMember',
    'listGroups',
    'listMembers',
    'removeMember',
  ],
  'audit:read': ['listAuditEvents'],
  'workspace:stop': ['resumeWorkspace', 'stopWorkspace'],
};

/**
 * Operations that need two scopes, with the weakest role that has both. `readChanges` shows runs and approvals,
 * `replayRun` reveals the input of the run, and `startDraftRun` receives a definition.
 */
const WITH_TWO_SCOPES: Readonly<Record<string, Role>> = {
  readChanges: 'viewer',
  replayRun: 'operator',
  startDraftRun: 'builder',
};

/** Returns the operations that a key or a session of a role may call. */
function operationsOf(role: Role): ReadonlySet<string> {
  const includes = (first: Role): boolean => ROLES.indexOf(first) <= ROLES.indexOf(role);
  return new Set([
    ...OPEN,
    ...WITH_SECRET,
    ...WITHOUT_SCOPE,
    ...SCOPES.filter((scope) => includes(FIRST_ROLE[scope])).flatMap((scope) => FIRST_SCOPE[scope]),
    ...Object.keys(WITH_TWO_SCOPES).filter((id) => includes(WITH_TWO_SCOPES[id]!)),
  ]);
}

/**
 * Operations that a test key may not call, because they change what production runs use, show a secret, or begin or
 * resume work in production.
 */
const NOT_BY_TEST_KEY: readonly string[] = [
  'archiveAgent',
  'checkModel',
  'createAgent',
  'promoteAgentVersion',
  'resumeAgent',
  'rotateAgentWebhookSecret',
  'deleteFixture',
  'putFixture',
  'deleteAgentState',
  'deleteWorkspaceState',
  'authorizeConnection',
  'changeConnection',
  'createConnection',
  'deleteConnection',
  'authorizeSource',
  'changeKnowledgeBase',
  'changeSource',
  'confirmDeletions',
  'createKnowledgeBase',
  'createSource',
  'testSource',
  'deleteKnowledgeBase',
  'deleteSource',
  'deleteFile',
  'pushDocument',
  'removeDocument',
  'replaceKnowledgeBaseAccess',
  'syncSource',
  'changeGroup',
  'createGroup',
  'deleteGroup',
  'changeSavedView',
  'createSavedView',
  'deleteSavedView',
  'changeMember',
  'createMember',
  'inviteMember',
  'removeMember',
  'createOauthClient',
  'deleteOauthClient',
  'deleteSecret',
  'putSecret',
  'createWebhookEndpoint',
  'deleteWebhookEndpoint',
  'retryWebhookDeliveries',
  'retryWebhookDelivery',
  'rotateWebhookSecret',
  'testWebhookEndpoint',
  'updateWebhookEndpoint',
  'resumeWorkspace',
];

/**
 * The other operations with a method other than GET. They change nothing, only stop work, or check in the service that
 * a test key affects only test keys and runs in mode `test`.
 */
const BY_TEST_KEY: readonly string[] = [
  'callMcpServer',
  'callAuthoringServer',
  'compareDefinition',
  'searchKnowledgeBase',
  'validateDefinition',
  'cancelEvaluation',
  'cancelRun',
  'cancelSync',
  'endSession',
  'pauseAgent',
  'revokeApiKey',
  'stopWorkspace',
  'switchWorkspace',
  'authorizeCli',
  'decideMcpAccessRequest',
  'createAgentVersion',
  'createApiKey',
  'createBulkAction',
  'decideRunApproval',
  'evaluateAgentVersion',
  'replayRun',
  'rotateApiKey',
  'runTriggerNow',
  'startDraftRun',
  'startRun',
  'uploadFile',
  'createFileLink',
  'revokeFileLinks',
];

/** Operations that take only an API key, and ignore cookies. */
const WITHOUT_SESSION = ['callMcpServer', 'callAuthoringServer'];

/** Operations that the test calls last, because they change the responses of the other operations. */
const LAST = ['stopWorkspace', 'resumeWorkspace'];

const ID = '01kahzvk3te9d8q6f0f1v3m2sx';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('roles', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let operations: DescribedOperation[];

  beforeAll(async () => {
    api = await sharedApi();
    tenant = await api.newTenant();
    const contract = new OpenApiContract((await api.call('GET', '/v1/openapi.json')).body as ApiDocument);
    const isLast = ({ operation }: DescribedOperation) => LAST.includes(operation.operationId);
    operations = contract.operations().sort((a, b) => Number(isLast(a)) - Number(isLast(b)));
  });

  afterAll(() => api.close());

  const call = ({ method, path }: DescribedOperation, key?: string) => {
    const options: CallOptions = key === undefined ? {} : { key };
    if (method !== 'GET' && method !== 'DELETE') options.body = {};
    return api.call(method, path.replace(/\{\w+\}/g, ID), options);
  };

  it('are decided for every operation', () => {
    const decided = [...operationsOf('admin')].sort();
    expect(decided).toEqual(operations.map(({ operation }) => operation.operationId).sort());
  });

  it.each(ROLES)('%s may call what begins with it or a weaker role, and nothing else', async (role) => {
    const key = await tenant.key(role);
    const mayCall = operationsOf(role);
    for (const described of operations) {
      const { status } = await call(described, key);
      const isAllowed = mayCall.has(described.operation.operationId);
      expect([described.route, status === 403]).toEqual([described.route, !isAllowed]);
    }
  });

  it('of a key with these scopes only open what one of them is about', async () => {
    const keys = new Map<string, string>();
    const keyOf = async (scopes: readonly Scope[]): Promise<string> => {
      const name = scopes.join();
      if (!keys.has(name)) {
        const body = { name: `key ${keys.size}`, kind: 'live', role: 'admin', member: 'admin@example.com', scopes };
        keys.set(name, (await api.call('POST', '/v1/api-keys', { key: tenant.adminKey, body })).body.key);
      }
      return keys.get(name)!;
    };
    const isRefused = async (described: DescribedOperation, scopes: readonly Scope[]) =>
      [described.route, scopes, (await call(described, await keyOf(scopes))).status === 403] as const;
    for (const described of operations) {
      const { route, operation } = described;
      const opening = SCOPES.filter((scope) => FIRST_SCOPE[scope].includes(operation.operationId));
      for (const scope of opening) expect(await isRefused(described, [scope])).toEqual([route, [scope], false]);
      // A key with more scopes opens more, so none of these scopes alone opens the operation.
      const others = SCOPES.filter((scope) => !opening.includes(scope));
      if (opening.length > 0) expect(await isRefused(described, others)).toEqual([route, others, true]);
      if (WITHOUT_SCOPE.includes(operation.operationId))
        expect(await isRefused(described, ['agents:read'])).toEqual([route, ['agents:read'], false]);
      if (operation.operationId in WITH_TWO_SCOPES)
        for (const scope of SCOPES) expect(await isRefused(described, [scope])).toEqual([route, [scope], true]);
    }
  });

  it('may call the same in a session: the weakest role may, and the next weaker role may not', async () => {
    const may = ROLES.map(operationsOf);
    const pages = new Map<Role, ConsoleClient>();
    for (const role of ROLES) {
      const page = new ConsoleClient(api);
      await page.signIn(await tenant.key(role));
      pages.set(role, page);
    }
    for (const { method, path, route, operation } of operations) {
      if (operation.operationId === 'signOut' || WITHOUT_SESSION.includes(operation.operationId)) continue;
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      const weakest = may.findIndex((mayCall) => mayCall.has(operation.operationId));
      for (const role of ROLES.slice(Math.max(0, weakest - 1), weakest + 1)) {
        const { status } = await pages.get(role)!.call(method, path.replace(/\{\w+\}/g, ID), body);
        expect([route, role, status === 403]).toEqual([route, role, role !== ROLES[weakest]]);
      }
    }
    for (const page of pages.values()) expect((await page.call('GET', '/v1/me')).status).toBe(200);
  });

  it('of test keys are decided for every operation that may change something, once', () => {
    const isOpen = new Set([...OPEN, ...WITH_SECRET]);
    const changing = operations.filter(
      ({ method, operation }) => method !== 'GET' && !isOpen.has(operation.operationId),
    );
    const decided = [...NOT_BY_TEST_KEY, ...BY_TEST_KEY].sort();
    expect(decided).toEqual(changing.map(({ operation }) => operation.operationId).sort());
  });

  it('of a test key, and of its session, open nothing that causes effects in production', async () => {
    const key = await tenant.key('admin', 'test');
    const page = new ConsoleClient(api);
    await page.signIn(key);
    for (const described of operations) {
      const { method, path, route, operation } = described;
      // Attempts to sign in have nothing to do with the key.
      if (OPEN.includes(operation.operationId)) continue;
      const isRefused = NOT_BY_TEST_KEY.includes(operation.operationId);
      const code = isRefused ? 'test_key_production_mode' : expect.not.stringMatching(/^test_key_production_mode$/);
      const answer = await call(described, key);
      expect([route, answer.body?.code ?? 'none']).toEqual([route, code]);
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      const inPage = await page.call(method, path.replace(/\{\w+\}/g, ID), body);
      expect([route, inPage.body?.code ?? 'none']).toEqual([route, code]);
    }
  });

  it('are nothing in a session that another site uses, or that a form uses', async () => {
    const page = new ConsoleClient(api);
    await page.signIn(tenant.adminKey);
    const foreign = page.as({ 'Sec-Fetch-Site': 'cross-site', 'X-AAS-Console': '1' });
    const form = page.as({ 'Sec-Fetch-Site': 'same-origin' });
    const isOpen = new Set([...OPEN, ...WITH_SECRET]);
    for (const { method, path, route, operation } of operations) {
      const address = path.replace(/\{\w+\}/g, ID);
      const needsCaller = !isOpen.has(operation.operationId);
      if (WITHOUT_SESSION.includes(operation.operationId)) continue;
      const crossSite = await foreign.call(method, address, method === 'GET' || method === 'DELETE' ? undefined : {});
      const isSignIn = method === 'POST' && path.startsWith('/auth/') && !path.startsWith('/auth/oauth/');
      expect([route, crossSite.body.code === 'cross_site']).toEqual([route, needsCaller || isSignIn]);
      if (method === 'GET' || !needsCaller) continue;
      const sent = await form.call(method, address, method === 'DELETE' ? undefined : 'a=b', FORM);
      expect([route, sent.body.code]).toEqual([route, 'cross_site']);
    }
    expect((await page.call('GET', '/v1/me')).status).toBe(200);
  });

  it('are nothing without a key', async () => {
    for (const described of operations) {
      const { status } = await call(described);
      const isOpen = OPEN.includes(described.operation.operationId);
      expect([described.route, status === 401]).toEqual([described.route, !isOpen]);
    }
  });
});
