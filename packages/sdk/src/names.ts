const ID = { agt: /^agt_[0-9a-z]{26}$/, kb: /^kb_[0-9a-z]{26}$/ };

/** The id of an agent, or its name as the service takes it in a path. */
export function agentId(idOrName: string): string {
  return idOr(idOrName, ID.agt);
}

/** The id of a knowledge base, or its name as the service takes it in a path. */
export function baseId(idOrName: string): string {
  return idOr(idOrName, ID.kb);
}

function idOr(idOrName: string, id: RegExp): string {
  return idOrName === '' || id.test(idOrName) || idOrName.startsWith('name:') ? idOrName : `name:${idOrName}`;
}
