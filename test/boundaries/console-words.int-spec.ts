import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, TRIGGER_TYPES, type WordKind, WORDS } from '../../apps/console/src/data/words.js';
import { REPOSITORY_ROOT as ROOT } from '../support/repository-root.js';

const { components } = JSON.parse(readFileSync(join(ROOT, 'packages/sdk/openapi.json'), 'utf8')) as {
  components: { schemas: Readonly<Record<string, { properties?: object }>> };
};
const SCHEMAS = components.schemas;

/**
 * Kinds of the words for the enumerations of the API, by the schema and its field. The first match applies. Null: no
 * screen shows a value of the enumeration.
 */
const KINDS: readonly (readonly [field: RegExp, kind: WordKind | null])[] = [
  // Programs send these values, or the console has sentences, headings and links for them.
  [/^Problem\.code$/, null],
  [/^ConnectionError\.code$/, null],
  [/^(DecideMcpAccessBody|StopWorkspaceBody|ResumeWorkspaceBody|PushTextBody|PatchOperation)\./, null],
  [/\.cannot_decide_reason$/, null],
  [/^(Approval|CallDifference|EvaluationResult)\.kind$/, null],
  [/^TurnMessage\.role$/, null],
  [/^UsageReport\.group_by$/, null],
  [/SavedView(Body)?\.screen$/, null],
  [/^DefinitionValidation\.unchecked$/, null],
  [/^Connector\.auth$/, null],
  [/^KnowledgeBaseSettings\.language$/, null],
  [/^KnowledgeBaseSettingsChunking\.strategy$/, null],
  [/^(CallbackResult|EmergencyStop|Health|Liveness|TriggerResult)\.status$/, null],
  // Keys of the definition are code.
  [/^PlanCondition\.key$/, null],
  // The types of events are names that programs use, so the console shows them as code.
  [/Event\.type$|\.events$|\.event_type$/, null],
  [/\.schedule$/, 'schedule'],
  [/^AccessGrant\.type$/, 'reader'],
  [/^FileOrigin\.type$/, 'fileSource'],
  [/^AssertionResult\.type$/, 'assertion'],
  [/^(Trigger|TriggerEvent|RunTrigger)\.type$|\.trigger_type$/, 'trigger'],
  [/^\w+Step\.type$/, 'step'],
  [/\.(status|effective_status|health|outcome|result|authorization)$/, 'status'],
  [/\.for$/, 'waiting'],
  [/^ModelFile\.reason$/, 'fileReason'],
  [/^ModelFile\.shown$/, 'fileShown'],
  [/\.(code|error_code|reason)$/, 'error'],
  [/\.effect$/, 'effect'],
  [/\.scope$/, 'access'],
  [/\.(scopes|effective_scopes)$/, 'scope'],
  [/\.(decision|allowed_decisions)$/, 'decision'],
  [/\.via$/, 'via'],
  [/\.role$/, 'role'],
  [/\.kind$/, 'keyKind'],
  [/^(KnowledgeBaseSettingsRetrieval|RetrievalStep)\.mode$/, 'searchMode'],
  [/\.mode$/, 'mode'],
  [/\.severity$/, 'severity'],
  [/\.tool_results$/, 'recorded'],
  [/\.disabled_reason$/, 'disabled'],
  [/\.methods?$/, 'signIn'],
  [/\.action$/, 'bulkAction'],
];

interface Enumeration {
  field: string;
  values: readonly string[];
}

/** Returns the enumerations in the schemas of requests and responses, but not those of the definition language. */
function enumerations(): Enumeration[] {
  const found: Enumeration[] = [];
  const visit = (node: unknown, field: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { enum: values, properties, ...others } = node as Record<string, unknown>;
    if (Array.isArray(values)) found.push({ field, values: values.filter((value) => typeof value === 'string') });
    const schema = field.split('.')[0] ?? '';
    for (const [name, child] of Object.entries(properties ?? {})) visit(child, `${schema}.${name}`);
    for (const child of Object.values(others)) visit(child, field);
  };
  for (const [name, schema] of Object.entries(SCHEMAS)) if (!name.startsWith('AgentDefinition')) visit(schema, name);
  return found;
}

/** Returns the codes with which connectors and knowledge bases report that a sync, a document or an index failed. */
function syncCodes(): string[] {
  const folders = ['libs/connectors/src', 'libs/knowledge/src/syncs', 'libs/knowledge/src/embedding'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.includes('spec.'))
      .map((path) => readFileSync(join(ROOT, folder, path), 'utf8')),
  );
  const codes = files.flatMap((text) => [
    ...text.matchAll(/(?:SourceError|DocumentError)\(\s*'(\w+)'|\bcode: '(\w+)'/g),
  ]);
  return [...new Set(codes.map(([, thrown, reported]) => thrown ?? reported ?? ''))];
}

describe('the words of the console', () => {
  const found = enumerations();

  it('finds the enumerations of the API', () => {
    expect(found.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['Run.status', 'ToolCallStep.effect', 'RunWaiting.for', 'Source.schedule']),
    );
  });

  it('has a word for each value of the API that a screen shows', () => {
    const missing = found.flatMap(({ field, values }) => {
      const rule = KINDS.find(([pattern]) => pattern.test(field));
      if (rule === undefined) return [`${field}: no kind`];
      const [, kind] = rule;
      return kind === null
        ? []
        : values.filter((value) => !(value in WORDS[kind])).map((value) => `${field}: ${value}`);
    });
    expect(missing).toEqual([]);
  });

  it('offers each error and each trigger of a run as a filter', () => {
    const valuesOf = (of: string): readonly string[] | undefined => found.find(({ field }) => field === of)?.values;
    expect(ERROR_CODES).toEqual(valuesOf('RunError.code'));
    expect(TRIGGER_TYPES).toEqual(valuesOf('RunTrigger.type'));
  });

  it('has a word for each code of a sync', () => {
    const codes = syncCodes();
    expect(codes).toContain('sitemap_unreadable');
    expect(codes.filter((code) => !(code in WORDS.error))).toEqual([]);
  });

  it('has no word for a value that the API does not know', () => {
    const kindOf = (field: string): WordKind | null | undefined => KINDS.find(([pattern]) => pattern.test(field))?.[1];
    const known = new Map(Object.keys(WORDS).map((kind) => [kind, new Set<string>()]));
    for (const { field, values } of found) for (const value of values) known.get(kindOf(field) ?? '')?.add(value);
    // The document does not list codes of syncs, ends of turns and actions of policies. The conditions of a gate are
    // fields there.
    const unlisted = ['error', 'finish', 'gate', 'policyAction'];
    const listed = Object.entries(WORDS).filter(([kind]) => !unlisted.includes(kind));
    expect(
      listed.flatMap(([kind, words]) => Object.keys(words).filter((value) => known.get(kind)?.has(value) !== true)),
    ).toEqual([]);
  });

  it('has a word for each condition of a gate', () => {
    expect(Object.keys(WORDS.gate).sort()).toEqual(
      Object.keys(SCHEMAS.AgentDefinitionEvaluationGate?.properties ?? {}).sort(),
    );
  });

  it('contains no machine word', () => {
    const words = Object.values(WORDS).flatMap((words) => Object.values(words));
    expect(words.filter((text) => text.includes('_'))).toEqual([]);
  });
});
