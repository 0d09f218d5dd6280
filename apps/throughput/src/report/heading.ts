import { enginesFor, type Options } from '../cli/options.ts';
import type { Environment } from './environment.ts';
import { formatBytes } from './format.ts';
import type { Style } from './style.ts';

/** What is about to be measured, and on what. */
export function formatHeading(environment: Environment, options: Options, style: Style): string {
  const { cpu, cores, memoryGib, platform, node, openssl } = environment;
  const rows: [string, string][] = [
    ['machine', `${cpu}, ${cores} ${cores === 1 ? 'core' : 'cores'}, ${memoryGib} GiB, ${platform}`],
    ['Node', `${node}, OpenSSL ${openssl}`],
    ['path', 'two processes; UDP on loopback, ICE, DTLS 1.2, SCTP, one reliable ordered data channel'],
    ...options.suites.map((suite): [string, string] => [
      suite.algorithm,
      `${suite.name}; ${enginesFor(suite, options).join(', ')}`,
    ]),
    ['message', formatBytes(options.messageSize)],
    ['datagram', `held to ${options.datagramBytes} bytes of UDP payload (--datagram-bytes changes it)`],
    ['run', run(options)],
  ];
  const lines = rows.map(([name, value]) => `  ${style('dim', name.padEnd(12))} ${value}`);
  return `${style('bold', 'Millrace')}: bulk data over a data channel, and what protecting its records costs\n\n${lines.join('\n')}\n\n`;
}

function run({ file, mib, passes }: Options): string {
  if (file !== undefined) return `${file.path}, once, without a warm-up`;
  const length = mib === undefined ? 'by time' : `of ${mib} MiB`;
  const times = passes === 1 ? 'once' : `${passes === 2 ? 'twice' : `${passes} times`}, forwards and backwards in turn`;
  return `${length}, in fresh processes, after a warm-up of 2 s; each engine ${times}`;
}
