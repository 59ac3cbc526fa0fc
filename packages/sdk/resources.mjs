/**
 * The resources of the client, with the operation that each method calls. `generate.mjs` makes a class of each. Methods
 * with parameters of their own are in `src`, in a class that extends the generated one (`isExtended`).
 */
export const RESOURCES = {
  agents: {
    isExtended: true,
    text: 'Agents of the workspace. Methods take the id or the name of an agent.',
    methods: {
      list: 'listAgents',
      get: 'getAgent',
      archive: 'archiveAgent',
      pause: 'pauseAgent',
      resume: 'resumeAgent',
      listState: 'listAgentState',
      deleteState: 'deleteAgentState',
      rotateWebhookSecret: 'rotateAgentWebhookSecret',
    },
  },
  versions: {
    isExtended: true,
    text: 'Versions of agents.',
    methods: {
      list: 'listAgentVersions',
      get: 'getAgentVersion',
      compare: 'compareAgentVersions',
      promote: 'promoteAgentVersion',
      evaluate: 'evaluateAgentVersion',
    },
  },
  evaluations: {
    text: 'Evaluations of agent versions.',
    methods: { list: 'listVersionEvaluations', get: 'getEvaluation', cancel: 'cancelEvaluation' },
  },
  definitions: {
    isExtended: true,
    text: 'Definitions that are not stored as a version of an agent: validation, draft runs and the schema.',
    methods: { run: 'startDraftRun' },
  },
  triggers: {
    isExtended: true,
    text: 'Triggers of agents.',
    methods: { list: 'listTriggers', listEvents: 'listTriggerEvents', run: 'runTriggerNow' },
  },
  bulkActions: {
    isExtended: true,
    text: 'Bulk actions, which cancel or replay many runs.',
    methods: { get: 'getBulkAction' },
  },
  approvals: {
    isExtended: true,
    text: 'Approvals and questions that runs wait for.',
    methods: { list: 'listApprovals', get: 'getApproval', listOfRun: 'listRunApprovals', getOfRun: 'getRunApproval' },
  },
  knowledgeBases: {
    text: 'Knowledge bases of the workspace. Methods take the id or the name of a knowledge base.',
    methods: {
      list: 'listKnowledgeBases',
      create: 'createKnowledgeBase',
      get: 'getKnowledgeBase',
      update: 'changeKnowledgeBase',
      delete: 'deleteKnowledgeBase',
      search: 'searchKnowledgeBase',
      getAccess: 'getKnowledgeBaseAccess',
      replaceAccess: 'replaceKnowledgeBaseAccess',
    },
  },
  connectors: {
    text: 'Connectors. Each one reads one kind of system into a knowledge base.',
    methods: { list: 'listConnectors' },
  },
  models: {
    text: 'Models of language model providers.',
    methods: { list: 'listModels', check: 'checkModel' },
  },
  sources: {
    text: 'Sources of knowledge bases. A source is a configured connector.',
    methods: {
      list: 'listSources',
      create: 'createSource',
      get: 'getSource',
      update: 'changeSource',
      delete: 'deleteSource',
      authorize: 'authorizeSource',
      test: 'testSource',
      scopes: 'listSourceScopes',
      sync: 'syncSource',
    },
  },
  syncs: {
    text: 'Syncs of sources. A sync copies the documents of a source into the knowledge base.',
    methods: {
      list: 'listSyncs',
      get: 'getSync',
      getInBase: 'getSyncInBase',
      cancel: 'cancelSync',
      confirmDeletions: 'confirmDeletions',
    },
  },
  documents: {
    isExtended: true,
    text: 'Documents of knowledge bases.',
    methods: { list: 'listDocuments', get: 'getDocument', remove: 'removeDocument' },
  },
  me: {
    text: 'The caller: a member who uses an API key or a session.',
    methods: { get: 'getMe' },
  },
  auth: {
    text: 'Sign-in of people. A session is stored in a cookie, so these methods are for browsers. The exception is `redeemCliCode`.',
    methods: {
      methods: 'getSignInMethods',
      link: 'signInWithLink',
      key: 'signInWithKey',
      email: 'requestSignInMail',
      verifyEmail: 'signInWithCode',
      signOut: 'signOut',
      authorizeCli: 'authorizeCli',
      redeemCliCode: 'redeemCliCode',
    },
  },
  sessions: {
    text: 'Sessions of the caller. Each session belongs to a browser in which the caller has signed in.',
    methods: { list: 'listSessions', end: 'endSession', switch: 'switchWorkspace' },
  },
  workspace: {
    isExtended: true,
    text: 'The workspace and its emergency stop.',
    methods: {
      get: 'getWorkspace',
      resume: 'resumeWorkspace',
      listState: 'listWorkspaceState',
      deleteState: 'deleteWorkspaceState',
    },
  },
  members: {
    text: 'Members of the workspace.',
    methods: {
      list: 'listMembers',
      create: 'createMember',
      get: 'getMember',
      update: 'changeMember',
      delete: 'removeMember',
      invite: 'inviteMember',
    },
  },
  groups: {
    text: 'Groups of members. A group can be an approver, and can be a reader of knowledge bases.',
    methods: {
      list: 'listGroups',
      create: 'createGroup',
      get: 'getGroup',
      update: 'changeGroup',
      delete: 'deleteGroup',
    },
  },
  savedViews: {
    text: 'Saved views of the console: the filters of a list under a name.',
    methods: {
      list: 'listSavedViews',
      create: 'createSavedView',
      get: 'getSavedView',
      update: 'changeSavedView',
      delete: 'deleteSavedView',
    },
  },
  files: {
    isExtended: true,
    text: 'Files of the workspace.',
    methods: {
      list: 'listFiles',
      get: 'getFile',
      delete: 'deleteFile',
      text: 'readFileText',
      link: 'createFileLink',
      revokeLinks: 'revokeFileLinks',
    },
  },
  fixtures: {
    isExtended: true,
    text: 'Files that the cases of evaluations use by their names.',
    methods: { list: 'listFixtures', get: 'getFixture', delete: 'deleteFixture' },
  },
  apiKeys: {
    text: 'API keys of the workspace.',
    methods: {
      list: 'listApiKeys',
      create: 'createApiKey',
      get: 'getApiKey',
      rotate: 'rotateApiKey',
      revoke: 'revokeApiKey',
    },
  },
  oauthClients: {
    text: 'Registered clients of the MCP server.',
    methods: { list: 'listOauthClients', create: 'createOauthClient', delete: 'deleteOauthClient' },
  },
  accessRequests: {
    text: 'Requests of MCP clients for access. Only a person with a session decides them.',
    methods: { get: 'getMcpAccessRequest', decide: 'decideMcpAccessRequest' },
  },
  secrets: {
    text: 'Secrets that tools and connectors use. No method returns their values.',
    methods: { list: 'listSecrets', put: 'putSecret', delete: 'deleteSecret' },
  },
  connections: {
    text: 'Connections of the workspace. A connection is an authorisation at an OAuth provider that a person gave for tool calls. No method returns its tokens.',
    methods: {
      listProviders: 'listConnectionProviders',
      list: 'listConnections',
      create: 'createConnection',
      get: 'getConnection',
      update: 'changeConnection',
      authorize: 'authorizeConnection',
      delete: 'deleteConnection',
    },
  },
  usage: {
    text: 'Cost and tokens of runs.',
    methods: { get: 'getUsage' },
  },
  statistics: {
    text: 'Statistics of runs that have ended.',
    methods: { runs: 'getRunStatistics', errors: 'getErrorGroups' },
  },
  changes: {
    text: 'Changes of runs and approvals in the workspace, for polling.',
    methods: { read: 'readChanges' },
  },
  auditEvents: {
    text: 'The audit log of the workspace.',
    methods: { list: 'listAuditEvents' },
  },
  events: {
    text: 'Events of the workspace, which are also sent to webhook endpoints.',
    methods: { list: 'listEvents' },
  },
  webhookEndpoints: {
    text: 'Webhook endpoints. An endpoint is a URL that receives events.',
    methods: {
      list: 'listWebhookEndpoints',
      create: 'createWebhookEndpoint',
      get: 'getWebhookEndpoint',
      update: 'updateWebhookEndpoint',
      delete: 'deleteWebhookEndpoint',
      rotate: 'rotateWebhookSecret',
      test: 'testWebhookEndpoint',
    },
  },
  webhookDeliveries: {
    text: 'Deliveries of events to webhook endpoints.',
    methods: {
      list: 'listWebhookDeliveries',
      get: 'getWebhookDelivery',
      retry: 'retryWebhookDelivery',
      retryAll: 'retryWebhookDeliveries',
    },
  },
  service: {
    text: 'The service as a whole: health, readiness, metrics and OpenAPI document.',
    methods: { health: 'getHealth', readiness: 'getReadiness', metrics: 'getMetrics', openapi: 'getOpenApiDocument' },
  },
};
