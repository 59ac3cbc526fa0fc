import { type ErrorPlace, jsonPointer } from '@app/kernel';
import type { DefinitionNode } from './contract/definition-node.js';
import type { Path } from './contract/problems.js';
import type { CompiledDefinition } from './model/compiled-definition.js';
import type { SourceDocument } from './source/source-document.js';
import { type GroupTask, namedGroups } from './checks/check-rules.js';
import { allStepNodes } from './steps/step-nodes.js';

/**
 * The position of a name in a definition. It is computed on demand, because only the positions of unknown names are
 * reported.
 */
interface Mention {
  readonly place: () => Pick<ErrorPlace, 'pointer' | 'line' | 'column' | 'excerpt'>;
}

export interface SecretUse extends Mention {
  readonly name: string;
}

/** `base` is the id or the name of the knowledge base. */
export interface KnowledgeMention extends Mention {
  readonly base: string;
}

export interface ModelMention extends Mention {
  /** Name of a model provider that the installation configures. */
  readonly provider: string;
  readonly name: string;
  /** The place of a member of the model, such as `params/effort`. A fallback has only one place. */
  readonly placeOf: (member: string) => ReturnType<Mention['place']>;
}

export interface GroupMention extends Mention {
  readonly group: string;
  readonly task: GroupTask;
}

/** `connection` is the name or the id of the connection. */
export interface ConnectionMention extends Mention {
  readonly connection: string;
}

export interface FixtureMention extends Mention {
  readonly fixture: string;
}

/**
 * The resources that a definition names but does not contain. The caller checks whether they exist in the workspace or
 * the installation.
 */
export interface Mentions {
  readonly secrets: readonly SecretUse[];
  readonly knowledge: readonly KnowledgeMention[];
  readonly groups: readonly GroupMention[];
  readonly models: readonly ModelMention[];
  readonly connections: readonly ConnectionMention[];
  readonly fixtures: readonly FixtureMention[];
}

type SecretPath = { readonly name: string; readonly path: Path };

export function mentionsIn(
  root: DefinitionNode,
  compiled: CompiledDefinition,
  secretUses: readonly SecretPath[],
  source: SourceDocument,
): Mentions {
  return {
    secrets: secretUses.map(({ name, path }) => ({
      name,
      place: () => ({ pointer: jsonPointer(path), ...source.position(source.offsetInside(path, name, 0)) }),
    })),
    knowledge: knowledgeMentions(root, source),
    groups: groupMentions(root, source),
    models: modelMentions(compiled, source),
    connections: connectionMentions(root, source),
    fixtures: fixtureMentions(compiled, source),
  };
}

function knowledgeMentions(root: DefinitionNode, source: SourceDocument): KnowledgeMention[] {
  const steps = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')].filter((node) => node.has('retrieve'));
  const uses = [...root.items('knowledge'), ...steps.map((node) => node.child('retrieve'))];
  return uses.map((node) => {
    const path = node.pathOf('base');
    const place = () => ({ pointer: jsonPointer(path), ...source.position(source.offsetOf(path, 'value')) });
    return { base: node.text('base'), place };
  });
}

function modelMentions({ model }: CompiledDefinition, source: SourceDocument): ModelMention[] {
  if (!model) return [];
  const placeAt = (path: Path) => ({ pointer: jsonPointer(path), ...source.position(source.offsetOf(path, 'value')) });
  const fallbacks = model.fallback.map(({ provider, name }, index) => {
    const place = () => placeAt(['model', 'fallback', index]);
    return { provider, name, place, placeOf: place };
  });
  const placeOf = (member: string) => placeAt(['model', ...member.split('/')]);
  const { provider, name } = model;
  return [{ provider, name, place: () => placeAt(['model']), placeOf }, ...fallbacks];
}

function connectionMentions(root: DefinitionNode, source: SourceDocument): ConnectionMention[] {
  return root.items('tools').flatMap((tool) => {
    const auth = tool.optionalChild('auth');
    const connection = auth?.optionalText('connection') ?? null;
    if (!auth || connection === null) return [];
    const path = auth.pathOf('connection');
    const place = () => ({ pointer: jsonPointer(path), ...source.position(source.offsetOf(path, 'value')) });
    return [{ connection, place }];
  });
}

function fixtureMentions({ evaluation }: CompiledDefinition, source: SourceDocument): FixtureMention[] {
  const uses = evaluation?.cases.flatMap(({ fixtures }) => fixtures) ?? [];
  return uses.map(({ name, path }) => ({
    fixture: name,
    place: () => ({ pointer: jsonPointer(path), ...source.position(source.offsetOf(path, 'value')) }),
  }));
}

function groupMentions(root: DefinitionNode, source: SourceDocument): GroupMention[] {
  return namedGroups(root).map(({ name, task, path }) => ({
    group: name,
    task,
    place: () => ({ pointer: jsonPointer(path), ...source.position(source.offsetOf(path, 'value')) }),
  }));
}
