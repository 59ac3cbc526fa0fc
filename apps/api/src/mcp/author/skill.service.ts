import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { memorySkillFiles, type SkillCatalog, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { DomainError, type JsonObject } from '@app/kernel';
import { findBuild, readStaticFiles } from '../../static/static-files.js';
import type { McpAddressServer, McpEra } from '../mcp-address.js';

const SKILL = 'agent-authoring';
const BASE = `skill://aas/${SKILL}/`;
const OVERVIEW = 'overview';
const OVERVIEW_FILE = 'SKILL.md';
const MARKDOWN = 'text/markdown';
const CACHED = { ttlMs: 3_600_000, cacheScope: 'private' } as const;

/** Offers the skill that the build has generated from the documentation. Offers none if the guides were not built. */
@Injectable()
export class SkillService implements OnModuleInit {
  private readonly files: ReadonlyMap<string, string> = readSkill();
  private skills: SkillCatalog['entries'] = [];

  async onModuleInit(): Promise<void> {
    if (this.files.size === 0) return;
    const files = [...this.files].map(([path, text]) => [`${SKILL}/${path}`, text] as const);
    const catalog = await SkillsExtension.load(memorySkillFiles(Object.fromEntries(files)), {
      prefix: 'aas',
      strict: true,
    });
    this.skills = catalog.entries;
  }

  /** Clients of the era of `initialize` read the skill as resources. */
  register(server: McpAddressServer, era: McpEra): void {
    if (era === 'modern') this.registerSkills(server);
    server.handle('resources/list', () => ({ resources: this.resources(), ...CACHED }));
    server.handle('resources/read', ({ uri }) => {
      const text = typeof uri === 'string' && uri.startsWith(BASE) ? this.files.get(uri.slice(BASE.length)) : undefined;
      if (text === undefined) throw unknownUri(uri);
      return { contents: [{ uri, mimeType: MARKDOWN, text }], ...CACHED };
    });
  }

  private registerSkills(server: McpAddressServer): void {
    server.handle('skills/list', () => ({ skills: [...this.skills], ...CACHED }));
    server.handle('skills/get', ({ uri }) => {
      const skill = this.skills.find((each) => each.uri === uri);
      if (!skill) throw unknownUri(uri);
      return { skill, ...CACHED };
    });
  }

  /** @throws DomainError `not_found` for an unknown topic */
  guide({ topic = OVERVIEW }: JsonObject): { topic: string; text: string; topics: string[] } {
    const topics = [...this.files.keys()].map(topicOf);
    const file = [...this.files].find(([path]) => topicOf(path) === topic);
    if (file) return { topic: topicOf(file[0]), text: file[1], topics };
    throw new DomainError('not_found', `There is no topic ${JSON.stringify(topic)}. Topics: ${topics.join(', ')}.`);
  }

  private resources(): JsonObject[] {
    return [...this.files.keys()].map((path) => ({ uri: BASE + path, name: topicOf(path), mimeType: MARKDOWN }));
  }
}

function topicOf(path: string): string {
  return path === OVERVIEW_FILE ? OVERVIEW : path.replace(/^references\//, '').replace(/\.md$/, '');
}

function unknownUri(uri: unknown): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such resource.', { uri });
}

/** The overview is the first file. */
function readSkill(): Map<string, string> {
  const folder = join(findBuild('docs') ?? '', 'skill', SKILL);
  if (!existsSync(folder)) return new Map();
  const files = [...readStaticFiles(folder)].map(([path, { bytes }]) => [path, bytes.toString('utf8')] as const);
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}
