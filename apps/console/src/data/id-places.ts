/** The page of a kind of resource, by the prefix of its ids. */
const BY_PREFIX: Readonly<Record<string, readonly [kind: string, folder: string]>> = {
  run: ['Run', '/runs'],
  apr: ['Approval', '/approvals'],
  agt: ['Agent', '/agents'],
  evl: ['Evaluation', '/evaluations'],
  kb: ['Knowledge base', '/knowledge'],
  whe: ['Webhook', '/settings/webhooks'],
};

/** Where an id leads; undefined for a text that is no id, or an id without a page. */
export function placeOf(id: string): { kind: string; path: string } | undefined {
  const [kind, folder] = BY_PREFIX[/^([a-z]+)_\w+$/.exec(id)?.[1] ?? ''] ?? [];
  return kind === undefined || folder === undefined ? undefined : { kind, path: `${folder}/${id}` };
}
