import { defaults, maxDatagramBytes } from './options.ts';

/** What `--help` prints. */
export const help: string = `Pushes bulk data from one Node process to another over a WebRTC data channel (ICE, DTLS 1.2, SCTP; UDP
on loopback), once with straightforward record protection and once with Millrace's, and shows the CPU drop.

Usage: npm run demo -- [flags]

  --mib N                 MiB per full-speed run, counted after a warm-up of 2 s
                          (default: as much as goes in about a second, so that all ends within a minute)
  --message-size N        bytes per message, 1 to 262144 (default ${defaults.messageSize})
  --datagram-bytes N      largest datagram in bytes of UDP payload, 512 to ${maxDatagramBytes} (default ${defaults.datagramBytes})
  --suite LIST            ccm, ccm8, gcm, chacha20; several with commas between (default ccm,gcm)
  --engine LIST           reference, single-buffer, auto; several with commas between
                          (default: all for CCM, reference,auto for the others)
  --passes N              runs of each engine, forwards and backwards in turn (default ${defaults.passes}: A B B A)
  --load-percent N        same load: this much of what the slowest engine reached (default ${defaults.loadPercent})
  --file PATH --out PATH  sends a real file, once, and checks the copy (default suite ccm, engine auto)
  --json                  prints the result as JSON on stdout, and nothing else there
  --help                  prints this

Exit codes: 0 done, 1 wrong hash or failed transfer, 2 wrong flag.
`;
