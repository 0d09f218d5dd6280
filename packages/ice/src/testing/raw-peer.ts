import { writeUint16, writeUint32 } from '@millrace/core';
import { defaultProvider, type CryptoProvider } from '@millrace/crypto';
import { asciiBytes } from '../agent/credentials.ts';
import { createIceAgent } from '../create-ice-agent.ts';
import { crc32 } from '../stun/crc32.ts';
import { decodeStun, type StunMessage } from '../stun/decode-stun.ts';
import { encodeStun, maxStunBytes, type StunFields } from '../stun/encode-stun.ts';
import { bindingType } from '../stun/stun-constants.ts';
import { verifyIntegrity } from '../stun/verify-integrity.ts';
import type { Address, Candidate, IceAgent, IceEvent, IceOptions, Path } from '../types.ts';

export const peerUfrag = 'peer';
export const peerPwd = 'peerpeerpeerpeerpeerpeer';
const crypto: CryptoProvider = defaultProvider;

export interface Sent {
  readonly path: Path;
  readonly message: StunMessage;
  readonly bytes: Uint8Array;
  /** Whether it has the integrity that its kind asks for. */
  readonly isAuthentic: boolean;
}

/** An agent, and a peer in front of it that is a test's own: it says what the test wants. */
export class RawPeer {
  readonly agent: IceAgent;
  readonly events: IceEvent[] = [];
  now = 0;
  #transactions = 0;
  readonly #paths = new Map<string, Path>();

  constructor(options: Partial<Omit<IceOptions, 'path'>> = {}) {
    this.agent = createIceAgent({ role: 'controlled', path: (local, remote) => this.path(remote, local), ...options });
    this.agent.addLocalCandidate(0, 0, { family: 4, address: '192.0.2.1', port: 1000 });
  }

  path(remote: Address, local = 0): Path {
    const key = `${local} ${remote.address} ${remote.port}`;
    const path = this.#paths.get(key) ?? { local, remote };
    this.#paths.set(key, path);
    return path;
  }

  /** The path from the peer's address with this last number. */
  from(host: number, port = 2000): Path {
    return this.path({ family: 4, address: `203.0.113.${host}`, port });
  }

  candidate(host: number, more: Partial<Candidate> = {}): Candidate {
    return { foundation: '1', priority: 2130706431, address: `203.0.113.${host}`, port: 2000, type: 'host', ...more };
  }

  know(): this {
    this.agent.setRemoteParameters(this.now, { ufrag: peerUfrag, pwd: peerPwd });
    return this;
  }

  /** All that the agent sends now. */
  drain(): Sent[] {
    const all: Sent[] = [];
    const out = new Uint8Array(maxStunBytes);
    for (;;) {
      for (let event = this.agent.pollEvent(); event !== undefined; event = this.agent.pollEvent()) this.events.push(event);
      const length = this.agent.pollTransmit(this.now, out, 0, out.length);
      if (length === 0) return all;
      const bytes = out.slice(0, length);
      const message = decodeStun(bytes, 0, length)!;
      const key = message.type === bindingType.request ? peerPwd : this.agent.localPwd;
      const isAuthentic = message.fingerprint === 'valid' && verifyIntegrity(bytes, message, asciiBytes(key), crypto);
      all.push({ path: this.agent.transmitPath!, message, bytes, isAuthentic });
    }
  }

  requests(): Sent[] {
    return this.drain().filter(({ message }) => message.type === bindingType.request);
  }

  /** A check as a good peer sends it, changed by `fields`. */
  request(fields: Partial<StunFields> = {}, key: string = this.agent.localPwd): Uint8Array {
    const role = this.agent.role === 'controlled' ? 'iceControlling' : 'iceControlled';
    const transactionId = new Uint8Array(12);
    transactionId[11] = ++this.#transactions;
    transactionId[10] = this.#transactions >> 8;
    return this.#encode(
      {
        type: bindingType.request,
        transactionId,
        username: asciiBytes(`${this.agent.localUfrag}:${peerUfrag}`),
        priority: 1845494271,
        [role]: new Uint8Array(8).fill(7),
        ...fields,
      },
      key,
    );
  }

  /** A check with one more attribute of 4 bytes in front of its integrity. */
  requestWith(attributeType: number): Uint8Array {
    const request = this.request();
    const body = request.subarray(0, request.length - 32);
    const out = new Uint8Array([...body, attributeType >> 8, attributeType, 0, 4, 1, 2, 3, 4, ...request.subarray(body.length)]);
    const integrityAt = body.length + 8;
    writeUint16(out, 2, out.length - 28);
    out.set(crypto.hmac('SHA-1', asciiBytes(this.agent.localPwd), out.subarray(0, integrityAt)), integrityAt + 4);
    writeUint16(out, 2, out.length - 20);
    writeUint32(out, out.length - 4, crc32(out, 0, out.length - 8) ^ 0x5354554e);
    return out;
  }

  /** Sends a check; true where the agent took it for authentic. */
  check(path: Path, fields: Partial<StunFields> = {}): boolean {
    return this.send(path, this.request(fields));
  }

  send(path: Path, bytes: Uint8Array): boolean {
    return this.agent.handleDatagram(this.now, path, bytes, 0, bytes.length);
  }

  /** Answers a request of the agent: with success, or with what `fields` say. */
  answer({ path, message }: Sent, fields: Partial<StunFields> = {}, key: string = peerPwd): boolean {
    const type = fields.errorCode === undefined ? bindingType.success : bindingType.error;
    const mapped =
      fields.errorCode === undefined ? { mappedAddress: { family: 4, address: '192.0.2.1', port: 1000 } as const } : {};
    return this.send(path, this.#encode({ type, transactionId: message.transactionId, ...mapped, ...fields }, key));
  }

  /** Lets a check from `host` in, answers the agent's own, and nominates where asked. */
  connect(host: number, useCandidate = true): Path {
    const path = this.from(host);
    this.check(path);
    for (const sent of this.requests()) if (sent.path === path) this.answer(sent);
    if (useCandidate) this.check(path, { useCandidate });
    this.drain();
    return path;
  }

  wait(ms: number): void {
    this.now += ms;
    this.agent.handleTimeout(this.now);
  }

  #encode(fields: StunFields, key: string): Uint8Array {
    const out = new Uint8Array(maxStunBytes);
    return out.slice(0, encodeStun(out, 0, fields, asciiBytes(key), crypto));
  }
}
