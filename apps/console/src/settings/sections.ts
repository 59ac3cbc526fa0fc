interface Section {
  path: string;
  name: string;
  text: string;
}

/** The pages below Settings, in the order in which the console shows them. */
export const SECTIONS = [
  {
    path: '/settings/members',
    name: 'Members',
    text: 'People who can sign in. The role decides what each of them may do.',
  },
  {
    path: '/settings/groups',
    name: 'Groups',
    text: 'Groups of members, which agents name: they decide approvals, answer questions and take over runs.',
  },
  {
    path: '/settings/keys',
    name: 'API keys',
    text: 'Keys with which programs and the CLI call the API. A key may never do more than its member.',
  },
  {
    path: '/settings/mcp',
    name: 'Assistants',
    text: 'Addresses and settings with which assistants use and build agents.',
  },
  {
    path: '/settings/secrets',
    name: 'Secrets',
    text: 'Credentials for tools and connectors. Their values are never shown again.',
  },
  { path: '/settings/files', name: 'Files', text: 'Files of the workspace, and the space that they use.' },
  {
    path: '/settings/connections',
    name: 'Connections',
    text: 'Accounts at other services that people authorised for the tools of agents.',
  },
  { path: '/settings/webhooks', name: 'Webhooks', text: 'Endpoints that receive the events of the workspace.' },
  { path: '/settings/audit', name: 'Audit log', text: 'Record of who changed what, and when.' },
  { path: '/settings/sessions', name: 'Sessions', text: 'Browsers in which you are signed in.' },
] as const satisfies readonly Section[];
