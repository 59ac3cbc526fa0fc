import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';

/**
 * Protects the MCP library from messages that are expensive to validate: validating 400,000 empty objects took the
 * library 3 GB of memory and a minute. This transport drops notifications, which the service does not use, and reduces
 * the response to `initialize` to the parts that the service uses.
 */
export class GuardedTransport implements Transport {
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  onmessage: Transport['onmessage'];
  private initialization: string | number | undefined;

  constructor(private readonly inner: Transport) {}

  get sessionId(): string | undefined {
    return this.inner.sessionId;
  }

  start(): Promise<void> {
    const { inner } = this;
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message, extra) => {
      if ('id' in message) this.onmessage?.(this.guarded(message), extra);
    };
    return inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message && 'id' in message && message.method === 'initialize') this.initialization = message.id;
    return this.inner.send(message, options);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.inner.setSupportedProtocolVersions?.(versions);
  }

  private guarded(message: JSONRPCMessage): JSONRPCMessage {
    if (!('result' in message) || message.id !== this.initialization) return message;
    const { protocolVersion, capabilities } = message.result as Record<string, unknown>;
    const hasTools = typeof capabilities === 'object' && capabilities !== null && 'tools' in capabilities;
    const serverInfo = { name: 'tool server', version: '1' };
    const result = { protocolVersion, capabilities: hasTools ? { tools: {} } : {}, serverInfo };
    return { jsonrpc: '2.0', id: message.id, result };
  }
}
