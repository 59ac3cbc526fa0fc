import type { JsonObject } from '@app/kernel';

const GOOGLE_EXPORTS = [
  ['document', 'text/html'],
  ['presentation', 'text/plain'],
  ['spreadsheet', 'text/csv'],
] as const;

const GOOGLE_FILE_TYPES = [
  'text/(plain|markdown|html)',
  'application/pdf',
  'application/vnd\\.openxmlformats-officedocument\\.wordprocessingml\\.document',
];

const GOOGLE_DRIVE = {
  base_url: 'https://www.googleapis.com/drive/v3',
  scope: {
    field: 'folders',
    pattern: '^[A-Za-z0-9_-]{1,200}$',
    everything: 'root',
    choices: {
      path: '/files',
      query: {
        q: "mimeType = 'application/vnd.google-apps.folder' and trashed = false",
        fields: 'nextPageToken,files(id,name)',
        orderBy: 'name_natural',
        pageSize: '1000',
        supportsAllDrives: 'true',
        includeItemsFromAllDrives: 'true',
      },
      items_pointer: '/files',
      next: { pointer: '/nextPageToken', query: 'pageToken' },
      id: '{/id}',
      title: '{/name}',
    },
  },
  list: {
    path: '/files',
    query: {
      q: "'{scope}' in parents and trashed = false",
      fields: 'nextPageToken,incompleteSearch,files(id,name,mimeType,webViewLink,modifiedTime)',
      pageSize: '200',
      supportsAllDrives: 'true',
      includeItemsFromAllDrives: 'true',
    },
  },
  items_pointer: '/files',
  next: { pointer: '/nextPageToken', query: 'pageToken' },
  incomplete_pointer: '/incompleteSearch',
  item: { key: '{/id}', title: '{/name}', url: '{/webViewLink}', updated: '{/modifiedTime}' },
  folder: { when: { value: '{/mimeType}', matches: '^application/vnd\\.google-apps\\.folder$' }, scope: '{/id}' },
  contents: [
    ...GOOGLE_EXPORTS.map(([format, type]) => ({
      when: { value: '{/mimeType}', matches: `^application/vnd\\.google-apps\\.${format}$` },
      path: '/files/{/id}/export',
      query: { mimeType: type },
      media_type: type === 'text/csv' ? 'text/plain' : type,
    })),
    {
      when: { value: '{/mimeType}', matches: `^(${GOOGLE_FILE_TYPES.join('|')})$` },
      path: '/files/{/id}',
      query: { alt: 'media', supportsAllDrives: 'true' },
      media_type: '{/mimeType}',
    },
  ],
};

const NOTION = {
  base_url: 'https://api.notion.com/v1',
  headers: { 'Notion-Version': '2025-09-03' },
  scope: {
    field: 'data_sources',
    pattern: '^[0-9a-fA-F-]{32,36}$',
    choices: {
      method: 'POST',
      path: '/search',
      body: { page_size: 100, filter: { property: 'object', value: 'data_source' } },
      items_pointer: '/results',
      next: { pointer: '/next_cursor', body: 'start_cursor' },
      id: '{/id}',
      title: '{/title/*/plain_text}',
    },
  },
  list: { method: 'POST', path: '/data_sources/{scope}/query', body: { page_size: 100 } },
  list_everything: {
    method: 'POST',
    path: '/search',
    body: { page_size: 100, filter: { property: 'object', value: 'page' } },
  },
  items_pointer: '/results',
  next: { pointer: '/next_cursor', body: 'start_cursor' },
  item: {
    key: '{/id}',
    // The name of the title property differs between Notion databases, so `*` stands for every property.
    title: '{/properties/*/title/*/plain_text}',
    url: '{/url}',
    updated: '{/last_edited_time}',
  },
  contents: [
    {
      when: { value: '{/object}', matches: '^page$' },
      path: '/pages/{/id}/markdown',
      media_type: 'text/markdown',
      text_pointer: '/markdown',
    },
  ],
};

const GITHUB = {
  base_url: 'https://api.github.com',
  headers: { 'X-GitHub-Api-Version': '2022-11-28', 'User-Agent': 'agent-automation-service' },
  scope: {
    field: 'repositories',
    pattern: '^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_.-]+$',
    choices: {
      path: '/user/repos',
      query: { sort: 'full_name', per_page: '100' },
      next: { link: true },
      id: '{/full_name}',
      title: '{/full_name}',
    },
  },
  list: { path: '/repos/{scope}/git/trees/HEAD', query: { recursive: '1' } },
  items_pointer: '/tree',
  incomplete_pointer: '/truncated',
  item: {
    key: '{scope}/{/path}',
    url: 'https://github.com/{scope}/blob/HEAD/{/path}',
    // The id of a blob is the hash of its content, so it changes with the content.
    updated: '{/sha}',
  },
  contents: [
    {
      when: { value: '{/type}:{/path}', matches: '^blob:.*\\.(md|mdx|markdown|txt|rst|adoc|html?|pdf|docx)$' },
      path: '/repos/{scope}/git/blobs/{/sha}',
      headers: { accept: 'application/vnd.github.raw+json' },
      // For this media type, the text extraction determines the format by the file extension in the URL.
      media_type: 'application/octet-stream',
    },
  ],
};

/** If the operator describes the API of such a provider, the description is merged into the built-in one. */
export const BUILT_IN_APIS: Readonly<Record<string, JsonObject>> = {
  google_drive: GOOGLE_DRIVE,
  notion: NOTION,
  github: GITHUB,
};

export const OAUTH_CONNECTORS: readonly string[] = Object.keys(BUILT_IN_APIS);
