export interface StartFacts {
  address: string;
  /** Absent if the console is off or there is no admin. */
  consoleLink?: string;
  /** Set only if this start created the key, so that it is shown only once. */
  adminKey?: string;
  /** Other output may be stored in a log, so it does not contain the API key. */
  isTerminal: boolean;
  /** Absent after a restore, because a backup does not contain this file. */
  keyFile?: string;
  sampleAgent?: string;
  dataDir: string;
}

export function startSummary(facts: StartFacts): string {
  const { address, consoleLink, dataDir } = facts;
  return [
    '',
    `  Address    ${address}   (API: ${address}/docs)`,
    ...(consoleLink === undefined ? [] : [`  Console    ${consoleLink}`, '             works once, for 15 minutes']),
    `  Admin key  ${adminKeyText(facts)}`,
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

function adminKeyText({ adminKey, isTerminal, keyFile }: StartFacts): string {
  if (keyFile === undefined) return 'unknown here; npm run keys -- create --admin creates one';
  return adminKey === undefined || !isTerminal ? `in ${keyFile}` : `${adminKey}   (also in ${keyFile})`;
}

function nextCommands({ address, keyFile, sampleAgent }: StartFacts): string[] {
  const secret = keyFile === undefined ? '$AAS_API_KEY' : `$(cat ${quoted(keyFile)})`;
  const key = `-H "Authorization: Bearer ${secret}"`;
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
