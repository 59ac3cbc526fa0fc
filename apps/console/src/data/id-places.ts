const BY_PREFIX: Readonly<Record<string, readonly [kind: string, folder: string]>> = {
  run: ['Run', '/runs'],
  bulk: ['Bulk action', '/runs/bulk'],
  apr: ['Approval', '/approvals'],
  agt: ['Agent', '/agents'],
  evl: ['Evaluation', '/evaluations'],
  kb: ['Knowledge base', '/knowledge'],
  whe: ['Webhook', '/settings/webhooks'],
};

/** Returns the console page of an id, or undefined if the text is not an id or the id has no page. */
export function placeOf(id: string): { kind: string; path: string } | undefined {
  const [kind, folder] = BY_PREFIX[/^([a-z]+)_\w+$/.exec(id)?.[1] ?? ''] ?? [];
  return kind === undefined || folder === undefined ? undefined : { kind, path: `${folder}/${id}` };
}
