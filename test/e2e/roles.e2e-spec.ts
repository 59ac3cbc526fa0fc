import { type Role, ROLES } from '@app/workspace';
import { type CallOptions, startApi, type TestApi, type TestTenant } from '../support/api.js';
import { type ApiDocument, type DescribedOperation, OpenApiContract } from '../support/openapi-contract.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

/** Who may call an operation: anybody, whoever has the agent's webhook secret, or a key of this role or a stronger one. */
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

/** Called last: they change what the other calls answer. */
const LAST = ['stopWorkspace', 'resumeWorkspace'];

const ID = '01kahzvk3te9d8q6f0f1v3m2sx';

describe('roles', () => {
  let database: TestDatabase;
  let api: TestApi;
  let tenant: TestTenant;
  let operations: DescribedOperation[];

  beforeAll(async () => {
    database = await createTestDatabase();
    api = await startApi({ databaseUrl: database.url });
    tenant = await api.newTenant();
    const contract = new OpenApiContract((await api.call('GET', '/v1/openapi.json')).body as ApiDocument);
    const isLast = ({ operation }: DescribedOperation) => LAST.includes(operation.operationId);
    operations = contract.operations().sort((a, b) => Number(isLast(a)) - Number(isLast(b)));
  });

  afterAll(async () => {
    await api.close();
    await database.drop();
  });

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

  it('are nothing without a key', async () => {
    for (const described of operations) {
      const { status } = await call(described);
      const isOpen = FIRST_CALLER.nobody.includes(described.operation.operationId);
      expect([described.route, status === 401]).toEqual([described.route, !isOpen]);
    }
  });
});
