import { type Role, ROLES, type Scope, SCOPES } from '@app/workspace';
import { type CallOptions, startApi, type TestApi, type TestTenant } from '../support/api.js';
import { type ApiDocument, type DescribedOperation, OpenApiContract } from '../support/openapi-contract.js';

/** The weakest caller of each operation: no key, the webhook secret of the agent, or a key of this role. */
const FIRST_CALLER: Readonly<Record<Role | 'nobody' | 'secret', readonly string[]>> = {
  nobody: [
    'beginAuthorization',
    'finishAuthorization',
    'getAgentSchema',
    'getHealth',
    'getMetrics',
    'getOpenApiDocument',
    'getReadiness',
  ],
  secret: ['triggerAgent'],
  viewer: [
    'compareAgentVersions',
    'decideRunApproval',
    'followRun',
    'getAgent',
    'getAgentVersion',
    'getDocument',
    'getEvaluation',
    'getKnowledgeBase',
    'getKnowledgeBaseAccess',
    'getMe',
    'getRun',
    'getSource',
    'getSync',
    'getSyncInBase',
    'getRunApproval',
    'getRunTrace',
    'getUsage',
    'getWorkspace',
    'listAgentVersions',
    'listAgents',
    'listApprovals',
    'listDocuments',
    'listEvents',
    'listKnowledgeBases',
    'listRunApprovals',
    'listRuns',
    'listSources',
    'listSyncs',
    'listTriggerEvents',
    'listTriggers',
    'listVersionEvaluations',
    'searchKnowledgeBase',
    'validateDefinition',
  ],
  operator: ['cancelEvaluation', 'cancelRun', 'evaluateAgentVersion', 'replayRun', 'runTriggerNow', 'startRun'],
  builder: [
    'archiveAgent',
    'authorizeSource',
    'cancelSync',
    'confirmDeletions',
    'changeSource',
    'createSource',
    'deleteSource',
    'pushDocument',
    'removeDocument',
    'syncSource',
    'changeKnowledgeBase',
    'createAgent',
    'createAgentVersion',
    'createKnowledgeBase',
    'createWebhookEndpoint',
    'deleteKnowledgeBase',
    'deleteSecret',
    'deleteWebhookEndpoint',
    'getWebhookDelivery',
    'getWebhookEndpoint',
    'listSecrets',
    'listWebhookDeliveries',
    'listWebhookEndpoints',
    'pauseAgent',
    'promoteAgentVersion',
    'putSecret',
    'replaceKnowledgeBaseAccess',
    'resumeAgent',
    'retryWebhookDelivery',
    'rotateAgentWebhookSecret',
    'rotateWebhookSecret',
    'testWebhookEndpoint',
    'updateWebhookEndpoint',
  ],
  admin: [
    'changeGroup',
    'changeMember',
    'createApiKey',
    'createGroup',
    'createMember',
    'deleteGroup',
    'getApiKey',
    'getGroup',
    'getMember',
    'listApiKeys',
    'listAuditEvents',
    'listGroups',
    'listMembers',
    'removeMember',
    'resumeWorkspace',
    'revokeApiKey',
    'rotateApiKey',
    'stopWorkspace',
  ],
};

/** Operations that a key with a single scope may call, in addition to the public ones and those open to every key. */
const FIRST_SCOPE: Readonly<Record<Scope, readonly string[]>> = {
  'agents:read': [
    'compareAgentVersions',
    'getAgent',
    'getAgentVersion',
    'getEvaluation',
    'listAgentVersions',
    'listAgents',
    'listTriggerEvents',
    'listTriggers',
    'listVersionEvaluations',
    'validateDefinition',
  ],
  'agents:write': [
    'archiveAgent',
    'createAgent',
    'createAgentVersion',
    'pauseAgent',
    'resumeAgent',
    'rotateAgentWebhookSecret',
  ],
  'agents:promote': ['promoteAgentVersion'],
  // `replayRun` is not in this list: it reveals the input of the run, so it also needs `runs:read`.
  'agents:run': ['evaluateAgentVersion', 'runTriggerNow', 'startRun'],
  'runs:read': ['followRun', 'getRun', 'getRunTrace', 'getUsage', 'listEvents', 'listRuns'],
  'runs:cancel': ['cancelEvaluation', 'cancelRun'],
  'runs:reveal': [],
  'approvals:read': ['getRunApproval', 'listApprovals', 'listRunApprovals'],
  'approvals:decide': ['decideRunApproval'],
  'knowledge:read': [
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
    'cancelSync',
    'changeKnowledgeBase',
    'changeSource',
    'confirmDeletions',
    'createKnowledgeBase',
    'createSource',
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
    'retryWebhookDelivery',
    'rotateWebhookSecret',
    'testWebhookEndpoint',
    'updateWebhookEndpoint',
  ],
  'secrets:write': ['deleteSecret', 'listSecrets', 'putSecret'],
  'keys:manage': ['createApiKey', 'getApiKey', 'listApiKeys', 'revokeApiKey', 'rotateApiKey'],
  'members:manage': [
    'changeGroup',
    'changeMember',
    'createGroup',
    'createMember',
    'deleteGroup',
    'getGroup',
    'getMember',
    'listGroups',
    'listMembers',
    'removeMember',
  ],
  'audit:read': ['listAuditEvents'],
  'workspace:stop': ['resumeWorkspace', 'stopWorkspace'],
};

/** Called last, because they change the responses of the other operations. */
const LAST = ['stopWorkspace', 'resumeWorkspace'];

const ID = '01kahzvk3te9d8q6f0f1v3m2sx';

describe('roles', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let operations: DescribedOperation[];

  beforeAll(async () => {
    api = await startApi();
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

  it('are decided for every operation, once', () => {
    const decided = Object.values(FIRST_CALLER).flat().sort();
    expect(decided).toEqual(operations.map(({ operation }) => operation.operationId).sort());
  });

  it.each(ROLES)('%s may call what begins with it or a weaker role, and nothing else', async (role) => {
    const key = await tenant.key(role);
    const weaker = ROLES.slice(0, ROLES.indexOf(role) + 1);
    const mayCall = new Set((['nobody', 'secret', ...weaker] as const).flatMap((each) => FIRST_CALLER[each]));
    for (const described of operations) {
      const { status } = await call(described, key);
      const isAllowed = mayCall.has(described.operation.operationId);
      expect([described.route, status === 403]).toEqual([described.route, !isAllowed]);
    }
  });

  it.each(SCOPES)('of a key that was narrowed to %s open what that scope is about, and nothing else', async (scope) => {
    const body = { name: scope, kind: 'live', role: 'admin', member: 'admin@example.com', scopes: [scope] };
    const { body: made } = await api.call('POST', '/v1/api-keys', { key: tenant.adminKey, body });
    const mayCall = new Set([...FIRST_CALLER.nobody, ...FIRST_CALLER.secret, 'getMe', 'getWorkspace', ...FIRST_SCOPE[scope]]); // prettier-ignore
    for (const described of operations) {
      const { status } = await call(described, made.key);
      const isAllowed = mayCall.has(described.operation.operationId);
      expect([described.route, status === 403]).toEqual([described.route, !isAllowed]);
    }
  });

  it('are nothing without a key', async () => {
    for (const described of operations) {
      const { status } = await call(described);
      const isOpen = FIRST_CALLER.nobody.includes(described.operation.operationId);
      expect([described.route, status === 401]).toEqual([described.route, !isOpen]);
    }
  });
});
