interface Section {
  path: string;
  name: string;
  text: string;
}

/** The pages of the settings, in the order of their links. */
export const SECTIONS = [
  { path: '/settings/members', name: 'Members', text: 'Who belongs to the workspace, and what they may do.' },
  { path: '/settings/groups', name: 'Groups', text: 'Sets of members that approve, and that read knowledge.' },
  { path: '/settings/keys', name: 'API keys', text: 'What programs call the service with.' },
  { path: '/settings/secrets', name: 'Secrets', text: 'Values for tools and connectors. They cannot be read.' },
  { path: '/settings/webhooks', name: 'Webhooks', text: 'Addresses that receive events.' },
  { path: '/settings/audit', name: 'Audit log', text: 'Who did what, and when.' },
  { path: '/settings/sessions', name: 'Sessions', text: 'Where you are signed in.' },
] as const satisfies readonly Section[];
