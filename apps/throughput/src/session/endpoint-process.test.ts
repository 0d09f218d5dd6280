import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Assignment, ProgressReport } from '../endpoint/protocol.ts';
import { suites } from '../suites.ts';
import { EndpointProcess } from './endpoint-process.ts';

const assignment: Assignment = {
  role: 'sender',
  suite: suites[0]!,
  engine: 'auto',
  messageSize: 1024,
  datagramBytes: 1200,
  signalingUrl: 'ws://127.0.0.1:1/',
};

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-demo-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** An endpoint that runs `script`, in which `assignment` is what it was given. */
function start(name: string, script: string, onProgress: (p: ProgressReport) => void = () => {}): EndpointProcess {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(
    path,
    `process.on('disconnect', () => process.exit(0));\nprocess.once('message', (assignment) => {${script}});\n`,
  );
  return new EndpointProcess(assignment, onProgress, pathToFileURL(path));
}

test('reports come in their order, progress apart from them', async () => {
  const seen: number[] = [];
  const endpoint = start(
    'reports',
    `process.send({ type: 'progress', bytes: 5, cpuUs: 1, atMs: 1 });
     process.send({ type: 'connected', cipherSuite: assignment.suite.name });
     process.send({ type: 'warmedUp' });`,
    ({ bytes }) => seen.push(bytes),
  );
  expect(await endpoint.expect('connected')).toEqual({ type: 'connected', cipherSuite: suites[0]!.name });
  expect(await endpoint.expect('warmedUp')).toEqual({ type: 'warmedUp' });
  expect(seen).toEqual([5]);
  endpoint.kill();
});

test('a report that is not due is an error', async () => {
  const endpoint = start('order', `process.send({ type: 'warmedUp' });`);
  await expect(endpoint.expect('connected')).rejects.toThrow('the sender reported warmedUp where connected was due');
  endpoint.kill();
});

test('a failure is told to whom waits, and to whom asks later', async () => {
  const endpoint = start('failure', `process.send({ type: 'failed', message: 'no path' });`);
  await expect(endpoint.expect('connected')).rejects.toThrow('The sender failed: no path.');
  await expect(endpoint.expect('connected')).rejects.toThrow('The sender failed: no path.');
  await expect(endpoint.failed).rejects.toThrow('no path');
  endpoint.kill();
});

test('a process that ends by itself is a failure', async () => {
  const endpoint = start('exit', 'process.exit(3);');
  await expect(endpoint.expect('connected')).rejects.toThrow('its process ended (exit code 3)');
});

test('close ends a process that obeys, and one that does not', async () => {
  const obeys = start('obeys', `process.on('message', () => process.disconnect()); process.send({ type: 'warmedUp' });`);
  await obeys.expect('warmedUp');
  await obeys.close();
  const stays = start(
    'stays',
    `process.removeAllListeners('disconnect'); setInterval(() => {}, 1000); process.send({ type: 'warmedUp' });`,
  );
  await stays.expect('warmedUp');
  await stays.close();
});
