import { CONNECTOR_KINDS, type ConnectorTraits, SourceProvidersService } from '@app/connectors';
import type { JsonObject, JsonValue } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { UPLOAD_SCHEMA } from './source-config.js';

export interface OfferedConnector {
  kind: string;
  title: string;
  description: string;
  auth: ConnectorTraits['auth'] | 'oauth';
  /** The reason why no source of this kind can be added; null if one can be added. */
  unavailableReason: string | null;
  configSchema: JsonObject;
}

const UPLOADED = { title: 'Uploaded documents', description: 'Files that people and programs upload.' };

const ANNOTATIONS = new Set(['hints', 'mismatch']);

@Injectable()
export class ConnectorCatalogService {
  constructor(private readonly providers: SourceProvidersService) {}

  listConnectors(): OfferedConnector[] {
    const upload = { ...UPLOADED, kind: 'upload', auth: 'none', schema: UPLOAD_SCHEMA } as const;
    const configured = Object.entries(CONNECTOR_KINDS).map(([kind, connector]) => ({ kind, ...connector }));
    const offered = [...configured, upload].map(({ kind, title, description, auth, schema }) => ({
      kind,
      title,
      description,
      auth,
      unavailableReason: null,
      configSchema: withoutAnnotations(schema),
    }));
    return [...offered, ...this.oauthConnectors()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
  }

  private oauthConnectors(): OfferedConnector[] {
    return this.providers.names.flatMap((kind) => {
      const provider = this.providers.find(kind);
      if (!provider) return [];
      const { title, client, schema } = provider;
      const reason = `The operator must register this installation with ${title} and set the client in OAUTH_PROVIDERS.`;
      const unavailableReason = client ? null : reason;
      const description = `What a person allows the service to read at ${title}.`;
      return [{ kind, title, description, auth: 'oauth', unavailableReason, configSchema: withoutAnnotations(schema) }];
    });
  }
}

function withoutAnnotations(schema: JsonObject): JsonObject {
  const members = Object.entries(schema).filter(([name]) => !ANNOTATIONS.has(name));
  return Object.fromEntries(members.map(([name, value]) => [name, plain(value)]));
}

function plain(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'object' && value !== null ? withoutAnnotations(value) : value;
}
