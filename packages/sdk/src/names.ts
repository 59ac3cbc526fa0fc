const ID = { agt: /^agt_[0-9a-z]{26}$/, kb: /^kb_[0-9a-z]{26}$/ };

/** Converts the name of an agent to `name:<name>`, as the API expects it in a path. Returns an id unchanged. */
export function agentId(idOrName: string): string {
  return idOr(idOrName, ID.agt);
}

/** Converts the name of a knowledge base to `name:<name>`, as the API expects it in a path. Returns an id unchanged. */
export function baseId(idOrName: string): string {
  return idOr(idOrName, ID.kb);
}

function idOr(idOrName: string, id: RegExp): string {
  return idOrName === '' || id.test(idOrName) || idOrName.startsWith('name:') ? idOrName : `name:${idOrName}`;
}
