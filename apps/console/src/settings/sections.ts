interface Section {
  group: 'People and access' | 'Work' | 'Workspace';
  path: string;
  name: string;
  text: string;
  /** Scope without which the page shows no list. */
  scope?: `${string}:${string}`;
}

/** The pages below Settings. */
export const SECTIONS = [
  {
    group: 'People and access',
    path: '/settings/members',
    name: 'Members',
    text: 'People who can sign in. The role decides what each of them may do.',
    scope: 'members:manage',
  },
  {
    group: 'People and access',
    path: '/settings/groups',
    name: 'Groups',
    text: 'Groups of members, which agents name: they decide approvals, answer questions and take over runs.',
    scope: 'members:manage',
  },
  {
    group: 'People and access',
    path: '/settings/keys',
    name: 'API keys',
    text: 'Keys with which programs and the CLI call the API. A key may never do more than its member.',
    scope: 'keys:manage',
  },
  {
    group: 'People and access',
    path: '/settings/sessions',
    name: 'Sessions',
    text: 'Browsers in which you are signed in, and what you may do.',
  },
  {
    group: 'Work',
    path: '/settings/connections',
    name: 'Connections',
    text: 'Accounts at other services that people authorised for the tools of agents.',
    scope: 'connections:read',
  },
  {
    group: 'Work',
    path: '/settings/secrets',
    name: 'Secrets',
    text: 'Credentials for tools and connectors. Their values are never shown again.',
    scope: 'secrets:write',
  },
  {
    group: 'Work',
    path: '/settings/webhooks',
    name: 'Webhooks',
    text: 'Endpoints that receive the events of the workspace.',
    scope: 'webhooks:manage',
  },
  {
    group: 'Work',
    path: '/settings/mcp',
    name: 'Assistants',
    text: 'Addresses and settings with which assistants use and build agents.',
  },
  {
    group: 'Workspace',
    path: '/settings/files',
    name: 'Files',
    text: 'Files of the workspace, and the space that they use.',
    scope: 'files:read',
  },
  {
    group: 'Workspace',
    path: '/settings/audit',
    name: 'Audit log',
    text: 'Record of who changed what, and when.',
    scope: 'audit:read',
  },
] as const satisfies readonly Section[];

/** Links of Settings by group. Usage is also a page of the workspace, outside Settings. */
export const SECTION_GROUPS = (['People and access', 'Work', 'Workspace'] as const).map((name) => ({
  name,
  links: [
    ...SECTIONS.filter(({ group }) => group === name),
    ...(name === 'Workspace'
      ? [{ path: '/usage', name: 'Usage', text: 'Costs, tokens and daily budgets of the agents.' } as const]
      : []),
  ],
}));
