/** What a person needs once the service runs. */
export interface ClosingFacts {
  address: string;
  /** Only where it was made by this very start; it is shown once. */
  adminKey?: string;
  /** The file that holds it, as the person would write the path. */
  keyFile: string;
  /** An agent to try, where the start loaded one. */
  sampleAgent?: string;
  dataDir: string;
}

/** The end of the start: where it listens, the key, and three commands that work as they stand. */
export function closingWords(facts: ClosingFacts): string {
  const { address, adminKey, keyFile, dataDir } = facts;
  return [
    '',
    `  Address    ${address}   (API: ${address}/docs)`,
    adminKey === undefined ? `  Admin key  in ${keyFile}` : `  Admin key  ${adminKey}   (also in ${keyFile})`,
    `  Data       ${dataDir}`,
    '',
    '  Next:',
    '',
    ...nextCommands(facts).map((command) => `  ${command}`),
    '',
    '  Ctrl-C stops everything; the data stays.',
    '',
  ].join('\n');
}

function nextCommands({ address, keyFile, sampleAgent }: ClosingFacts): string[] {
  const key = `-H "Authorization: Bearer $(cat ${quoted(keyFile)})"`;
  const list = `curl -s ${key} ${address}/v1/runs`;
  const json = '-H "Content-Type: application/json"';
  if (sampleAgent === undefined) {
    const definition = 'apps/standalone/sample/definition-reader.yaml';
    return [
      `curl -s ${key} ${address}/v1/me`,
      `curl -s ${key} -H "Content-Type: application/yaml" --data-binary @${definition} ${address}/v1/definitions/validate`,
      list,
    ];
  }
  return [
    `curl -s ${key} ${address}/v1/agents/${sampleAgent}`,
    `curl -s ${key} ${json} -d '{"input":{"key":"policies"}}' ${address}/v1/agents/${sampleAgent}/runs`,
    list,
  ];
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
