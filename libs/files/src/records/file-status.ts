export const FILE_STATUSES = ['ready', 'deleted'] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];

export const FILE_SOURCES = ['upload', 'email', 'tool', 'form', 'callback', 'run', 'fixture'] as const;
export type FileSource = (typeof FILE_SOURCES)[number];

/** The source of the bytes of documents. Such rows are in no list, and no run can use them. */
export const DOCUMENT_SOURCE = 'document';

export interface FileFilter {
  /** Lists only files that a narrowed key may see: of its member, and of runs of its agents. */
  visible?: { createdBy: string; agents: readonly string[] };
  run?: string;
  source?: FileSource;
  since?: Date;
}
