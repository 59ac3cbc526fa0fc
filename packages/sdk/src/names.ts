const ID = { agt: /^agt_[0-9a-z]{26}$/, kb: /^kb_[0-9a-z]{26}$/ };

/** Converts the name of an agent to the form that the API accepts in a path. Ids are returned unchanged. */
export function agentId(idOrName: string): string {
  return idOr(idOrName, ID.agt);
}

/** Converts the name of a knowledge base to the form that the API accepts in a path. Ids are returned unchanged. */
export function baseId(idOrName: string): string {
  return idOr(idOrName, ID.kb);
}

function idOr(idOrName: string, id: RegExp): string {
  return idOrName === '' || id.test(idOrName) || idOrName.startsWith('name:') ? idOrName : `name:${idOrName}`;
}
