export interface TokenPlace {
  workspaceId: string;
  sourceId: string;
}

export interface TokenOwner {
  workspaceId: string;
  /** The id of a connection, or `client_credentials/<hash>`. */
  key: string;
}
